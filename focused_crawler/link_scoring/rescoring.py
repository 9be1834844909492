"""Strategies that change their mind about URLs that wait: what they know of each, when they look again.

A URL far down the frontier is not taken soon, whatever is learnt of it: its new priority stays here, a number
in memory, until it or the one that the frontier has reaches the head, where URLs are taken. So what is
written follows what is fetched, and not how much waits. Of more than `MOST` URLs the poorest are forgotten
here: each keeps the priority that the frontier has.
"""

from __future__ import annotations

import io
import zipfile
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.head import Head
from focused_crawler.link_scoring.strategy import LearningStrategy
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key

PENDING, FETCHED, GIVEN_UP = 0, 1, 2
"""States of a URL; no page came of one that was given up."""

EVERY = 32
MOST_PAGES = 16
A_PAGE = 4_096
"""All is looked at again after the 32nd part of the pages so far, after 16 at most; after more only where
more than 65,536 URLs are known, so that in the mean no page pays for a look at more than `A_PAGE` of them."""

SCANNED, RESCORED, PUBLISHED = 65_536, 1_024, 256
"""URLs that are looked at after a page, of these such as are scored again, and such as the frontier is sent:
what is left waits for the next page, so that none holds the loop."""

MOST = 2**17
"""URLs that are known at once. Of more, three quarters of so many are kept."""
MOST_FETCHED = MOST // 8
"""Of these such as were fetched, the latest seen."""

LEAST_CHANGE = 0.01
"""A priority that changes by less stays as it is."""

_DAMAGE = (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile)


class Rescored(NamedTuple):
    """New priorities of URLs."""

    keys: NDArray[np.int64]  # see `page.url.url_key`
    priorities: NDArray[np.float64]  # [0, 1]


class LinkStanding(NamedTuple):
    """How a URL that waits stands."""

    deserved: float  # priority by all that was learnt
    sent: float  # priority that the frontier has


class GroupOutcome(NamedTuple):
    """What a group of links has brought."""

    group: str  # kind of links, in words
    pages: int
    relevance: float  # mean of the pages
    keys: list[int]  # of some of these pages, the latest last; see `page.url.url_key`
    name: str = ""  # which links they are; empty: not known
    more: float | None = None  # relevance to expect beyond that of others; None: the mean counts


class Holder(NamedTuple):
    """A link to a URL, as it is stored: groups are named by such."""

    page: str  # URL
    relevance: float  # of the page
    elements: str | None  # where it stands, as in `Page.places`; None: not stored
    anchor: str


class RescoringStrategy(LearningStrategy):
    """Common part: `seen` has a row a URL, with its state, and the priority that it deserves and that the
    frontier has.

    All that it does follows from the pages learnt and the calls of `rescored`, in their order: a crawl that
    goes on does both again, and is where it was.
    """

    seen: Table

    def __init__(self, **columns: NDArray[Any]) -> None:
        numbers = dict.fromkeys(("priority", "deserved"), np.empty(0, np.float32))
        self.seen = Table(**numbers, state=np.empty(0, np.uint8), **columns)
        self._pages = 0  # learnt
        self._looked = 0  # of these, when all was looked at last
        self._at = -1  # row that is looked at next; -1: none is to be
        self._head = Head()  # the frontier is sent nothing below it
        self._is_behind = False  # some were found to deserve less than the frontier was told
        self._is_doubted = self._sends_all = False  # the next time, this time: what it was sent, too
        self._pause = 1.0  # times the usual pages between looks; infinity: none, and nothing is forgotten

    @abstractmethod
    def features(self, page: Page, links: Sequence[Link]) -> bytes:
        """Return what is learnt from a page, and what these links are scored by."""

    @abstractmethod
    def learn_from(self, features: bytes) -> None:
        """Take note of a fetched page; nothing, if it was."""

    @abstractmethod
    def score_from(self, features: bytes) -> list[float]:
        """Return what `score` does; ValueError for features that are none."""

    def lesson(self, features: bytes) -> bytes:
        """Return the features: they say what the links deserve, too."""
        return features

    def learn_lesson(self, lesson: bytes) -> None:
        """Learn from features of a page, and take note that its links have their scores."""
        self.learn_from(lesson)
        self.score_from(lesson)

    @abstractmethod
    def _begin(self) -> bool:
        """Find out what has changed since the last time; tell whether anything has."""

    @abstractmethod
    def _stale(self, rows: slice) -> NDArray[np.bool_]:
        """Tell which of some rows may have another priority now."""

    @abstractmethod
    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        """Return what rows deserve now, in [0, 1]."""

    @abstractmethod
    def outcomes(self, url: str, holders: Sequence[Holder] = ()) -> list[GroupOutcome]:
        """Return what links like those to a URL have brought; for people to read.

        `holders`: the first links to it, in order of time.
        """

    @abstractmethod
    def parts_of(self, key: int) -> Parts:
        """Return what makes the priority of a URL that a link leads to, by what was learnt up to now."""

    def parts(self, page: Page, link: Link) -> Parts:
        return self.parts_of(url_key(link.url))

    def standing(self, key: int) -> LinkStanding | None:
        """Return how a URL stands that waits; None: it was fetched, or no link leads to it."""
        (row,) = self.seen.find(np.array([key], np.int64)).tolist()
        if row < 0 or self.seen["state"][row] != PENDING:
            return None
        return LinkStanding(float(self.seen["deserved"][row]), float(self.seen["priority"][row]))

    def give_up(self, key: int) -> bool:
        """Take note that a URL waits no more, though no page came of it; tell whether it did."""
        row = self.seen.find(np.array([key], np.int64))
        if row[0] < 0 or self.seen["state"][row[0]] != PENDING:
            return False
        self._end(row, GIVEN_UP)
        self.seen["deserved"][row] = self.seen["priority"][row] = 0.0
        return True

    def score_apart(self, page: Page, links: Sequence[Link]) -> list[float]:
        """Return what `score` does of links that may not be queued, and take note of none."""
        seen, size = self.seen, len(self.seen)
        rows = seen.find(np.array([url_key(link.url) for link in links], np.int64))
        rows = rows[rows >= 0]
        before = {name: column[rows] for name, column in seen.content().items()}
        head, is_behind = self._head.content(), self._is_behind
        seen["state"][rows] = PENDING  # what was fetched would be counted once more
        scores = self.score_from(self.features(page, links))
        seen.cut(size)
        for name, column in before.items():
            seen[name][rows] = column
        self._head.load(head)
        self._is_behind = is_behind
        return scores

    def rescored(self) -> Iterator[Rescored]:
        """Yield new priorities: called after each page, it does a part of what there is to do."""
        if self._at < 0 and self._pages - self._looked >= self._rest():
            self._looked = self._pages
            self._sends_all, self._is_doubted = self._is_doubted, False
            is_behind, self._is_behind = self._head.move() or self._is_behind, False
            if self._begin() or is_behind or self._sends_all:
                self._at = 0
        if self._at < 0:
            return
        part = slice(self._at, min(self._at + SCANNED, len(self.seen)))
        part = self._rescore(part)
        rows, part = self._unsent(part)
        self._at = part.stop if part.stop < len(self.seen) else -1
        if len(rows):
            new = self.seen["deserved"][rows]
            self._send(rows, new)
            yield Rescored(self.seen["key"][rows], new.astype(np.float64))

    def _rest(self) -> float:
        """Return after how many pages all is looked at again."""
        return self._pause * max(min(max(self._pages // EVERY, 1), MOST_PAGES), len(self.seen) // A_PAGE)

    def doubt(self) -> None:
        """Let the head be sent once more: of some URLs the frontier may not have what it was sent."""
        self._is_doubted = True

    def _rescore(self, part: slice) -> slice:
        """Find out what rows deserve now; return for which of them that is done."""
        rows = np.flatnonzero(self._stale(part) & (self.seen["state"][part] == PENDING)) + part.start
        if len(rows) > RESCORED:
            rows = rows[:RESCORED]
            part = slice(part.start, int(rows[-1]) + 1)
        if len(rows):
            self.seen["deserved"][rows] = self._priorities(rows)
        return part

    def _unsent(self, part: slice) -> tuple[Rows, slice]:
        """Return rows at the head whose priorities the frontier does not have, and what was looked at."""
        deserved, priority = self.seen["deserved"][part], self.seen["priority"][part]
        near = np.flatnonzero(np.maximum(deserved, priority) >= self._head.level)
        least = 0.0 if self._sends_all else LEAST_CHANGE
        is_apart = np.abs(deserved[near] - priority[near]) >= least
        rows = near[is_apart & (self.seen["state"][part][near] == PENDING)] + part.start
        if len(rows) > PUBLISHED:
            rows = rows[:PUBLISHED]
            part = slice(part.start, int(rows[-1]) + 1)
        return rows, part

    @property
    def _has_too_many(self) -> bool:
        return len(self.seen) > MOST

    def _forget(self) -> None:
        """Forget the poorest URLs that wait, and of the fetched ones those that were seen first."""
        size = len(self.seen)
        worth = np.maximum(self.seen["deserved"][:size], self.seen["priority"][:size])
        kept = self.seen["state"][:size] == FETCHED
        worth[kept] = -1.0
        kept[np.flatnonzero(kept)[:-MOST_FETCHED]] = False
        room = MOST * 3 // 4 - int(kept.sum())
        least = np.partition(worth, size - room)[size - room]
        kept |= worth > least
        equal = np.flatnonzero(worth == least)
        kept[equal[len(equal) - (MOST * 3 // 4 - int(kept.sum())) :]] = True
        self.seen.keep(kept)
        waiting = self.seen["state"][: len(self.seen)] == PENDING
        self._head.count(self.seen["priority"][: len(self.seen)][waiting])

    def _send(self, rows: Rows, new: NDArray[np.float32]) -> None:
        """Take note of the priorities that the frontier has from now on, of URLs that wait."""
        priority = self.seen["priority"]
        self._head.change(priority[rows], new)
        priority[rows] = new

    def _take(self, row: int) -> None:
        """Take note of a page that was fetched, and of the priority that led to it."""
        priority = float(self.seen["priority"][row])
        if priority:  # else no link led to it
            self._head.take(priority)
        self._end(np.array([row]))

    def _end(self, rows: Rows, end: int = FETCHED) -> None:
        """Take note that URLs wait no more, and of the state that they have."""
        state = self.seen["state"]
        self._head.drop(self.seen["priority"][rows[state[rows] == PENDING]])
        state[rows] = end

    def _publish(self, rows: Rows, new: NDArray[np.float64]) -> None:
        """Take note of priorities that are given to the frontier now, which keeps higher ones."""
        seen = self.seen
        rows, new = rows[waiting := seen["state"][rows] == PENDING], new[waiting]
        seen["deserved"][rows] = new
        self._is_behind |= bool((seen["priority"][rows] - seen["deserved"][rows] >= LEAST_CHANGE).any())
        self._send(rows, np.maximum(seen["priority"][rows], seen["deserved"][rows]))

    def memory(self) -> bytes:
        """Return all that was learnt."""
        buffer = io.BytesIO()
        counts = np.array([self._pages, self._looked, self._at, self._is_behind], np.int64)
        arrays: dict[str, Any] = {"counts": counts, **self._head.content(), **self._content()}
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        try:
            with np.load(io.BytesIO(memory), allow_pickle=False) as arrays:
                self._load(dict(arrays))
                self._pages, self._looked, self._at, is_behind = arrays["counts"].tolist()
                self._is_behind = bool(is_behind)
                self._head.load(arrays)
        except _DAMAGE as error:
            raise ValueError(f"it is damaged: {error}") from None

    def _content(self) -> dict[str, NDArray[Any]]:
        return {f"seen_{name}": column for name, column in self.seen.content().items()}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.seen.load(part_of(arrays, "seen_"))


def part_of(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
