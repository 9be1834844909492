"""A crawl under a new model: its recorded pages judged anew, its links that wait scored anew.

Pages are read from their stored texts, links from their anchors, as the crawl kept them: blocks and the words
around a link are lost there, so that a strategy that goes by these sees each page as one block. One that
learns has learnt from these pages alone then, and knows anew what links bring; one that changes its mind does
so after each of them, as in the crawl.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import chain, repeat
from math import isclose
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.judging import TextVerdict, check_texts, rejudge
from focused_crawler.frontier.base import Candidate, Frontier
from focused_crawler.frontier.transitions import QUEUED
from focused_crawler.link_scoring.base import HeldLink
from focused_crawler.page.model import Link, Page, place_of
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.page_texts import PageText, PageTexts
from focused_crawler.store.pages import PageStore
from focused_crawler.store.rows import StrategyMemory
from focused_crawler.store.schema import State

_PAGES_AT_ONCE, _URLS_AT_ONCE = 20, 100
_ROUNDING = 1e-6
"""Share of a priority that is no other one: strategies keep theirs in less room than the frontier."""

_RECORDED = """
SELECT position, is_relevant, duplicate_of IS NOT NULL FROM pages WHERE position > ? ORDER BY position LIMIT ?
"""
_PAGE = """
SELECT page.id, pages.depth, requested_url, asked.path FROM pages JOIN urls AS page ON page.key = pages.key
LEFT JOIN urls AS asked ON asked.key = coalesce(requested_key, pages.key) WHERE position = ?
"""
_LINKS = """
SELECT number, url, anchor, score, state, id, parent, path FROM links JOIN urls ON id = target
WHERE source = ? ORDER BY number
"""
_NOTE = "UPDATE urls SET path = ? WHERE id = ?"
_SCORE = "UPDATE links SET score = ? WHERE source = ? AND number = ?"
# A start page has no parent; what somebody ordered stays first, what a hub has raised stays raised until hubs
# are rated again, what was lowered stays behind.
_WAIT = """
SELECT id, url, priority, max(best), sum(best), count(best) FROM (
    SELECT u.id, u.url, u.priority, l.source, max(l.score) AS best
    FROM urls AS u JOIN links AS l ON l.target = u.id
    WHERE u.id > ? AND u.id <= ? AND u.state IN (1, 2) AND u.parent IS NOT NULL
      AND NOT EXISTS (
          SELECT 1 FROM decisions WHERE decisions.url = u.id AND decision IN ('raised', 'ordered'))
      AND NOT EXISTS (SELECT 1 FROM lowered WHERE lowered.key = u.key)
    GROUP BY u.id, u.url, u.priority, l.source) AS held
GROUP BY id, url, priority ORDER BY id
"""
_END = "SELECT max(id) FROM (SELECT id FROM urls WHERE id > ? AND state IN (1, 2) ORDER BY id LIMIT ?) AS a"
# What no page is learnt of: each query with what its first column begins after.
_NOT_LEARNT = {
    "SELECT key, key FROM failures WHERE key > ? ORDER BY key LIMIT ?": -(2**63),
    """
    SELECT position, key FROM pages
    WHERE position > ? AND NOT EXISTS (SELECT 1 FROM page_texts WHERE page = position)
    ORDER BY position LIMIT ?
    """: 0,
}
_FORGET = "DELETE FROM learnt"
_PLACE = "UPDATE pages SET category = ?, log_rd = ? WHERE position = ?"
_HELD = "UPDATE urls SET holders = ?, held_total = ? WHERE id = ?"


class _Held(NamedTuple):
    """A URL that waits, with the best score that it has on each page which holds a link to it."""

    id: int
    url: str
    priority: float
    best: float | None  # None: no link to it is to be followed any more
    total: float
    pages: int


class _Linked(NamedTuple):
    """A link of a page, with the URL that it leads to."""

    number: int
    url: str
    anchor: str
    score: float | None
    state: int
    id: int
    parent: int | None
    path: bytes | None


class Rejudged(NamedTuple):
    """What became of a crawl."""

    judge: str  # see `store.judges`
    pages: int  # judged anew
    gained: int  # now relevant, and were not
    lost: int
    urls: int  # of those that wait, how many have another priority

    def __str__(self) -> str:
        return (
            f"{plural(self.pages, 'page')} judged by {self.judge}: {self.gained:,} more relevant,"
            f" {self.lost:,} fewer; another priority for {plural(self.urls, 'URL')} in the frontier"
        )


class Handover:
    """Does it in parts, each of which may be committed; to do all of it twice is to do it once."""

    def __init__(
        self,
        analyst: Analyst,
        database: CrawlDatabase,
        store: PageStore,
        frontier: Frontier | None,
        last: int | None = None,
    ) -> None:
        """`analyst`: with the new model, and one that nobody crawls with, as it learns from the pages here.

        `frontier`: None leaves the links as they are. `last`: position of the last page to be judged; those
        after it were judged by the new model. CrawlError where the crawl stored no texts.
        """
        check_texts(database)
        self._analyst, self._database, self._store, self._frontier = analyst, database, store, frontier
        self._last = last

    @property
    def pages(self) -> int:
        """Return how many pages are to be judged."""
        ((pages,),) = self._database.rows("SELECT count(*) FROM pages")
        return int(pages if self._last is None else min(pages, self._last))

    def parts(self) -> Generator[TextVerdict | None, None, Rejudged]:
        """Yield each page's verdict, then None now and then: a few milliseconds each."""
        pages = gained = lost = urls = 0
        for position, was, is_copy, text in self._recorded():
            page = None if text is None else self._judge(text)
            is_relevant = page is not None and page.is_relevant and not is_copy
            verdict = TextVerdict(position, page.relevance if page else 0.0, is_relevant, was)
            rejudge(self._database, self._store, [verdict])
            if page is not None and page.focus is not None:
                self._database.execute(_PLACE, (page.focus.category, page.focus.log_rd, position))
            pages += 1
            gained += is_relevant > was
            lost += is_relevant < was
            if text is not None and page is not None and self._frontier is not None:
                self._score_links(text, page, self._frontier)
            yield verdict
        if self._frontier is not None:
            for moved in self._reprioritised(self._frontier):
                urls += moved
                yield None
            yield from self._remembering()
        outcome = Rejudged(self._analyst.model.judge_name, pages, gained, lost, urls)
        self._store.record_decision("judged", outcome.judge, detail=str(outcome))
        return outcome

    def learning(self) -> Iterator[int]:
        """Teach the strategy all pages anew as they were judged; yield positions, and go on with the last."""
        assert self._frontier is not None
        position = 0
        for position, *_, text in self._recorded():
            if text is not None:
                self._score_links(text, self._judge(text, text.relevance), self._frontier)
            yield position
        for _ in self._reprioritised(self._frontier):
            yield position
        for _ in self._remembering():
            yield position

    def _recorded(self) -> Iterator[tuple[int, bool, bool, PageText | None]]:
        """Yield position, relevance so far, being a copy and text of all pages, in order."""
        texts = PageTexts(self._database)
        for rows in self._database.chunks(_RECORDED, size=_PAGES_AT_ONCE):
            found = {text.position: text for text in texts.of([position for position, *_ in rows])}
            for position, was, is_copy in rows:
                if self._last is None or position <= self._last:
                    yield position, bool(was), bool(is_copy), found.get(position)

    def _judge(self, text: PageText, relevance: float | None = None) -> Page:
        analyst = self._analyst
        page = text.page(analyst.analyzer)
        analyst.judge(page, analyst.model.classifier.relevance(page) if relevance is None else relevance)
        return page

    def _score_links(self, text: PageText, page: Page, frontier: Frontier) -> None:
        """Give the links of a page that wait new scores, and queue those that are to be followed now."""
        found = self._database.rows(_PAGE, (text.position,))
        if not found:
            return
        source, page.depth, page.asked, page.path = found[0]  # that of a page before may be another now
        order, rows = self._analyst.order, [_Linked(*row) for row in self._database.rows(_LINKS, (source,))]
        waits = any(to.state in QUEUED or (to.state == State.SEEN and to.score is None) for to in rows)
        if not waits and not order.learns and not order.hands_on:
            return
        terms = self._analyst.analyzer.terms
        page.places = {place_of(elements): elements for elements in text.kept.places}
        stands = chain(map(place_of, text.kept.places), repeat(0))
        page.links = [
            Link(to.url, to.anchor, terms(to.anchor), [], 0, place=place)
            for to, place in zip(rows, stands, strict=False)
        ]
        scores, note = self._scores(page)
        if note is not None:
            noted = [(note, to.id) for to in rows if to.parent == source and to.path != note]
            self._database.executemany(_NOTE, noted)
        changed, new = [], []
        for (number, url, _, old, state, *_), score in zip(rows, scores, strict=True):
            if state == State.SEEN and old is None and score is not None:
                new.append(Candidate(url, score, page.depth + 1, page.url, note))
            elif state not in QUEUED or score == old:
                continue
            changed.append((score, source, number))
        self._database.executemany(_SCORE, changed)
        frontier.add(new)

    def _scores(self, page: Page) -> tuple[Sequence[float | None], bytes | None]:
        """Return the scores of a page's links, and what all of them carry."""
        order = self._analyst.order
        try:
            scores, note = order.scores(page), order.note(page)
            for _ in order.rescored():  # `order.sent` has what it makes of each
                pass
        except Exception as error:
            raise CrawlError(
                f"strategy {order.strategy} failed to score the links of {page.url} again"
                f" ({type(error).__name__}: {error}); fix it and give the same command again"
            ) from error
        return scores, note

    def _reprioritised(self, frontier: Frontier) -> Iterator[int]:
        """Give what waits the best of its new scores, or what the strategy makes of them; yield how many."""
        database, last = self._database, 0
        while (end := database.rows(_END, (last, _URLS_AT_ONCE))[0][0]) is not None:
            new: dict[str, float] = {}
            moved = 0
            for held in map(_Held._make, database.rows(_WAIT, (last, end))):
                score = self._priority(held)
                if score != held.priority:
                    new[held.url] = score
                    moved += not isclose(score, held.priority, rel_tol=_ROUNDING)
            frontier.reprioritise(new)
            yield moved
            last = end

    def _remembering(self) -> Iterator[None]:
        """Store what the strategy has learnt anew in the place of what it had, which would undo all this."""
        database, order = self._database, self._analyst.order
        for query, first in _NOT_LEARNT.items():
            for ended in database.chunks(query, (first,), _URLS_AT_ONCE):
                for _, key in ended:
                    order.give_up(key)
                yield None
        if self._last is not None and order.rescores:  # pages that have come meanwhile
            for _, learnt in LearntPages(database).contents(self._last):
                order.learn_elsewhere(learnt)
                yield None
        StrategyMemory(database, order.memory, self.pages).save(self.pages)
        database.execute(_FORGET)

    def _priority(self, held: _Held) -> float:
        order = self._analyst.order
        if (sent := order.sent(held.url)) is not None:
            return sent
        if order.rescore is None or not held.pages:
            return held.best or 0.0
        self._database.execute(_HELD, (held.pages, held.total, held.id))
        if held.pages == 1:
            return held.total
        return order.rescore([HeldLink(held.url, held.total, held.pages)])[0]
