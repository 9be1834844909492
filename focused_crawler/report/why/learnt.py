"""What a strategy that learns knows of a URL: how its priority moved, and what links like its own brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.strategy_record import recall
from focused_crawler.link_scoring.rescoring import LinkStanding, RescoringStrategy
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.rows import urls_of

MOST_MOVES = 12
"""Of these the first, and the latest."""

LEAST = 0.0005
"""Priorities nearer than this are the same: the shown digits are equal."""

_MEMORY = "SELECT content FROM memory"
_PAGE = "SELECT url FROM pages WHERE position = ?"


class Move(NamedTuple):
    """A new priority of a URL that waits."""

    position: int | None  # of the page that it came after, in order of recording; None: one before these
    page: str
    deserved: float  # by what was learnt up to then
    sent: float  # what the frontier had then: the same near its head


class Brought(NamedTuple):
    """What links like those to a URL have brought."""

    group: str
    pages: int
    relevance: float  # mean
    urls: Sequence[str]  # of some of the pages, the latest last


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt of a URL."""

    moves: Sequence[Move] = ()
    brought: Sequence[Brought] = ()


def recall_for(analyst: Analyst, database: CrawlDatabase, url: str) -> Learnt:
    """Give the strategy back what it had learnt in a crawl, and return what it knows of a URL by that."""
    rows = database.rows(_MEMORY)
    memory = bytes(rows[0][0]) if rows else None
    strategy = analyst.order.scorer
    if not isinstance(strategy, RescoringStrategy):
        recall(analyst, LearntPages(database), memory)
        return Learnt()
    key, moves = url_key(url), list[tuple[int | None, LinkStanding]]()

    def look(position: int | None) -> None:
        now = strategy.standing(key)
        if now is not None and (not moves or _differ(now, moves[-1][1])):
            moves.append((position, now))

    recall(analyst, LearntPages(database), memory, look)
    shown = moves if len(moves) <= MOST_MOVES else [moves[0], *moves[1 - MOST_MOVES :]]
    return Learnt([_move(database, *one) for one in shown], list(_brought(strategy, database, key)))


def _differ(one: LinkStanding, other: LinkStanding) -> bool:
    return any(abs(a - b) >= LEAST for a, b in zip(one, other, strict=True))


def _move(database: CrawlDatabase, position: int | None, standing: LinkStanding) -> Move:
    rows = [] if position is None else database.rows(_PAGE, (position,))
    return Move(position, rows[0][0] if rows else "", *standing)


def _brought(strategy: RescoringStrategy, database: CrawlDatabase, key: int) -> Iterator[Brought]:
    for group, pages, relevance, keys in strategy.outcomes(key):
        urls = urls_of(database, keys)
        yield Brought(group, pages, relevance, [urls[key] for key in keys if key in urls])
