from __future__ import annotations

import pytest

from focused_crawler.virtualweb.record import WebRecord, answer

MONDAY = "Mon, 06 Jan 2025 10:00:00 GMT"
TUESDAY = "Tue, 07 Jan 2025 10:00:00 GMT"


def record(status: int = 200, **headers: str) -> WebRecord:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return WebRecord("http://a.example/", status, [("Content-Type", "text/html"), *named], b"<p>Bees")


@pytest.mark.parametrize(
    ("etag", "asked"),
    [
        ('"1"', '"1"'),
        ('"1"', '"0", "1"'),
        ('W/"1"', '"1"'),
        ('"1"', 'W/"1"'),
        ('"a,b"', '"a,b"'),
        ('"1"', "*"),
        ("", "*"),
    ],
)
def test_a_known_version_is_not_sent_again(etag: str, asked: str) -> None:
    """Weak and strong tags are compared as one, lists are taken apart."""
    sent = answer(record(ETag=etag), asked, "")
    assert (sent.status, sent.body) == (304, b"")
    assert sent.header("ETag") == etag
    assert sent.header("Content-Type") == ""


@pytest.mark.parametrize(
    ("etag", "asked"), [('"1"', '"2"'), ("", '"1"'), ("1", "1"), ('"1"', '"'), ('"1', '"1"'), ('"1"', "")]
)
def test_another_version_is_sent(etag: str, asked: str) -> None:
    """And so is one that no tag tells."""
    assert answer(record(ETag=etag), asked, "").body == b"<p>Bees"


@pytest.mark.parametrize(
    ("modified", "since", "status"),
    [
        (MONDAY, MONDAY, 304),
        (MONDAY, TUESDAY, 304),
        (TUESDAY, MONDAY, 200),
        ("", MONDAY, 200),
        (MONDAY, "", 200),
        (MONDAY, "yesterday", 200),
        ("yesterday", MONDAY, 200),
        (MONDAY, "Mon, 06 Jan 2025 10:00:00", 200),
        (MONDAY, "Tue, 99 Jan 99999 10:00:00 GMT", 200),
    ],
)
def test_dates_are_compared(modified: str, since: str, status: int) -> None:
    """What is no date of HTTP is no condition."""
    assert answer(record(Last_Modified=modified), "", since).status == status


def test_the_tag_wins_over_the_date() -> None:
    """A page that was changed twice within a second has one date and two tags."""
    assert answer(record(ETag='"2"', Last_Modified=MONDAY), '"1"', MONDAY).status == 200
    assert answer(record(ETag='"1"', Last_Modified=TUESDAY), '"1"', MONDAY).status == 304


def test_a_page_by_way_of_a_proxy_is_spared_too() -> None:
    """It is a page, whoever changed it on its way."""
    assert answer(record(203, ETag='"1"'), '"1"', "").status == 304


@pytest.mark.parametrize("status", [301, 404, 500])
def test_only_pages_are_spared(status: int) -> None:
    """An error is sent as it is."""
    assert answer(record(status, ETag='"1"'), '"1"', "").status == status
