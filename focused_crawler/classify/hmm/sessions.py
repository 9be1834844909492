"""Browsing records: which pages were visited one after the other on the way to relevant ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from focused_crawler.page.url import normalise
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import read_text
from focused_crawler.topic.rules import identity, url_problem

FILE_NAME = "sessions.jsonl"
MAX_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class Session:
    """A path of pages, each reached by a link of the one before."""

    urls: tuple[str, ...]
    relevant: tuple[bool, ...]  # one a URL: whether that page is about the topic

    @property
    def steps(self) -> list[tuple[str, str]]:
        """Return the links that were followed, as (from, to)."""
        return list(zip(self.urls, self.urls[1:], strict=False))

    def renamed(self, names: Mapping[str, str]) -> Session:
        """Return it with these names of its URLs; a page that follows itself is one visit."""
        visits = zip((names[url] for url in self.urls), self.relevant, strict=True)
        pages = [(name, any(said for _, said in same)) for name, same in groupby(visits, key=itemgetter(0))]
        return Session(tuple(name for name, _ in pages), tuple(said for _, said in pages))


def read_sessions(path: Path) -> list[Session]:
    """Return the sessions of a file, one a line; raises TopicError with the line and the cure."""
    sessions = []
    for number, line in enumerate(read_text(path, MAX_BYTES).split("\n"), start=1):
        if line.strip():
            session = _parsed(line)
            if isinstance(session, str):
                raise TopicError(f"{place(path, number)}: {session}")
            sessions.append(session)
    if not any(any(session.relevant) for session in sessions):
        raise TopicError(f"{place(path)}: no session visits a relevant page; record one that does")
    return sessions


def single_visits(relevant: Iterable[str], other: Iterable[str]) -> list[Session]:
    """Return a session of one page for each example: it says what it looks like, and leads nowhere."""
    return [
        Session((url,), (is_relevant,))
        for urls, is_relevant in ((relevant, True), (other, False))
        for url in urls
    ]


def visited(sessions: Iterable[Session]) -> dict[str, bool]:
    """Return every visited URL, in order of its first visit, with whether any session calls it relevant."""
    pages: dict[str, bool] = {}
    for session in sessions:
        for url, is_relevant in zip(session.urls, session.relevant, strict=True):
            pages[url] = is_relevant or pages.get(url, False)
    return pages


def page_names(urls: Iterable[str], led: Mapping[str, str]) -> dict[str, str]:
    """Return the one name of each page, by URL; `led`: where URLs redirect to."""
    known: dict[int | str, str] = {}
    names = {}
    for url in urls:
        keys = (identity(led.get(url, url)), identity(url))
        names[url] = next((known[key] for key in keys if key in known), url)
        for key in keys:
            known.setdefault(key, names[url])
    return names


def link_distances(sessions: Sequence[Session], farthest: int) -> dict[str, int]:
    """Return how many links lead from each visited page to the nearest relevant one: the level of its L.

    Over the links that all sessions followed, so that a page has one level wherever it stands. At most
    `farthest`, which pages that lead to no relevant one have as well.
    """
    pages = visited(sessions)
    sources: dict[str, list[str]] = {}
    for session in sessions:
        for source, target in session.steps:
            sources.setdefault(target, []).append(source)
    distances = {url: 0 for url, is_relevant in pages.items() if is_relevant}
    reached = list(distances)
    for distance in range(1, farthest):
        reached = [source for url in reached for source in sources.get(url, ()) if source not in distances]
        distances |= dict.fromkeys(reached, distance)
    return {url: distances.get(url, farthest) for url in pages}


def _parsed(line: str) -> Session | str:
    """Return the session of a line, or what is wrong with it and what would be right."""
    form = 'write {"urls": ["https://...", ...], "relevant": [false, ..., true]}'
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return f"is not JSON; {form}"
    if not isinstance(value, dict) or set(value) != {"urls", "relevant"}:
        return f"is no session; {form}"
    urls, relevant = value["urls"], value["relevant"]
    if not _is_list_of(str, urls) or not _is_list_of(bool, relevant):
        return f"urls or relevant is no list of the right kind; {form}"
    if not urls or len(urls) != len(relevant):
        return f"{len(urls)} urls and {len(relevant)} times relevant; give true or false for each of the urls"
    problem = next(filter(None, map(url_problem, urls)), None)
    return problem or Session(tuple(normalise(url) or url for url in urls), tuple(relevant))


def _is_list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
