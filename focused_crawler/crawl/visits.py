"""The visits of a crawl: which begins next, and which are under way. Plain Python."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from focused_crawler.crawl.failure import LISTINGS_OFF
from focused_crawler.crawl.pauses import Pauses
from focused_crawler.crawl.steering.listings import ListingLease
from focused_crawler.crawl.steering.lowered import BEHIND, RAISED
from focused_crawler.crawl.visit import Visit
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.frontier.base import Candidate, Lease

MOST_REFUSED = 100
"""So many traps are passed over at a time: more would delay what has arrived."""


@dataclass(eq=False, slots=True)
class Visits:
    """Takes URLs from the frontier, and knows whose visits are under way."""

    context: VisitContext
    pauses: Pauses | None = None  # None: time is made up
    _out: dict[str, Visit] = field(default_factory=dict)  # by URL; each leaves as it ends

    def __len__(self) -> int:
        return len(self._out)

    @property
    def out(self) -> Collection[Visit]:
        """Return those that are under way."""
        return self._out.values()

    def take(self, now: float) -> Visit | None:
        """Begin a visit of the best URL that is no trap; None: none is ready, or too many were traps.

        If nothing is left but what was lowered, the best of that.
        """
        context = self.context
        for _ in range(MOST_REFUSED):
            leases = context.frontier.take(1, now)
            if leases:
                lease = leases[0]
                revisit = None if context.maintenance is None else context.maintenance.begin(lease.url)
                listing = None if revisit is not None or lease.path is None else ListingLease.of(lease.path)
                visit = self._out[lease.url] = Visit(context, self._out, lease, revisit, listing)
                if listing is not None and context.steering.listings is None:  # an earlier run asked for it
                    context.frontier.release(lease.url)  # its host was not asked
                    visit.give_up(LISTINGS_OFF, now)
                elif revisit is not None or listing is not None or not visit.passes_over(lease.url, now):
                    return visit
            elif not self._raise():
                return None
        return None

    def has_more(self) -> bool:
        """Tell whether anything is left to fetch, or may still come of what others have out."""
        context = self.context
        return context.frontier.has_more() or context.steering.has_listings or context.lowered.has_any()

    def next_ready_at(self, now: float) -> float | None:
        """Return when a URL may be taken, None while there is none."""
        ready_at = self.context.frontier.next_ready_at()
        return now if ready_at is None and not self._out and self.has_more() else ready_at

    def _raise(self) -> bool:
        """Queue a sitemap or feed, else the best of what was lowered, if nothing better is left.

        Return whether there was any.
        """
        context = self.context
        if self._out or context.frontier.has_more():
            return False
        if wanted := context.steering.wanted_listings(is_last=True):
            context.frontier.add(wanted)
            return True
        return context.lowered.raise_best(RAISED, self._queue_raised)

    def _queue_raised(self, links: Sequence[Candidate]) -> None:
        context = self.context
        raised = [link._replace(priority=BEHIND * link.priority) for link in links]
        raised = [link for link in raised if not context.recorder.has(link.url)]
        context.frontier.add(raised)  # what was never in it
        context.frontier.again(raised)

    def of(self, url: str) -> Visit:
        """Return the visit of a leased URL; of a lost one, a visit that takes its answer all the same."""
        found = self._out.get(url)
        return found or Visit(self.context, self._out, Lease(url, 0.0, 0, None, 0), is_over=True)

    def is_out(self, url: str) -> bool:
        """Tell whether the visit of a URL is under way."""
        return url in self._out

    def expire(self, now: float) -> None:
        """Forget those that have been out for too long: somebody lost them. A pause does not count."""
        frontier = self.context.frontier
        lost = 0.0 if self.pauses is None else self.pauses.since_last(now)
        if lost:
            frontier.prolong(lost)
        if frontier.expire(now):
            for visit in [visit for url, visit in self._out.items() if not frontier.is_known(url)]:
                visit.let_go()
