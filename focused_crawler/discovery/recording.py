"""A person's browsing as sessions, in the file that training reads: the way to each page, and the marks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from focused_crawler.classify.hmm.sessions import FILE_NAME, MAX_BYTES, Session
from focused_crawler.page.url import normalise
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.topic.file import read_text
from focused_crawler.topic.topic import Topic

LONGEST = 100
MOST = 2_000
"""Pages of a session, and ways to pages that are recorded: scripts of a page can walk on for ever."""


class HistoryStep(NamedTuple):
    """An entry of a browser tab's history."""

    url: str
    is_link: bool  # a link of the page before led here; else it was typed, sent by a form, or the like


def way(before: Sequence[str], steps: Iterable[HistoryStep]) -> tuple[str, ...]:
    """Return the pages on the way to the last step, each reached by a link of the one before.

    `before`: the way to the page from which the tab was opened. What cannot be crawled (about:blank, a
    password in the URL) ends a way; what only changes the fragment is the same page.

    >>> from functools import partial
    >>> click, typed = partial(HistoryStep, is_link=True), partial(HistoryStep, is_link=False)
    >>> way(["http://a/"], [click("http://b/"), click("http://b/#x"), click("http://c/")])
    ('http://a/', 'http://b/', 'http://c/')
    >>> way(["http://a/"], [click("http://b/"), typed("http://c/")])
    ('http://c/',)
    """
    found = list(before)
    for step in steps:
        url = normalise(step.url)
        if url is None:
            found = []
        elif not found or found[-1] != url:
            found = [*found, url] if step.is_link and len(found) < LONGEST else [url]
    return tuple(found)


class Recording:
    """The sessions of a topic's file and those that are being recorded; written after every change."""

    def __init__(self, topic: Topic) -> None:
        """Read the file if it is there; raises TopicError where it cannot be read."""
        self.path = topic.folder / FILE_NAME
        self._written: list[str] = []  # lines of this recording in the file
        self._lines()
        self._ways: dict[tuple[str, ...], None] = {}
        self.pages: dict[str, bool] = {}  # in the order of the first visit, with whether they are relevant

    @property
    def is_full(self) -> bool:
        return len(self._ways) >= MOST

    @property
    def sessions(self) -> list[Session]:
        """Return the ways that go no further."""
        begun = {way[:end] for way in self._ways for end in range(1, len(way))}
        ends = [way for way in self._ways if way not in begun]
        return [Session(way, tuple(self.pages[url] for url in way)) for way in ends]

    def visit(self, way: tuple[str, ...]) -> bool:
        """Record the way to a page that is shown; return whether that is news. Raises TopicError."""
        if not way or way in self._ways or self.is_full:
            return False
        self._ways[way] = None
        for url in way:
            self.pages.setdefault(url, False)
        self._save()
        return True

    def mark(self, url: str, *, relevant: bool) -> bool:
        """Say of a visited page whether it is about the topic; return True. Raises TopicError."""
        self.pages[url] = relevant
        self._save()
        return True

    def _save(self) -> None:
        others, ours = [], Counter(self._written)
        for line in self._lines():
            if ours[line]:
                ours[line] -= 1  # once: an earlier recording may have the same
            else:
                others.append(line)
        rows = ({"urls": session.urls, "relevant": session.relevant} for session in self.sessions)
        self._written = list(map(json.dumps, rows))
        try:
            replace_file(self.path, "".join(f"{line}\n" for line in [*others, *self._written]).encode())
        except OSError as error:
            why = f"{place(self.path)} cannot be written ({error.strerror})"
            raise TopicError(f"{why}; free its folder or disk, and record again") from None

    def _lines(self) -> list[str]:
        """Return the lines of the file as it is now: others may write to it."""
        text = read_text(self.path, MAX_BYTES) if self.path.exists() else ""
        return [line for line in text.split("\n") if line.strip()]
