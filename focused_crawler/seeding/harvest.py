"""The harvesting phase of Badia et al. 2006: many small searches, and the first few results of each."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from focused_crawler.errors import SearchError
from focused_crawler.search.base import SearchProvider, SearchResult
from focused_crawler.seeding.answers import Answers

MOST_FAILURES = 5
"""So many searches may fail in succession; then there is no use in the next."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, the best first."""

    query: str
    results: tuple[SearchResult, ...]
    is_kept: bool = False  # from earlier today, not asked for again


@dataclass(slots=True)
class Harvest:
    """The answers to a number of searches, in the order asked."""

    answers: list[Answer] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)  # query, why it has no answer
    ended: str = ""  # why the rest was not asked for; empty: all was


def harvest(
    provider: SearchProvider,
    searches: Iterable[str],
    top: int,
    kept: Answers | None = None,
) -> Harvest:
    """Ask for the `top` results of each search.

    A live provider is asked at its own pace (`pause_seconds`, if it has one). An error that is final, or one
    after the other, ends it with what was found so far.
    """
    found = Harvest()
    pace = _Pace(getattr(provider, "pause_seconds", 0.0))
    in_succession = 0
    for query in searches:
        try:
            found.answers.append(_answer(provider, query, top, kept, pace))
            in_succession = 0
        except SearchError as error:
            found.failures.append((query, str(error)))
            in_succession += 1
            if error.is_final or in_succession == MOST_FAILURES:
                found.ended = str(error)
                break
    return found


def _answer(provider: SearchProvider, query: str, top: int, kept: Answers | None, pace: _Pace) -> Answer:
    if kept is not None and (known := kept.get(query, top)) is not None:
        return Answer(query, tuple(known), is_kept=True)
    pace.wait()
    results = provider.search(query, top)[:top]
    if kept is not None:
        kept.keep(query, top, results)
    return Answer(query, tuple(results))


class _Pace:
    """So many seconds from one question to the next."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._asked = -seconds

    def wait(self) -> None:
        time.sleep(max(0.0, self._asked + self._seconds - time.monotonic()))
        self._asked = time.monotonic()
