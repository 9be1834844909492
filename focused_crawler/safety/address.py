"""Who asks, and which network addresses may be asked: the open internet, and what the user names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from focused_crawler import __version__
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import setting, text

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
# `is_global` differs between Python versions here; none of these is a place where pages live.
_NEVER_GLOBAL: tuple[Network, ...] = (
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.88.99.0/24"),  # 6to4 relays, given up
    IPv6Network("2001::/23"),  # protocol assignments, Teredo among them
    IPv6Network("3fff::/20"),  # documentation
)


def parse_networks(
    values: str | Iterable[str], setting: str = "FOCUSED_ALLOWED_NETWORKS"
) -> tuple[Network, ...]:
    """Read networks in CIDR form, or with commas between them; raises ConfigError.

    >>> parse_networks("127.0.0.0/8, ::1")
    (IPv4Network('127.0.0.0/8'), IPv6Network('::1/128'))
    """
    if isinstance(values, str):
        values = values.split(",")
    if not isinstance(values, Iterable):
        raise ConfigError(f"{setting} is {values!r}; use a list of networks, as in ['10.0.0.0/8']")
    return tuple(_network(value, setting) for value in values if value != "")


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """Who asks, and which addresses may be asked."""

    contact: str = text("FOCUSED_CONTACT")  # sent to everybody who is asked, in the user agent
    allowed_networks: tuple[Network, ...] = setting(
        "FOCUSED_ALLOWED_NETWORKS", [], lambda name, value: parse_networks(value or (), name)
    )
    """May be asked although they are not global."""


def user_agent(contact: str) -> str:
    """Return our User-Agent, with the characters of a contact that a header can hold.

    >>> user_agent("ann@example.org").partition(" ")[2]
    '(+ann@example.org)'
    """
    shown = "".join(char for char in contact if char.isascii() and char.isprintable()).strip()
    return f"focused-crawler/{__version__}" + (f" (+{shown})" if shown else "")


def is_allowed(address: str | Address, allowed_networks: Sequence[Network] = ()) -> bool:
    """Say whether a connection to `address` may be opened.

    True for a global unicast address and for one inside `allowed_networks`. An IPv6 address that carries an
    IPv4 address (v4-mapped, NAT64, 6to4) is what it carries; Teredo, multicast, an address with a zone and
    text that is no address in its strict form are refused.

    >>> is_allowed("93.184.216.34"), is_allowed("127.0.0.1"), is_allowed("::ffff:127.0.0.1")
    (True, False, False)
    >>> is_allowed("127.1"), is_allowed("fe80::1%eth0"), is_allowed("10.0.0.7", parse_networks("10.0.0.0/8"))
    (False, False, True)
    """
    try:
        judged = _carried(ip_address(address))
    except ValueError:
        return False
    if isinstance(judged, IPv6Address) and judged.scope_id is not None:
        return False
    return _is_public(judged) or any(judged in network for network in allowed_networks)


def _carried(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 address leads to, else the address itself."""
    if isinstance(address, IPv4Address) or address.scope_id is not None:
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _is_public(address: Address) -> bool:
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return not any(address in network for network in _NEVER_GLOBAL)


def _network(value: object, setting: str) -> Network:
    try:
        return ip_network(str(value).strip())
    except ValueError:
        cure = "use networks such as 10.0.0.0/8, 127.0.0.1 or fd00::/8"
        raise ConfigError(f"{setting} has {value!r}; {cure}") from None
