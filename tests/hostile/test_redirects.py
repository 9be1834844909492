"""Where a hostile Location can lead: to a web page, or nowhere."""

import pytest

BROKEN = (
    "empty",
    "blank",
    "broken-ipv6",
    "broken-port",
    "control-host",
    "nul-host",
    "rtl-host",
    "latin-1-host",
    "user-info",
)


@pytest.mark.parametrize("target", ["file", "ftp", "data", "javascript", "gopher", "upper-case-file"])
def test_other_schemes_are_refused(report, target):
    """A redirect stays on the web."""
    assert report.ended("limits", f"to {target}") == "Refused redirect_scheme"


@pytest.mark.parametrize("target", BROKEN)
def test_locations_that_are_no_url_are_refused(report, target):
    """What cannot be a page's URL is dropped, without a traceback."""
    assert report.ended("limits", f"to {target}") == "Refused redirect_location"


def test_long_location_is_refused(report):
    """A redirect is no way around the length limit of URLs."""
    assert report.ended("limits", "to-long") == "Refused redirect_location"


def test_huge_location_is_an_error(report):
    """A header line of 64 KB is over the platform's own bound of 16 KB."""
    assert report.ended("limits", "to-huge") == "DownloadFailedError"


@pytest.mark.parametrize("target", ["latin-1-path", "utf-8-path", "line-breaks", "folded", "no-host"])
def test_odd_locations_are_followed_escaped(report, target):
    """What a browser would follow is followed, as plain ASCII."""
    outcome = report.outcome("limits", f"to {target}")
    assert outcome["status"] == 200
    assert outcome["url"].isascii()
    assert outcome["url"].isprintable()


def test_redirect_with_a_film_is_followed_without_it(report):
    """The body of a redirect is not read when it is no page."""
    assert report.ended("limits", "to-with-film") == "200"
    assert report.sent("/to-with-film") < 4_000_000


@pytest.mark.parametrize(("label", "end"), [("20 hops", "200"), ("21 hops", "Refused redirect_hops")])
def test_hops_are_counted(report, label, end):
    """REDIRECT_MAX_TIMES hops, and not one more."""
    assert report.ended("limits", label) == end


def test_loop_ends(report):
    """A redirect to itself is a chain without an end."""
    assert report.ended("limits", "loop") == "Refused redirect_hops"


@pytest.mark.parametrize("label", ["refresh to file", "refresh to nonsense"])
def test_page_with_a_bad_refresh_is_kept(report, label):
    """A meta refresh that leads nowhere leaves the page it stands on."""
    outcome = report.outcome("limits", label)
    assert (outcome["status"], "/refresh" in outcome["url"]) == (200, True)


def test_good_refresh_is_followed(report):
    """As a redirect would be."""
    assert report.outcome("limits", "refresh to page")["url"].endswith("/page")
