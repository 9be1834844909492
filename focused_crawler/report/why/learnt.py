"""What a strategy that learns knows of a URL: how its priority moved, and what links like its own brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.strategy_record import recall
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.rescoring import GroupOutcome, Holder, LinkStanding, RescoringStrategy
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.store.rows import urls_of

MOST_MOVES = 12
"""Of these the first, and the latest."""

LEAST = 0.0005
"""Priorities nearer than this are the same: the shown digits are equal."""

MOST_HOLDERS = 50
"""First links to a URL, by which its groups are named: it belongs to few, mostly by the first of them."""

_MEMORY = "SELECT content, pages FROM memory"
_PAGE = "SELECT url FROM pages WHERE position = ?"
_PRIORITY = "SELECT priority FROM urls WHERE key = ?"
_HOLDERS = """
SELECT p.position, p.url, p.relevance, l.number, l.anchor
FROM links AS l JOIN urls AS s ON s.id = l.source JOIN pages AS p ON p.key = s.key
WHERE l.target = (SELECT id FROM urls WHERE key = ?) ORDER BY p.position, l.number LIMIT ?
"""


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
    more: float | None = None  # relevance to expect beyond that of others; None: the mean counts


class Reckoned(NamedTuple):
    """A priority as the strategy came to it, when it had learnt from so many pages."""

    pages: int
    deserved: float
    sent: float  # to the frontier: the same, but of a URL that the strategy chose to come next
    parts: Parts
    outcomes: Sequence[GroupOutcome]
    is_late: bool  # it came to it earlier, by pages that are not stored one by one any more


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt of a URL."""

    pages: int | None = None  # that this was learnt from; None: the strategy does not learn
    moves: Sequence[Move] = ()
    brought: Sequence[Brought] = ()
    reckoned: Reckoned | None = None  # the priority that the frontier has, or had until the URL was taken


def recall_for(analyst: Analyst, database: CrawlDatabase, url: str) -> Learnt:
    """Give the strategy back what it had learnt in a crawl, and return what it knows of a URL by that.

    Of one that waits no more: what it knew when the frontier got the priority with which that was taken.
    """
    rows = database.rows(_MEMORY)
    memory, pages = (bytes(rows[0][0]), int(rows[0][1])) if rows else (None, 0)
    strategy = analyst.order.scorer
    if not isinstance(strategy, RescoringStrategy):
        recall(analyst, LearntPages(database), memory)
        return Learnt(pages if analyst.order.learns else None)
    watch = _Watch(strategy, url, list(_holders(database, url)), pages)
    recall(analyst, LearntPages(database), memory, watch.look)
    ((priority,),) = database.rows(_PRIORITY, (url_key(url),)) or [(None,)]
    reckoned = watch.reckoned_as(analyst, priority)
    outcomes = strategy.outcomes(url, watch.holders) if reckoned is None else reckoned.outcomes
    return Learnt(
        watch.pages if reckoned is None else reckoned.pages,
        [_move(database, *one) for one in _shown(watch.moves)],
        list(_brought(database, outcomes)),
        reckoned,
    )


@dataclass
class _Watch:
    """Follows a URL that waits, as the strategy learns."""

    strategy: RescoringStrategy
    url: str
    holders: Sequence[Holder]
    pages: int  # learnt
    moves: list[tuple[int | None, LinkStanding]] = field(default_factory=list)
    _latest: Reckoned | None = None  # what it deserves
    _sent: list[Reckoned] = field(default_factory=list)  # what the frontier had, one after the other

    def look(self, position: int | None) -> None:
        """Take note of what has changed; called after each page, with its position."""
        self.pages = self.pages if position is None else position
        now = self.strategy.standing(url_key(self.url))
        if now is None:
            return
        if not self.moves or _differ(now, self.moves[-1][1]):
            self.moves.append((position, now))
        if self._latest is None or now.deserved != self._latest.deserved:
            parts = self.strategy.parts_of(url_key(self.url))
            outcomes = self.strategy.outcomes(self.url, self.holders)
            self._latest = Reckoned(self.pages, *now, parts, outcomes, position is None)
        if not self._sent or now.sent != self._sent[-1].sent:
            self._sent.append(self._latest._replace(sent=now.sent))

    def reckoned_as(self, analyst: Analyst, priority: float | None) -> Reckoned | None:
        """Return what made a priority of the frontier, the last one where none is it; None: it never waited.

        What the strategy sent after the URL was handed out came too late.
        """
        for one in reversed(self._sent):
            (sent,) = analyst.order.corrected([self.url], [one.sent])
            if sent is not None and priority is not None and abs(sent - priority) < LEAST:
                return one
        return self._sent[-1] if self._sent else None


def _holders(database: CrawlDatabase, url: str) -> Iterator[Holder]:
    rows = database.rows(_HOLDERS, (url_key(url), MOST_HOLDERS))
    texts = PageTexts(database).of({position for position, *_ in rows})
    places = {text.position: text.kept.places for text in texts}
    for position, page, relevance, number, anchor in rows:
        elements = places.get(position, ())[number : number + 1]
        yield Holder(page, relevance, elements[0] if elements else None, anchor)


def _shown(moves: Sequence[tuple[int | None, LinkStanding]]) -> Sequence[tuple[int | None, LinkStanding]]:
    return moves if len(moves) <= MOST_MOVES else [moves[0], *moves[1 - MOST_MOVES :]]


def _differ(one: LinkStanding, other: LinkStanding) -> bool:
    return any(abs(a - b) >= LEAST for a, b in zip(one, other, strict=True))


def _move(database: CrawlDatabase, position: int | None, standing: LinkStanding) -> Move:
    rows = [] if position is None else database.rows(_PAGE, (position,))
    return Move(position, rows[0][0] if rows else "", *standing)


def _brought(database: CrawlDatabase, outcomes: Sequence[GroupOutcome]) -> Iterator[Brought]:
    for kind, pages, relevance, keys, name, more in outcomes:
        urls = urls_of(database, keys)
        yield Brought(name or kind, pages, relevance, [urls[key] for key in keys if key in urls], more)
