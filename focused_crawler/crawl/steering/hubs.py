"""The distiller beside a crawl, and the hub trigger (Chakrabarti et al. 1999, sections 3.2 and 5.7)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from focused_crawler.crawl.steering.listings import LISTINGS
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import url_key
from focused_crawler.safety.settings import choice, flag, whole
from focused_crawler.store.database import CrawlDatabase

GROWTH = 0.25
"""By this share a crawl grows from one distillation to the next: so all of them cost no more than
five times the last one."""


_LAST = "SELECT coalesce(max(pages), 0) FROM distillations"


@dataclass(frozen=True, slots=True)
class SteeringSettings:
    """What goes beside the strategy; 0 and False: nothing."""

    distill_pages: int = whole("FOCUSED_DISTILL_PAGES", 500, most=1_000_000_000)
    """Pages from one distillation to the next, at least."""
    hub_trigger: int = whole("FOCUSED_HUB_TRIGGER", 0, most=10_000)
    """Hubs whose unvisited neighbours rise after a distillation."""
    near_duplicates: bool = flag("FOCUSED_NEAR_DUPLICATES", True)
    """Pages that are much like an earlier one are copies, as verbatim ones are."""
    trap_budgets: bool = flag("FOCUSED_TRAP_BUDGETS", True)
    """URL patterns and hosts without gain are left alone."""
    listings: str = choice("FOCUSED_LISTINGS", "off", LISTINGS)
    """Which sitemaps and feeds are fetched for their links."""


NO_STEERING = SteeringSettings(0, 0, near_duplicates=False, trap_budgets=False, listings="off")


class Raised(NamedTuple):
    """An unvisited neighbour of a hub, on another site."""

    candidate: Candidate  # for the frontier, before all else; it keeps the parent that it has
    hub: str  # URL of the hub


class Distiller:
    """Rates the pages of a crawl every so many pages."""

    def __init__(self, database: CrawlDatabase, settings: SteeringSettings) -> None:
        """Go on after the last distillation there is, at the pages at which one run alone would."""
        self._database = database
        self._settings = settings
        self._rated = int(database.rows(_LAST)[0][0])  # pages that the last one saw
        self._next = self._after(0)
        while self._next <= self._rated:  # which may have been at the end of a run
            self._next = self._after(self._next)

    def raised(self, pages: int) -> list[Raised]:
        """Distil if it is time to, and return what is to rise then: neighbours of the best hubs."""
        if pages < self._next:
            return []
        self._distil(pages)
        return self._neighbours() if self._settings.hub_trigger else []

    def finish(self, pages: int) -> None:
        """Distil what was recorded since the last time: a crawl ends, and its report shows the best."""
        if pages > self._rated:
            self._distil(pages)

    def _distil(self, pages: int) -> None:
        # scipy takes a moment to import, and most commands need none
        from focused_crawler.crawl.hubs.record import distill  # noqa: PLC0415

        self._rated, self._next = pages, self._after(pages)
        distill(self._database)

    def _after(self, pages: int) -> int:
        return pages + max(self._settings.distill_pages, int(GROWTH * pages))

    def _neighbours(self) -> list[Raised]:
        """Return each neighbour once, with the best hub that leads to it."""
        from focused_crawler.crawl.hubs.listing import neglected  # noqa: PLC0415

        raised: dict[str, Raised] = {}
        for hub, neighbours in groupby(
            neglected(self._database, self._settings.hub_trigger), attrgetter("hub")
        ):
            ((depth,),) = self._database.rows("SELECT depth FROM pages WHERE key = ?", (url_key(hub),))
            for found in neighbours:
                raised.setdefault(found.url, Raised(Candidate(found.url, 1.0, depth + 1), hub))
        return list(raised.values())
