"""The guard on real connections: what a crawler without it fetches, and what ours refuses."""

import pytest

from tests.hostile.cases import IPV4_SPELLINGS, OTHER_PLACES, SPELLINGS

REFUSED = "AddressRefused refused_address"


@pytest.mark.parametrize("host", IPV4_SPELLINGS, ids=ascii)
def test_stock_handler_reaches_loopback(report, host):
    """Without the guard every one of these spellings gets the page: so the tests below prove something."""
    assert report.ended("stock", host) == "200"


@pytest.mark.parametrize("host", SPELLINGS + OTHER_PLACES, ids=ascii)
def test_no_spelling_of_a_private_address_gets_through(report, host):
    """However an address is written, it is refused unless it is global."""
    assert report.ended("closed", host) == REFUSED


@pytest.mark.parametrize("label", ["https", "https name"])
def test_tls_is_guarded_too(report, label):
    """The guard stands before TLS begins."""
    assert report.ended("closed", label) == REFUSED


@pytest.mark.parametrize("scheme", ["file", "data", "ftp"])
def test_only_http_and_https_are_fetched(report, scheme):
    """Handlers of all other schemes are switched off."""
    assert report.ended("closed", scheme) == "NotSupported"


@pytest.mark.parametrize(
    "label",
    [
        "to 127.0.0.2",
        "to metadata",
        "to metadata by name",
        "to a name inside",
        "to ::1",
        "to a spelling",
        "to https inside",
        "second hop to 127.0.0.2",
    ],
)
def test_every_hop_of_a_redirect_is_guarded(report, label):
    """A redirect from an allowed host leads nowhere that its target may not be asked."""
    assert report.ended("one", label) == REFUSED


def test_redirect_to_an_allowed_place_is_followed(report):
    """The guard is not in the way of ordinary redirects."""
    assert report.ended("one", "to page") == "200"


@pytest.mark.parametrize("name", ["mixed", "mixed6", "inside", "spelled"])
def test_one_wrong_address_refuses_the_whole_answer(report, name):
    """A name with a public and a private address is refused; so is an answer that is no strict address."""
    assert report.ended("one", name) == REFUSED


def test_name_of_allowed_addresses_is_fetched(report):
    """Names are judged by their answer."""
    assert report.ended("one", "public") == "200"


def test_name_without_an_answer_is_a_dns_error(report):
    """NXDOMAIN is no refusal: it may be tried again."""
    assert report.ended("one", "nowhere") == "CannotResolveHostError"


def test_silent_name_server_is_left(report):
    """The download's timeout holds while a name is looked up."""
    assert report.ended("one", "silent") == "DownloadTimeoutError"


def test_rebinding_name_is_judged_at_each_connection(report):
    """A name that flips to a private address after the first look is refused at the second."""
    ends = sorted(report.ended("one", label) for label in ("flips once", "flips twice"))
    assert ends == ["200", REFUSED]


def test_nothing_reached_the_private_address(report):
    """Of all that was refused, the server behind it saw not one request."""
    assert [hit for hit in report.sites["plain"].hits if hit[0] == "127.0.0.2"] == []
    assert [hit for hit in report.sites["trusted"].hits if hit[0] == "127.0.0.2"] == []


def test_kept_connection_stays_with_its_vetted_address(report):
    """On a kept connection nothing is resolved again, so a rebinding name gains nothing."""
    assert [report.ended("kept", f"kept {turn}") for turn in (1, 2)] == ["200", "200"]


def test_second_try_on_a_stale_connection_is_guarded(report):
    """When a kept connection turns out dead, Twisted opens another by itself: through the guard."""
    assert sorted(report.ended("kept", f"stale {turn}") for turn in (1, 2)) == ["200", REFUSED]


def test_crawlers_of_one_process_keep_their_own_networks(report):
    """What one crawl may ask does not open the door of another that runs beside it."""
    assert report.ended("limits", "page") == "200"
    assert report.ended("closed", "127.0.0.1") == REFUSED


def test_proxy_is_refused(report):
    """Only the proxy would see the address, so a request through one is not sent."""
    assert report.ended("proxy", "by-meta") == REFUSED
    assert report.ended("proxy", "direct") == "200"


def test_refusals_are_counted(report):
    """The stat tells how many."""
    outcomes = report.crawls["closed"]["outcomes"].values()
    refused = [outcome for outcome in outcomes if outcome.get("error") == "AddressRefused"]
    assert report.stat("closed", "focused/guard/refused_address") == len(refused) > 30


def test_robots_txt_is_guarded(report):
    """Neither the robots.txt of a private host is asked for, nor one that a redirect leads to."""
    assert report.hits("127.0.0.2", "/robots.txt") == 0
    assert report.stat("robots", "focused/guard/refused_address") >= 3
    assert report.ended("robots", "inside.test page") == REFUSED


@pytest.mark.parametrize("label", ["trusted address", "trusted name"])
def test_tls_certificate_of_a_known_authority_is_accepted(report, label):
    """Name and address are checked against the URL's host, though the connection goes to a number."""
    assert report.ended("tls", label) == "200"


@pytest.mark.parametrize(
    "label", ["self-signed", "another name", "nameless", "nameless address", "malformed"]
)
def test_tls_certificate_is_verified(report, label):
    """A certificate that nobody vouches for, of another name or of none, ends the request."""
    assert report.ended("tls", label) == "DownloadFailedError"
    assert "certificate verify failed" in report.outcome("tls", label)["message"]


@pytest.mark.parametrize("label", ["other address", "inside"])
def test_tls_does_not_go_around_the_guard(report, label):
    """https to a private address is refused before the handshake."""
    assert report.ended("tls", label) == REFUSED
