"""Strategies that change their mind about URLs that wait: what they know of each, when they look again."""

from __future__ import annotations

import io
import zipfile
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.strategy import LearningStrategy

PENDING, FETCHED, LOWERED = 0, 1, 2
"""States of a URL; LOWERED: pending, and the frontier has a priority for it that is too high."""

EVERY = 32
MOST_PAGES = 16
"""All is looked at again after the 32nd part of the pages so far, after 16 at most."""

SCANNED, RESCORED = 8_192, 512
"""URLs that are looked at in one part, and of these such as get a new priority."""
PARTS = 2
"""Parts a page: what is left waits for the next page, so that none holds the loop."""

LEAST_CHANGE = 0.002
"""A priority that changes by less stays as it is."""

_DAMAGE = (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile)


class Rescored(NamedTuple):
    """New priorities of URLs."""

    keys: NDArray[np.int64]  # see `page.url.url_key`
    priorities: NDArray[np.float64]  # [0, 1]


class RescoringStrategy(LearningStrategy):
    """Common part: `seen` has a row a URL, with its state and the priority that the frontier has for it.

    All that it does follows from the pages learnt and the calls of `rescored`, in their order: a crawl that
    goes on does both again, and is where it was.
    """

    seen: Table

    def __init__(self, **columns: NDArray[Any]) -> None:
        self.seen = Table(priority=np.empty(0, np.float32), state=np.empty(0, np.uint8), **columns)
        self._pages = 0  # learnt
        self._looked = 0  # of these, when all was looked at last
        self._at = -1  # row that is looked at next; -1: none is to be

    @abstractmethod
    def learn_from(self, features: bytes) -> None:
        """Take note of a fetched page; nothing, if it was."""

    @abstractmethod
    def score_from(self, features: bytes) -> list[float]:
        """Return what `score` does; ValueError for features that are none."""

    @abstractmethod
    def _begin(self) -> None:
        """Find out what has changed since the last time."""

    @abstractmethod
    def _stale(self, rows: slice) -> NDArray[np.bool_]:
        """Tell which of some rows may have another priority now."""

    @abstractmethod
    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        """Return what rows deserve now, in [0, 1]."""

    def rescored(self) -> Iterator[Rescored]:
        """Yield new priorities: called after each page, it does a part of what there is to do."""
        if self._at < 0 and self._pages - self._looked >= min(max(self._pages // EVERY, 1), MOST_PAGES):
            self._looked, self._at = self._pages, 0
            self._begin()
        for _ in range(PARTS):
            if self._at < 0:
                return
            rows = self._next_rows()
            if not len(rows):
                continue
            old, new = self.seen["priority"][rows], self._priorities(rows)
            moved = np.abs(new - old) >= LEAST_CHANGE
            rows, new = rows[moved], new[moved]
            self.seen["priority"][rows] = new
            if len(rows):
                yield Rescored(self.seen["key"][rows], new)

    def _next_rows(self) -> Rows:
        start, size = self._at, len(self.seen)
        part = slice(start, min(start + SCANNED, size))
        state = self.seen["state"][part]
        wanted = ((state == PENDING) & self._stale(part)) | (state == LOWERED)
        rows = np.flatnonzero(wanted).astype(np.int32) + start
        if len(rows) > RESCORED:
            rows = rows[:RESCORED]
            self._at = int(rows[-1]) + 1
        else:
            self._at = part.stop if part.stop < size else -1
        state = self.seen["state"]
        state[rows] = PENDING
        return rows

    def _publish(self, rows: Rows, new: NDArray[np.float64]) -> None:
        """Take note of priorities that are given to the frontier now, which keeps higher ones."""
        priority, state = self.seen["priority"], self.seen["state"]
        waiting = state[rows] != FETCHED
        is_lower = (state[rows] == PENDING) & (new < priority[rows] - LEAST_CHANGE)
        state[rows[is_lower]] = LOWERED
        is_higher = waiting & (new > priority[rows])
        priority[rows[is_higher]] = new[is_higher]

    def memory(self) -> bytes:
        """Return all that was learnt."""
        buffer = io.BytesIO()
        counts = np.array([self._pages, self._looked, self._at], np.int64)
        arrays: dict[str, Any] = {"counts": counts, **self._content()}
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        try:
            with np.load(io.BytesIO(memory), allow_pickle=False) as arrays:
                self._load(dict(arrays))
                self._pages, self._looked, self._at = arrays["counts"].tolist()
        except _DAMAGE as error:
            raise ValueError(f"it is damaged: {error}") from None

    def _content(self) -> dict[str, NDArray[Any]]:
        return {f"seen_{name}": column for name, column in self.seen.content().items()}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.seen.load(part_of(arrays, "seen_"))


def part_of(arrays: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
