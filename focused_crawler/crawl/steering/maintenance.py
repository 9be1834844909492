"""Maintenance: a share of what a crawl fetches goes to pages it has (Chakrabarti et al. 1999, section 3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol

from focused_crawler.crawl.steering.revisit_store import KnownPage, Outcome, RevisitStore, Validators
from focused_crawler.crawl.steering.revisits import (
    ChangeRates,
    Observation,
    Revisitable,
    RevisitChoice,
    choose,
)
from focused_crawler.frontier.base import Frontier
from focused_crawler.page.url import host_of
from focused_crawler.store.item import PageItem

REST = 86400.0
"""Seconds that a page is left alone that was revisited in this run; those of earlier runs come at once."""

LOOK_AGAIN = 600.0
"""Seconds until the pages are gone through again, after there were none left to choose."""

FEWEST, SHARE = 64, 0.01
"""So many pages are chosen at a time, or that share of all: all of them have to be read to choose."""

MOST_ANNOUNCED = 1_000
"""Pages that wait because a sitemap says that they changed."""

BLOCKED = 4
"""They are chosen anew after this part of them, too, where all hosts of those left are busy."""


class InFlight(Protocol):
    """A visit under way."""

    revisit: KnownPage | None

    @property
    def url(self) -> str:
        """Return the frontier's URL."""


def at_once(write: Callable[[], object]) -> None:
    """Call a write: the caller's transaction has begun."""
    write()


class Maintenance:
    """Queues revisits in step with the share, and writes down what comes of each.

    A revisit is a lease like any other: the frontier sees to politeness, tries and crashes. What is queued
    goes first, so what waits does so for its host. Meanwhile another host's is queued: what waits is no part
    of the share, and a host has one that waits. Where nothing new is left to fetch, what may still be spent
    goes to revisits, whatever the share, of all hosts that may be asked at a time. Sitemaps that were read by
    an earlier run are read again, and what has changed since its last visit, as they say, comes first.
    """

    def __init__(
        self,
        share: float,
        store: RevisitStore,
        frontier: Frontier,
        *,
        pages: int,
        run: int,
        started: float,
        per_host: int | None = None,
        write: Callable[[Callable[[], object]], object] = at_once,
        workers: Callable[[], int | None] = lambda: None,
        claims: Callable[[], int] = lambda: 0,
    ) -> None:
        """`pages` were recorded as the run began; `started`: when it did, or the first of those at work with
        it, in seconds since the epoch; `per_host`: see `Rules`.

        `write`: what calls a write in its transaction. `workers`: how many share the crawl, each its hosts.
        `claims`: how often such hosts came here.
        """
        self._write, self._workers, self._claims = write, workers, claims
        self._share = share
        self._store = store
        self._frontier = frontier
        self._run, self._started = run, started
        self._per_host = per_host or math.inf
        self._at_start = pages
        self._pages = pages
        self._is_on = share > 0 or (pages > 0 and bool(store.not_done()))
        self._chosen = RevisitChoice([], [])
        self._announced: dict[int, KnownPage] = {}  # pages that a sitemap says have changed since
        self._sitemaps = store.sitemaps() if share and pages else []  # to be read again in this run
        self._waiting: set[str] = set()  # hosts with a revisit that is queued
        self._queued = store.queued() if share and pages else {}  # page -> host; those tried again, too
        self._taken = 0  # of those chosen
        self._visited: set[int] = set()  # pages, since these were chosen
        self._under_way: set[int] = set()  # pages, until what came of them is written
        self._choose_at = 0.0
        self._claimed = 0  # claims at the last choice
        self._rates = ChangeRates()
        self.outcomes: Counter[str] = Counter()  # of this run
        if share:
            for host, visit in store.visits():
                self._rates.record(host, visit)

    @property
    def done(self) -> int:
        """Return the number of revisits in this run."""
        return self.outcomes.total()

    def queue(self, now: float, pages: int, in_flight: Collection[InFlight]) -> None:
        """Queue what the share lacks, when `pages` are recorded and some are in flight."""
        if not self._share:
            return
        self._pages = pages
        if self._sitemaps:
            self._frontier.again(link for link in self._sitemaps if not self._is_elsewhere(link.url))
            self._sitemaps = []
        done = self.done + sum(visit.revisit is not None for visit in in_flight)
        fetches = (pages - self._at_start) / (self._workers() or 1) + self.done + len(in_flight)
        wanted = self._share * (fetches + 1) - done
        if wanted <= 0 and not self._is_idle(now, in_flight):
            return
        asked = Counter(host_of(visit.url) for visit in in_flight)
        busy = self._waiting.union(host for host, visits in asked.items() if visits >= self._per_host)
        for _ in range(FEWEST):
            is_wanted = wanted > 0 or self._is_idle(now, in_flight)
            page = self._next(now, busy) if is_wanted else None
            if page is None:
                return
            if self._frontier.again([self._store.candidate(page.page)]):
                self._queued[page.page] = page.host
                self._under_way.add(page.page)
                self._waiting.add(page.host)
                busy.add(page.host)
                wanted -= 1

    def _is_idle(self, now: float, in_flight: Collection[InFlight]) -> bool:
        """Tell whether nothing new is under way or queued, and no revisit that is may be asked for now."""
        if len(self._frontier) > len(self._queued) or any(visit.revisit is None for visit in in_flight):
            return False
        if self._workers() is not None:  # others do not say how theirs end
            elsewhere = self._frontier.is_elsewhere
            self._queued = {page: host for page, host in self._queued.items() if not elsewhere(host)}
            if len(self._frontier) > len(self._queued):
                return False
        return not self._frontier.is_ready(now)

    def _is_due(self, page: Revisitable) -> bool:
        return page.page not in self._under_way and not self._frontier.is_elsewhere(page.host)

    def _is_elsewhere(self, url: str) -> bool:
        return self._frontier.is_elsewhere(host_of(url))

    def announce(self, url: str, changed_at: float, now: float) -> None:
        """Take in when a sitemap says that a page changed: after its last visit, it is revisited first."""
        if not self._share or changed_at > now or len(self._announced) >= MOST_ANNOUNCED:
            return
        page = self._store.known(url)
        if page is not None and page.seen_at < changed_at:
            self._announced[page.page] = page

    def begin(self, url: str) -> KnownPage | None:
        """Return the page of a URL that was taken if that is recorded, so that its visit is a revisit."""
        page = self.known(url)
        if page is not None:
            self._waiting.discard(page.host)
            self._queued.pop(page.page, None)
        return page

    def retried(self, page: KnownPage) -> None:
        """Take note that a revisit found no page yet, and is queued again."""
        self._queued[page.page] = page.host

    def closed(self, host: str) -> None:
        """Take note that nothing more is asked of a host: what was queued of it is no more."""
        self._queued = {page: its for page, its in self._queued.items() if its != host}

    def known(self, url: str) -> KnownPage | None:
        """Return the page of a URL if that is recorded, so that fetching it is a revisit."""
        return self._store.known(url) if self._is_on else None

    def unchanged(self, page: KnownPage, at: float, validators: Validators, links: int | None = None) -> None:
        """End a revisit whose page has its old text; `links`: how many it has, if it was sent."""
        self._end(page, at, Outcome.UNCHANGED)
        self._record(page, partial(self._store.unchanged, page, at, self._run, validators, links))

    def changed(self, page: KnownPage, at: float, found: PageItem) -> None:
        """End a revisit that found another text."""
        self._end(page, at, Outcome.CHANGED)
        self._record(page, partial(self._store.changed, page, at, self._run, found))

    def missed(self, page: KnownPage, at: float, *, is_gone: bool) -> None:
        """End a revisit that found no page."""
        self._end(page, at, Outcome.GONE if is_gone else Outcome.FAILED)
        self._record(page, partial(self._store.missed, page, at, self._run, is_gone=is_gone))

    def _record(self, page: KnownPage, write: Callable[[], object]) -> None:
        """Write what came of a revisit; until then the database has the page as it was before."""

        def written() -> None:
            write()
            self._under_way.discard(page.page)

        self._under_way.add(page.page)
        self._visited.add(page.page)
        self._write(written)

    def _end(self, page: KnownPage, at: float, outcome: Outcome) -> None:
        self.outcomes[outcome.value] += 1
        if outcome is not Outcome.FAILED:
            was_gone, is_gone = page.gone_at is not None, outcome is Outcome.GONE
            is_changed = outcome is Outcome.CHANGED or was_gone != is_gone
            self._rates.record(page.host, Observation(max(0.0, at - page.seen_at), is_changed))

    def _next(self, now: float, busy: Collection[str]) -> Revisitable | KnownPage | None:
        """Return the page with most to gain of a host that is not busy, None if there is none now."""
        for number, known in self._announced.items():
            if known.host not in busy:
                return self._announced.pop(number)
        page = self._take(busy)
        most = max(FEWEST, int(SHARE * self._pages))
        is_used_up = not self._chosen.best or self._taken * BLOCKED >= most
        claims = self._claims()
        if page is None and is_used_up and (now >= self._choose_at or claims != self._claimed):
            self._claimed = claims
            found = self._store.revisitable(max(self._started, now - REST), now)
            pages = (page for page in found if self._is_due(page))
            self._chosen, self._taken = choose(pages, most, self._rates), 0
            self._visited.clear()
            self._choose_at = now if len(self._chosen.best) == most else now + LOOK_AGAIN
            page = self._take(busy)
        self._taken += page is not None
        return page

    def _take(self, busy: Collection[str]) -> Revisitable | None:
        """Take the first of those chosen that is to be visited still: others may have queued or have it."""
        while (page := self._chosen.take(busy)) is not None:
            if page.page not in self._visited and self._is_due(page):
                return page
        return None
