from __future__ import annotations

import pytest

from focused_crawler.edge.rendering import rules as module
from focused_crawler.edge.rendering.needs import is_tracker, tracker_hosts
from focused_crawler.edge.rendering.rules import MOST_PARTS, Part, PartCache, PartLimits, cost, why_blocked

URL = "http://a.test/app.js"


@pytest.mark.parametrize(
    ("kind", "method", "url", "why"),
    [
        ("script", "GET", URL, None),
        ("xhr", "GET", "https://api.other.test/1", None),
        ("fetch", "GET", URL, None),
        ("fetch", "POST", URL, "method"),
        ("fetch", "DELETE", URL, "method"),
        ("image", "GET", URL, "kind"),
        ("font", "GET", URL, "kind"),
        ("stylesheet", "GET", URL, "kind"),
        ("media", "GET", URL, "kind"),
        ("websocket", "GET", "ws://a.test/", "kind"),
        ("ping", "POST", URL, "kind"),
        ("eventsource", "GET", URL, "kind"),
        ("script", "GET", "file:///etc/passwd", "scheme"),
        ("fetch", "GET", "ftp://a.test/x", "scheme"),
        ("script", "GET", "https://www.googletagmanager.com/gtm.js", "tracker"),
    ],
)
def test_what_a_page_may_have(kind: str, method: str, url: str, why: str | None) -> None:
    """Scripts and data, by GET, from whoever is no tracker."""
    assert why_blocked(kind, method, url) == why


def test_a_page_may_ask_for_so_much() -> None:
    """Parts that it may not have do not count."""
    limits = PartLimits()
    for _ in range(MOST_PARTS):
        assert limits.why_not("script", "GET", URL) is None
        assert limits.why_not("image", "GET", URL) == "kind"
    assert limits.why_not("script", "GET", URL) == "limit"


def test_a_page_may_have_so_many_bytes() -> None:
    """Of all its parts together."""
    limits = PartLimits(bytes=module.MOST_BYTES)
    assert limits.why_not("script", "GET", URL) == "limit"


def test_parts_that_were_granted_at_once_have_that_limit_too() -> None:
    """The one that goes beyond it is refused, and all after it."""
    limits = PartLimits()
    assert all(limits.why_not("fetch", "GET", URL) is None for _ in range(MOST_PARTS))
    taken = [limits.has_room and limits.takes(module.PART_BYTES) for _ in range(MOST_PARTS)]
    assert taken == [True, True] + [False] * (MOST_PARTS - 2)
    assert limits.bytes == module.MOST_BYTES
    assert not PartLimits(bytes=module.MOST_BYTES - 1).takes(2)


def part(size: int = 1, status: int = 200, **headers: str) -> Part:
    return Part(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"x" * size)


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        (part(), True),
        (part(cache_control="max-age=1"), True),
        (part(cache_control="no-store"), False),
        (part(cache_control="private, max-age=60"), False),
        (part(cache_control="no-cache"), False),
        (part(status=404), False),
        (part(status=302), False),
    ],
)
def test_answers_are_kept(answer: Part, is_kept: bool) -> None:
    """Unless they say otherwise, or are none."""
    cache = PartCache()
    cache.store(URL, answer)
    assert (cache.get(URL) == answer) is is_kept


def test_what_was_used_last_is_kept() -> None:
    """As far as there is room."""
    cache = PartCache(size=2 * cost("a", part(5)))
    cache.store("a", part(5))
    cache.store("b", part(5))
    cache.get("a")
    cache.store("c", part(5))
    assert [cache.get(url) is None for url in "abc"] == [False, True, False]
    cache.store("huge", part(cost("a", part(5)) + 100))
    assert [cache.get(url) for url in ("a", "b", "c", "huge")] == [None] * 4


def test_empty_parts_take_room_as_well() -> None:
    """As those of a page that asks for a new URL each time."""
    cache = PartCache(size=10_000)
    for number in range(1_000):
        cache.store(f"{URL}?{number}", part(0))
    assert len(cache._parts) < 10


def test_an_answer_grows_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is asked for again."""
    monkeypatch.setattr(module, "CACHE_SECONDS", -1)
    cache = PartCache()
    cache.store(URL, part())
    assert cache.get(URL) is None


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("https://google-analytics.com/x", True),
        ("https://SSL.Google-Analytics.com./x", True),
        ("https://my-google-analytics.com/x", False),
        ("https://google-analytics.com.evil.test/x", False),
        ("//www.googletagmanager.com/gtm.js", True),
        ("http://[", False),
        ("", False),
    ],
)
def test_trackers(url: str, is_one: bool) -> None:
    """Are known by domain, with all hosts under it."""
    assert is_tracker(url) is is_one


def test_the_list_of_trackers_is_in_order() -> None:
    """Lower case, sorted, each once."""
    assert len(tracker_hosts()) > 100
    assert all(host == host.lower() and "." in host for host in tracker_hosts())
