"""What of a robots.txt concerns one robot, against Protego, which reads it whole."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from focused_crawler.crawl.robots import MAX_RULES, Shelf, rules_for

AGENT = "focused-crawler/1.0 (+http://example.org/my-bot)"
NAMES = ["*", "focused-crawler", "Focused-Crawler", "other", "another-one"]
LINES = [
    *(f"{field}{name}" for field in ("User-agent: ", "user agent:", "useragent ") for name in NAMES),
    *(
        f"{field}{path}"
        for field in ("Allow: ", "Disallow:", "disalow ", " allow : ")
        for path in ("/", "/a", "/a*c", "/b$", "*", "", "/%61", "/é", "/index.html", "/a # not /b")
    ),
    "Sitemap: http://x/y", "nonsense", "# only this", " \t",
]  # fmt: skip
URLS = [
    f"http://h.test{path}"
    for path in ("/", "/a", "/ac", "/a/b", "/b", "/bb", "/%61", "/é", "/index.html", "/?x=1", "/robots.txt")
]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_part_says_what_the_whole_says(lines: list[str], end: str) -> None:
    """Of every URL; whatever the groups, their order and their mistakes."""
    text = end.join(lines)
    whole, part = Protego.parse(text), Protego.parse(rules_for(AGENT, text.encode()).text)
    assert [part.can_fetch(url, AGENT) for url in URLS] == [
        whole.can_fetch(url, "focused-crawler") for url in URLS
    ]


NAMED = [
    ("focused-crawler", True),
    ("FOCUSED-CRAWLER/9.9", True),
    ("focused-crawler (and others)", True),
    ("* all of you", True),
    ("focused", False),
    ("crawler", False),
    ("my-bot", False),  # of the contact in our user agent
    ("example.org", False),
    ("*crawler", False),
    ("focused-crawler-images", False),
    ("", False),
]


@pytest.mark.parametrize(("name", "is_meant"), NAMED)
def test_a_group_means_who_it_names(name: str, is_meant: bool) -> None:
    """By the whole product token, never by a part of the contact (RFC 9309, 2.2.1)."""
    assert _is_allowed(f"User-agent: {name}\nDisallow: /", "/a") is not is_meant


GROUPS = [
    # What is no rule ends no run of names: all of them share what follows.
    ("User-agent: focused-crawler\nCrawl-delay: 5\nUser-agent: b\nDisallow: /a", False, 5),
    ("User-agent: b\nCrawl-delay: 5\nUser-agent: focused-crawler\nDisallow: /a", False, 5),
    ("User-agent: *\nCrawl-delay: 10\nUser-agent: b\nDisallow: /", False, 10),
    ("User-agent: *\nRequest-rate: 1/5\nNoindex: /x\nSitemap: /s\n\nUser-agent: b\nDisallow: /", False, None),
    # A rule does, also one that says nothing.
    ("User-agent: focused-crawler\nDisallow:\nUser-agent: b\nDisallow: /", True, None),
    ("User-agent: b\nDisallow: /x\nCrawl-delay: 9\nUser-agent: focused-crawler\nAllow: /", True, None),
    # Rules before any name are nobody's, and those of all groups that name a robot are its.
    ("Crawl-delay: 7\nDisallow: /\nUser-agent: focused-crawler\nDisallow: /b", True, None),
    ("User-agent: focused-crawler\nAllow: /x\nUser-agent: b\nDisallow: /\n"
     "User-agent: Focused-Crawler\nCrawl-delay: 3\nDisallow: /a", False, 3),
    # Whoever is named has nothing to do with what all others are told.
    ("User-agent: *\nDisallow: /\nCrawl-delay: 8\nUser-agent: focused-crawler", True, None),
    ("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 4\nDisallow: /b", True, 4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_allowed", "delay"), GROUPS)
def test_a_group_is_a_run_of_names_and_its_rules(text: str, is_allowed: bool, delay: float | None) -> None:
    assert _is_allowed(text, "/a") is is_allowed
    assert Protego.parse(rules_for(AGENT, text.encode()).text).crawl_delay(AGENT) == delay


MATCHING = [
    ("Disallow: /x/page.html\nAllow: /x/", "/x/page.html", False),  # the longest rule decides
    ("Allow: /x/page.html\nDisallow: /x/", "/x/page.html", True),
    ("Disallow: /a\nAllow: /a", "/a/b", True),  # of two as long the milder one
    ("Disallow: /X/", "/x/y", True),
    ("Allow: /page\nDisallow: /*.html", "/page.html", False),
    ("Disallow: /foo/bar$\nAllow: /foo/bar/qux", "/foo/bar", False),
    ("Disallow: /foo/bar$", "/foo/bar/", True),
    ("Disallow: /quz#qux", "/quz", False),
    ("Disallow: /\nAllow: /*.php$", "/f.php?x", False),
    ("Disallow: /\nAllow: /$", "/", True),
    ("Disallow: /\nAllow: /ツ", "/%E3%83%84", True),
    ("Disallow: /\nAllow: /in/index.html", "/in/", True),
    ("disallow /a", "/a", False),  # without its colon
    ("Disalow: /a", "/a", False),
    ("Bar: /", "/a", True),
]


@pytest.mark.parametrize(("rules", "path", "is_allowed"), MATCHING)
def test_rules_match_as_search_engines_read_them(rules: str, path: str, is_allowed: bool) -> None:
    assert _is_allowed(f"User-agent: *\n{rules}", path) is is_allowed


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_mark_says_how_it_is_written(encoding: str) -> None:
    """Also where half of the last character was cut off."""
    mark = "\ufeff" if encoding.endswith("e") else ""
    body = f"{mark}User-agent: *\nDisallow: /a\n# é".encode(encoding)[:-1]
    assert rules_for(AGENT, body).text == "user-agent: *\ndisallow: /a"


def _is_allowed(text: str, path: str) -> bool:
    rules = rules_for(AGENT, text.encode()).text
    return bool(Protego.parse(rules).can_fetch(f"http://h.test{path}", AGENT))


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
