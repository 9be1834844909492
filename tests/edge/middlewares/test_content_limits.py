"""The content limits on finished responses, as any download handler may bring them, and their settings."""

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from focused_crawler.edge.failures import Refused
from focused_crawler.edge.meta import LEASE
from focused_crawler.edge.middlewares.content_limits import (
    ContentLimitsMiddleware,
)
from focused_crawler.safety.content import PageLimits
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import read

URL = "http://example.org/"
PAGE = Request(URL, meta={LEASE: URL})


@pytest.fixture
def crawler():
    return get_crawler(settings_dict={"TELNETCONSOLE_ENABLED": False})


@pytest.fixture
def stats(crawler):
    return crawler.stats


@pytest.fixture
def limits(crawler):
    return ContentLimitsMiddleware(["text/html"], 1000, crawler)


def response(body=b"<p>", kind="text/html", status=200):
    headers = {"Content-Type": kind} if kind else {}
    return Response(URL, status=status, headers=headers, body=body)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (response(kind="image/png"), "content_type"),
        (response(kind=""), None),
        (response(b"plain", kind=""), "content_type"),
        (response(b"x" * 1001), "page_bytes"),
        (response(b"x" * 1000), None),
        (response(b"x" * 1001, kind="video/mp4"), "content_type"),
        (response(b"%PDF-1.7"), "disguised"),
        (response(b"x" * 1001, kind="video/mp4", status=404), None),
        (response(status=10**20), "status"),
    ],
)
def test_finished_responses_are_judged(limits, stats, answer, reason):
    """Without any signal of a handler too, as from a cache or a virtual web."""
    if reason is None:
        assert limits.process_response(PAGE, answer) is answer
        return
    with pytest.raises(Refused) as refusal:
        limits.process_response(PAGE, answer)
    assert refusal.value.reason == reason
    assert stats.get_stats() == {f"focused/limits/{reason}": 1}


@pytest.mark.parametrize(
    ("value", "types"), [("text/html,TEXT/XML", ("text/html", "text/xml")), (["a/b"], ("a/b",))]
)
def test_content_types_are_read(value, types):
    """From a list, or with commas between them."""
    assert read(PageLimits, Settings({"FOCUSED_CONTENT_TYPES": value})).content_types == types


@pytest.mark.parametrize("value", ["", [], "html", ["text/html", 5]])
def test_wrong_content_types_are_named(value):
    """The error says what to type."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_CONTENT_TYPES is .*; use .*text/html"):
        read(PageLimits, Settings({"FOCUSED_CONTENT_TYPES": value}))


@pytest.mark.parametrize("value", [0, -1, "much", "1.5"])
def test_wrong_sizes_are_named(value):
    """The error says what to type."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_MAX_PAGE_BYTES is .*; use a number of bytes"):
        read(PageLimits, Settings({"FOCUSED_MAX_PAGE_BYTES": value}))


def test_sizes_are_read():
    """From the command line they come as text."""
    assert read(PageLimits, Settings({"FOCUSED_MAX_PAGE_BYTES": "2000"})).max_page_bytes == 2000
