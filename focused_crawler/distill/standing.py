"""What a distillation found, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from focused_crawler.distill.listing import (
    Neglected,
    RatedHost,
    RatedPage,
    neglected,
    top_authorities,
    top_hosts,
    top_hubs,
)
from focused_crawler.distill.record import Distillation
from focused_crawler.store.database import CrawlDatabase


class Lead(NamedTuple):
    """A page that was never fetched, and the best hub that leads to it from another site."""

    url: str
    anchor: str  # on that hub
    hub: str
    hubs: int  # that lead to it, of the best


@dataclass(frozen=True, slots=True)
class Standing:
    """The best of a crawl, the best first."""

    pages: int  # recorded
    links: int  # distinct ones between sites, to a page that may be an authority
    rho: float  # relevance above which a page may be an authority
    hubs: tuple[RatedPage, ...]
    authorities: tuple[RatedPage, ...]
    hosts: tuple[RatedHost, ...]
    neglected: tuple[Neglected, ...]  # by the hubs above

    def leads(self) -> list[Lead]:
        """Return the neglected pages, each once: those that most of the hubs lead to first."""
        found: dict[str, Lead] = {}
        for hub, url, anchor in self.neglected:
            known = found.get(url, Lead(url, anchor, hub, 0))
            found[url] = known._replace(hubs=known.hubs + 1)
        return sorted(found.values(), key=lambda lead: -lead.hubs)

    def figures(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        kinds = ("hubs", "authorities", "hosts", "neglected")
        rows = {kind: [row._asdict() for row in getattr(self, kind)] for kind in kinds}
        return {"pages": self.pages, "links": self.links, "rho": self.rho, **rows}


def read_standing(database: CrawlDatabase, found: Distillation, n: int) -> Standing:
    """Return the `n` best of each kind, with what the best hubs lead to that was never fetched."""
    return Standing(
        found.pages,
        found.links,
        found.rho,
        tuple(top_hubs(database, n, found)),
        tuple(top_authorities(database, n, found)),
        tuple(top_hosts(database, n, found)),
        tuple(neglected(database, n, found)),
    )
