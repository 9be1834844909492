"""Google's cases of robots.txt and the WHATWG's of URLs, read as they read them, or with a reason why not."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from protego import Protego

from focused_crawler.crawl.robots import rules_for
from focused_crawler.page.url import normalise

CASES = Path(__file__).parent / "cases"


def _differences(table: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = tomllib.loads((CASES / "differences.toml").read_text())[table]
    return found


class Question(NamedTuple):
    """May a robot ask for a URL?"""

    name: str  # of the robots.txt
    agent: str
    url: str


def test_robots_txt_is_read_as_google_reads_it() -> None:
    """All 400 questions; what is allowed here and not there is what RFC 9309 or the robot's name allows."""
    asked = 0
    found = []
    for case in json.loads((CASES / "google_robots.json").read_text()):
        body = case["robots"].encode("utf-8", "surrogateescape")
        for agent, url, is_allowed in case["asked"]:
            asked += 1
            ours = Protego.parse(rules_for(agent, body).text).can_fetch(url, agent)
            if ours is not is_allowed:
                found.append(Question(case["name"], agent, url))
    named = [Question(*words) for questions in _differences("robots").values() for words in questions]
    assert asked == 400
    assert sorted(found) == sorted(named)


class UrlCase(NamedTuple):
    """A URL as it is written, where it stands, and as browsers read it; None: they do not."""

    input: str
    base: str | None
    href: str | None


@pytest.fixture(scope="module")
def urls() -> list[UrlCase]:
    cases = json.loads((CASES / "whatwg_urls.json").read_text())
    return [UrlCase(case["input"], case["base"], case.get("href")) for case in cases]


def _ours(case: UrlCase) -> str | None:
    return normalise(case.input, case.base)


def _theirs(case: UrlCase) -> str | None:
    """Return how browsers read a URL that a crawl could fetch, without its fragment."""
    href = (case.href or "").partition("#")[0]
    return href if href.startswith(("http://", "https://")) else None


def test_no_url_leads_to_another_host_than_in_browsers(urls: list[UrlCase]) -> None:
    """Of all 820; those with a user name, and some that nobody has, are not asked for at all."""
    same = 0
    for case in urls:
        ours, theirs = _ours(case), _theirs(case)
        if ours is not None and theirs is not None:
            assert urlsplit(ours)[:2] == urlsplit(theirs)[:2], case
            same += 1
    assert len(urls) == 820
    assert same == 177


def test_urls_are_written_as_browsers_write_them(urls: list[UrlCase]) -> None:
    """But for differences that are named, each with its reason; no more and no fewer."""
    otherwise = [case.input for case in urls if _ours(case) != _theirs(case)]
    named = [url for inputs in _differences("urls").values() for url in inputs]
    assert sorted(map(_writable, otherwise)) == sorted(named)


def _writable(url: str) -> str:
    """Return a URL as a file can have it, with ? for half a surrogate pair."""
    return url.encode("utf-8", "replace").decode()
