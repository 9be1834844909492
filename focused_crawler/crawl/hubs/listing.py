"""The best hubs, authorities and hosts of a crawl, and the unvisited neighbours of hubs, with their names.

They go by table `ratings`, or by a distillation `of` the crawl that was not written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from focused_crawler.crawl.hubs.record import Distillation, Kind, Rating
from focused_crawler.store.database import CrawlDatabase

_BEST = {
    "hub": "SELECT page, hub, authority FROM ratings WHERE hub > 0 ORDER BY hub DESC, page LIMIT ?",
    "authority": "SELECT page, hub, authority FROM ratings WHERE authority > 0"
    " ORDER BY authority DESC, page LIMIT ?",
}
_PAGE = "SELECT url, title, relevance FROM judged_pages WHERE position = ?"
_HOSTS = """
SELECT host, sum(authority) AS total FROM ratings JOIN pages ON position = page WHERE authority > 0
GROUP BY host ORDER BY total DESC, host LIMIT ?
"""
_HOST_OF = "SELECT position, host FROM pages WHERE position > ? ORDER BY position LIMIT ?"
_HOST = "SELECT count(*), count(CASE WHEN is_relevant = 1 THEN 1 END) FROM judged_pages WHERE host = ?"

# Seen, pending or waiting, and nothing came of it before: the states of a frontier in memory are not stored.
_NEGLECTED = """
SELECT target.url, anchor FROM pages
JOIN urls AS source ON source.key = pages.key
JOIN links ON links.source = source.id AND external = 1
JOIN urls AS target ON target.id = links.target AND target.state IN (0, 1, 2)
WHERE position = ?
AND NOT EXISTS (SELECT 1 FROM pages AS fetched WHERE fetched.key = target.key)
AND NOT EXISTS (SELECT 1 FROM failures WHERE failures.key = target.key)
ORDER BY number
"""


class RatedPage(NamedTuple):
    """A recorded page with its scores; each kind of score adds up to 1 over the crawl."""

    position: int
    url: str
    title: str
    relevance: float
    hub: float
    authority: float


class RatedHost(NamedTuple):
    """A host with the authority of its pages."""

    host: str
    pages: int  # recorded
    relevant: int  # of these
    authority: float  # share of the crawl's


class Neglected(NamedTuple):
    """A page of another site that a hub leads to and that was never fetched."""

    hub: str
    url: str
    anchor: str


def top_hubs(database: CrawlDatabase, n: int, of: Distillation | None = None) -> list[RatedPage]:
    """Return the `n` best hubs, the best first."""
    return _named(database, _best(database, "hub", n, of))


def top_authorities(database: CrawlDatabase, n: int, of: Distillation | None = None) -> list[RatedPage]:
    """Return the `n` best authorities, the best first."""
    return _named(database, _best(database, "authority", n, of))


def top_hosts(database: CrawlDatabase, n: int, of: Distillation | None = None) -> list[RatedHost]:
    """Return the `n` hosts whose pages have most authority in sum, the best first."""
    best = database.rows(_HOSTS, (n,)) if of is None else _best_hosts(database, n, of)
    return [_host(database, host, authority) for host, authority in best]


def neglected(database: CrawlDatabase, hubs: int, of: Distillation | None = None) -> list[Neglected]:
    """Return where the best hubs lead to on other sites that was never fetched and did not fail.

    The best hub first, its links in their order on it; each URL once a hub, with its first anchor.
    """
    found = []
    for hub in top_hubs(database, hubs, of):
        anchors: dict[str, str] = {}
        for url, anchor in database.rows(_NEGLECTED, (hub.position,)):
            anchors.setdefault(url, anchor)
        found += [Neglected(hub.url, url, anchor) for url, anchor in anchors.items()]
    return found


def _best(database: CrawlDatabase, kind: Kind, n: int, of: Distillation | None) -> list[Rating]:
    return database.rows(_BEST[kind], (n,)) if of is None else of.best(kind, n)


def _named(database: CrawlDatabase, ratings: list[Rating]) -> list[RatedPage]:
    pages = []
    for position, hub, authority in ratings:
        url, title, relevance = database.rows(_PAGE, (position,))[0]
        pages.append(RatedPage(position, url, title, relevance, hub, authority))
    return pages


def _host(database: CrawlDatabase, host: str, authority: float) -> RatedHost:
    pages, relevant = database.rows(_HOST, (host,))[0]
    return RatedHost(host, pages, relevant, authority)


def _best_hosts(database: CrawlDatabase, n: int, of: Distillation) -> list[tuple[str, float]]:
    authority = {position: score for position, _, score in of.ratings()}
    totals: dict[str, float] = {}
    for rows in database.chunks(_HOST_OF):
        for position, host in rows:
            if score := authority.get(position):
                totals[host] = totals.get(host, 0.0) + score
    return sorted(totals.items(), key=lambda total: (-total[1], total[0]))[:n]


class Lead(NamedTuple):
    """A page that was never fetched, and the best hub that leads to it from another site."""

    url: str
    anchor: str  # on that hub
    hub: str
    hubs: int  # that lead to it, of the best


@dataclass(frozen=True, slots=True)
class HubRanking:
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


def read_ranking(database: CrawlDatabase, found: Distillation, n: int) -> HubRanking:
    """Return the `n` best of each kind, with what the best hubs lead to that was never fetched."""
    return HubRanking(
        found.pages,
        found.links,
        found.rho,
        tuple(top_hubs(database, n, found)),
        tuple(top_authorities(database, n, found)),
        tuple(top_hosts(database, n, found)),
        tuple(neglected(database, n, found)),
    )
