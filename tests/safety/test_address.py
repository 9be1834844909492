"""Which addresses are the open internet."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.address import is_allowed, parse_networks, user_agent
from focused_crawler.safety.errors import ConfigError

REFUSED = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.2.3",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "::8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::808:808",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2001:20::1",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "100::1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "localhost",
    "1.1.1.1%1",
    "1.1.1.1/32",
    "[::1]",
]
ALLOWED = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::5",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]


@pytest.mark.parametrize("address", [*REFUSED, ""])
def test_private_and_malformed_addresses_are_refused(address):
    """Whatever is not global unicast, or not an address in its strict form."""
    assert not is_allowed(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_global_addresses_are_allowed(address):
    """Also where they are carried in an IPv6 address."""
    assert is_allowed(address)


@given(st.ip_addresses(v=4))
def test_carried_address_is_judged_as_itself(address: IPv4Address):
    """An IPv6 address that leads to an IPv4 one opens no door that is closed to it."""
    number = int(address)
    carriers = (0xFFFF << 32 | number, 0x0064FF9B << 96 | number, 0x2002 << 112 | number << 80)
    assert {is_allowed(IPv6Address(carrier)) for carrier in carriers} == {is_allowed(address)}


@given(st.ip_addresses())
def test_text_and_object_are_judged_alike(address):
    """The rule reads both."""
    assert is_allowed(address) == is_allowed(str(address))


@given(st.ip_addresses(v=4))
def test_everything_is_allowed_once_named(address):
    """A network that the user names is allowed whole, also in its v4-mapped form."""
    networks = parse_networks(["0.0.0.0/0"])
    assert is_allowed(address, networks)
    assert is_allowed(f"::ffff:{address}", networks)


def test_named_network_allows_no_other():
    """127.0.0.1/32 is one address."""
    networks = parse_networks(["127.0.0.1/32"])
    assert is_allowed("127.0.0.1", networks)
    assert not is_allowed("127.0.0.2", networks)
    assert not is_allowed("::1", networks)


def test_zone_is_refused_even_in_a_named_network():
    """A zone names one of our own interfaces."""
    assert is_allowed("fe80::1", parse_networks("fe80::/10"))
    assert not is_allowed("fe80::1%lo", parse_networks("fe80::/10"))


@pytest.mark.parametrize(
    ("value", "networks"),
    [
        ([], ()),
        ("", ()),
        ("10.0.0.0/8", (ip_network("10.0.0.0/8"),)),
        ("10.0.0.0/8, fd00::/8", (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))),
        (["127.0.0.1"], (ip_network("127.0.0.1/32"),)),
    ],
)
def test_networks_are_read(value, networks):
    """From a list, or from what -s gives on the command line."""
    assert parse_networks(value) == networks


@pytest.mark.parametrize("value", ["localhost", ["10.0.0.1/8"], [None], 8, ["10.0.0.0/8", "all"]])
def test_wrong_networks_are_named_with_the_cure(value):
    """One line: which setting, which value, what would be right."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_ALLOWED_NETWORKS .*; use .*10\.0\.0\.0/8") as error:
        parse_networks(value)
    assert "\n" not in str(error.value)


def test_a_contact_for_the_header() -> None:
    """As far as a header can hold it."""
    assert user_agent("") == user_agent("\r\n")
    assert user_agent("Ann\r\nX-Evil: ü <ann@example.org>").endswith(" (+AnnX-Evil:  <ann@example.org>)")
