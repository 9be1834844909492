"""What of a robots.txt concerns one robot, against Protego, which reads it whole."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from focused_crawler.crawl.robots import MAX_RULES, Shelf, rules_for

AGENT = "focused_crawler/1.0 (+http://example.org/my-bot)"
NAMES = [
    "*",
    "focused_crawler",
    "Focused_Crawler",
    "crawler",
    "my-bot",
    "*bot",
    "focused*_crawler",
    "**",
    "",
    "other",
]
LINES = [
    *(f"{field}{name}" for field in ("User-agent: ", "user agent:", "useragent ") for name in NAMES),
    *(
        f"{field}{path}"
        for field in ("Allow: ", "Disallow:", "disalow ", " allow : ")
        for path in ("/", "/a", "/a*c", "/b$", "*", "", "/%61", "/é", "/index.html", "/a # not /b")
    ),
    "Crawl-delay: 3", "crawl delay 5", "Crawl-delay: x", "Sitemap: http://x/y", "host: z", "foo: bar",
    "foo:bar", "nonsense", "http://x.test/ y", "request-rate: 1/5", "x:", "", "# only this", " \t",
]  # fmt: skip
URLS = [
    f"http://h.test{path}"
    for path in ("/", "/a", "/ac", "/a/b", "/b", "/bb", "/%61", "/é", "/index.html", "/?x=1", "/robots.txt")
]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_part_says_what_the_whole_says(lines: list[str], end: str) -> None:
    """Of every URL, and of the delay; whatever the groups, their order and their mistakes."""
    text = end.join(lines)
    whole, part = Protego.parse(text), Protego.parse(rules_for(AGENT, text.encode()).text)
    assert [part.can_fetch(url, AGENT) for url in URLS] == [whole.can_fetch(url, AGENT) for url in URLS]
    assert part.crawl_delay(AGENT) == whole.crawl_delay(AGENT)


def test_no_more_rules_than_are_read() -> None:
    """Only those for this robot count, each once."""
    rules = "\n".join(f"Disallow: /{number}" for number in range(MAX_RULES))
    body = f"User-agent: other\nDisallow: /x\nUser-agent: *\n{rules}\n{rules}".encode()
    assert not rules_for(AGENT, body).is_cut
    cut = rules_for(AGENT, body + b"\nDisallow: /more")
    assert cut.is_cut
    assert cut == (f"user-agent: *\n{rules}".replace("D", "d"), True)


@pytest.mark.parametrize(
    "body",
    [
        b"\n".join(b"User-agent:%x" % n for n in range(20_000)) + b"\nDisallow:/" * 20_000,
        b"User-agent:" + b"*a" * 250_000,
        b"User-agent:" + b"a" * 500_000,
        b"User-agent:*\nAllow:" + b"*a" * 250_000,
        b"a b\n" * 125_000,
        b"a" * 500_000,
    ],
    ids=["names", "stars", "name", "pattern", "words", "token"],
)
def test_time_is_that_of_the_bytes(body: bytes) -> None:
    began = time.thread_time()
    assert len(rules_for(AGENT, body).text) <= len(body) + 100
    assert time.thread_time() - began < 1


def test_a_shelf_keeps_what_was_asked_for_last() -> None:
    shelf: Shelf[str, str] = Shelf(10)
    for key, cost in (("a", 4), ("b", 4), ("a", 5)):
        shelf.put(key, key, cost)
    assert (shelf.get("b"), shelf.cost) == ("b", 9)
    shelf.put("c", "c", 3)
    assert (shelf.get("a"), shelf.get("b"), shelf.get("c"), len(shelf)) == (None, "b", "c", 2)
    shelf.put("d", "d", 11)
    assert (shelf.get("d"), shelf.cost) == (None, 7)
