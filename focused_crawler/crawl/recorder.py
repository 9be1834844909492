"""Records of visits, for one writer or several. Plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.link_scoring.base import HeldLink
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.pages import PageStore


class Recorder(Protocol):
    """Records visits; `write` gives the time."""

    def write(self, entry: Callable[[], object]) -> None:
        """Call `entry` in the transaction that ends a visit, or before."""

    def expect(self, item: PageItem) -> None:
        """Record that the next transaction stores a page; set its run and judge."""

    def has(self, url: str) -> bool:
        """Tell whether the page at a URL is stored."""

    def page(self, item: PageItem) -> bool:
        """Store a page, in that transaction; False: it is not new, or not wanted any more."""

    def links(self, source: str, links: Sequence[ScoredLink], first: int) -> None:
        """Store links of a page with their anchors and scores, followed or not, from number `first` on."""

    def holds(self, scores: Mapping[str, float], *, is_new: bool) -> Sequence[HeldLink]:
        """Return which links of a page, with their scores, others hold, too; count it if it `is_new`."""

    def learnt(self, url: str, content: bytes) -> None:
        """Store what the strategy learnt from a page, in that transaction."""

    def failure(self, url: str, reason: str) -> None:
        """Store that a URL gave no page."""

    def decision(self, decision: str, rule: str, **about: str) -> None:
        """Store what was decided: see `PageStore.record_decision`."""

    def known(self) -> None:
        """Count a page that an earlier crawl has."""

    def listed(self) -> None:
        """Count a sitemap or feed that was read."""

    def ended(self, *, is_alone: bool, at_once: bool) -> None:
        """Commit if enough is pending, or `at_once`; `is_alone`: nothing is under way that could join."""


class CrawlRecorder:
    """Writes into the crawl's database, by its journal: the only writer of what a page leaves behind.

    Links go into the frontier before their page is recorded; the page, the end of its lease and the rows of
    its links are committed together, with those of other pages where many end at once. So after a crash a
    page is wholly there, or will be fetched again.
    """

    def __init__(
        self,
        journal: Journal,
        store: PageStore,
        coordinator: Coordinator,
        run: int,
        *,
        info: RunInfo,
        learnt: LearntPages,
    ) -> None:
        """`run`: the number of the run that it writes for; `info`: names its judge, whenever it changes."""
        self._learnt, self._info = learnt, info
        self._journal, self._store, self._coordinator, self._run = journal, store, coordinator, run
        self.write = journal.write

    def expect(self, item: PageItem) -> None:
        item.run, item.judge = self._run, self._info.judge
        self._coordinator.expect(item)

    def has(self, url: str) -> bool:
        return self._store.has_page(url)

    def page(self, item: PageItem) -> bool:
        if not self._coordinator.admits(item):
            return False
        is_new = self._store.record_page(item)
        self._coordinator.recorded(pages=is_new)
        return is_new

    def links(self, source: str, links: Sequence[ScoredLink], first: int) -> None:
        self._store.record_links(source, links, first)

    def holds(self, scores: Mapping[str, float], *, is_new: bool) -> Sequence[HeldLink]:
        return [HeldLink(*held) for held in self._store.held(scores, is_new=is_new)]

    def learnt(self, url: str, content: bytes) -> None:
        self._learnt.add(url, content)

    def failure(self, url: str, reason: str) -> None:
        self._journal.write(partial(self._store.record_failure, url, reason, self._run))
        self._coordinator.recorded(failures=1)

    def decision(self, decision: str, rule: str, **about: str) -> None:
        self._journal.write(partial(self._store.record_decision, decision, rule, run=self._run, **about))

    def known(self) -> None:
        self._journal.write(partial(self._store.count, known=1))

    def listed(self) -> None:
        self._journal.write(partial(self._store.count, listings=1))

    def ended(self, *, is_alone: bool, at_once: bool) -> None:
        self._journal.lease_ended(is_alone=is_alone, at_once=at_once)
