"""Maintenance: a share of what a crawl fetches goes to pages it has (Chakrabarti et al. 1999, section 3)."""

from __future__ import annotations

from collections import Counter, deque

from focused_crawler.crawl.steering.revisit_store import KnownPage, Outcome, RevisitStore, Validators
from focused_crawler.crawl.steering.revisits import ChangeRates, Observation, choose
from focused_crawler.frontier.base import Frontier
from focused_crawler.store.item import PageItem
from focused_crawler.store.schema import State

REST = 86400.0
"""Seconds that a page is left alone that was revisited in this run; those of earlier runs come at once."""

LOOK_AGAIN = 600.0
"""Seconds until the pages are gone through again, after there were none left to choose."""

FEWEST, SHARE = 64, 0.01
"""So many pages are chosen at a time, or that share of all: all of them have to be read to choose."""


class Maintenance:
    """Queues revisits in step with the share, and writes down what comes of each.

    A revisit is a lease like any other: the frontier sees to politeness, tries and crashes. Where nothing new
    is left to fetch, what may still be spent goes to revisits, whatever the share.
    """

    def __init__(
        self, share: float, store: RevisitStore, frontier: Frontier, *, pages: int, run: int, started: float
    ) -> None:
        """`pages` were recorded when the run `started` (seconds since the epoch)."""
        self._share = share
        self._store = store
        self._frontier = frontier
        self._run, self._started = run, started
        self._at_start = pages
        self._pages = pages
        states = store.not_done() if pages else {}
        self._queued = _queued(states)
        self._is_on = share > 0 or bool(states)
        self._chosen: deque[int] = deque()
        self._choose_at = 0.0
        self._rates = ChangeRates()
        self.outcomes: Counter[str] = Counter()  # of this run
        if share:
            for host, visit in store.visits():
                self._rates.record(host, visit)

    @property
    def done(self) -> int:
        """Return the number of revisits in this run."""
        return self.outcomes.total()

    def queue(self, now: float, pages: int, in_flight: int) -> None:
        """Queue as many revisits as the share asks for, when `pages` are recorded and some are in flight."""
        if not self._share:
            return
        self._pages = pages
        fetches = pages - self._at_start + self.done + in_flight
        wanted = self._share * (fetches + 1) - self.done - self._queued
        if wanted <= 0 and not in_flight and not len(self._frontier):
            wanted = 1
        for _ in range(FEWEST):
            page = self._next(now) if wanted > 0 else None
            if page is None:
                return
            queued = self._frontier.again([self._store.candidate(page)])
            self._queued += queued
            wanted -= queued

    def known(self, url: str) -> KnownPage | None:
        """Return the page of a URL if that is recorded, so that fetching it is a revisit."""
        return self._store.known(url) if self._is_on else None

    def unchanged(self, page: KnownPage, at: float, validators: Validators, links: int | None = None) -> None:
        """End a revisit whose page has its old text; `links`: how many it has, if it was sent."""
        self._end(page, at, Outcome.UNCHANGED)
        self._store.unchanged(page, at, self._run, validators, links)

    def changed(self, page: KnownPage, at: float, found: PageItem) -> None:
        """End a revisit that found another text."""
        self._end(page, at, Outcome.CHANGED)
        self._store.changed(page, at, self._run, found)

    def missed(self, page: KnownPage, at: float, *, is_gone: bool) -> None:
        """End a revisit that found no page."""
        self._end(page, at, Outcome.GONE if is_gone else Outcome.FAILED)
        self._store.missed(page, at, self._run, is_gone=is_gone)

    def _end(self, page: KnownPage, at: float, outcome: Outcome) -> None:
        self._queued -= 1
        self.outcomes[outcome.value] += 1
        if outcome is not Outcome.FAILED:
            was_gone, is_gone = page.gone_at is not None, outcome is Outcome.GONE
            is_changed = outcome is Outcome.CHANGED or was_gone != is_gone
            self._rates.record(page.host, Observation(max(0.0, at - page.seen_at), is_changed))

    def _next(self, now: float) -> int | None:
        """Return the page with most to gain, None if there is none to be asked for again now."""
        if not self._chosen and now >= self._choose_at:
            self._queued = _queued(self._store.not_done())  # some may have been dropped
            most = max(FEWEST, int(SHARE * self._pages))
            pages = self._store.revisitable(max(self._started, now - REST), now)
            self._chosen.extend(choose(pages, most, self._rates))
            self._choose_at = now if len(self._chosen) == most else now + LOOK_AGAIN
        return self._chosen.popleft() if self._chosen else None


def _queued(states: dict[int, int]) -> int:
    """Return how many of these pages are queued, or out."""
    return sum(pages for state, pages in states.items() if state != State.DROPPED)
