"""What a crawl found, counted out of its database: sites, and the pages whose links led to relevant pages.

Relevant is what the crawl's own classifier took for it by what stands outside its links, and what is no copy:
with words in links alone, whoever has a name server could fill the lists. Ground truth (`is_target`) is not
read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from focused_crawler.page.url import site_of, url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run_of
from focused_crawler.store.opening import read_crawl

MOST_SITES = 10_000
"""Sites of a crawl that are counted: those with most relevant pages, then those with most pages."""
MOST_HUBS = 1_000
HUBS_A_SITE = 20
"""Of a crawl, and of a site: pages of one site share their navigation, and lead to the same pages."""

_TOTALS = """
SELECT count(*), count(CASE WHEN is_relevant = 1 AND duplicate_of IS NULL THEN 1 END) FROM pages
"""
_HOSTS = """
SELECT host, count(*) AS pages, count(
    CASE WHEN is_relevant = 1 AND duplicate_of IS NULL AND coalesce(by_content, 1) = 1 THEN 1 END
) AS found FROM pages GROUP BY host ORDER BY found DESC, pages DESC, host LIMIT ?
"""
# Links know a page by the URL it was found at in the end, or by the one that was asked for.
_LEADERS = """
WITH steps AS (
    SELECT links.source AS id, found.position AS position, found.host AS host FROM pages AS found
    JOIN urls AS target ON target.key = found.key JOIN links ON links.target = target.id
    WHERE found.is_relevant = 1 AND found.duplicate_of IS NULL AND coalesce(found.by_content, 1) = 1
    UNION ALL
    SELECT links.source AS id, found.position AS position, found.host AS host FROM pages AS found
    JOIN urls AS target ON target.key = found.requested_key JOIN links ON links.target = target.id
    WHERE found.is_relevant = 1 AND found.duplicate_of IS NULL AND coalesce(found.by_content, 1) = 1
        AND found.requested_key IS NOT NULL
), led AS (
    SELECT id, count(DISTINCT position) AS relevant, count(DISTINCT host) AS hosts FROM steps GROUP BY id
), ranked AS (
    SELECT page.host AS host, page.url AS url, page.is_relevant AS is_relevant, page.links AS links,
        page.hubness AS hubness, ratings.hub AS rating, coalesce(led.relevant, 0) AS relevant,
        coalesce(led.hosts, 0) AS hosts,
        row_number() OVER (PARTITION BY page.host
            ORDER BY coalesce(led.relevant, 0) DESC, page.depth, page.position) AS hub_rank,
        row_number() OVER (PARTITION BY page.host
            ORDER BY page.is_relevant DESC, coalesce(led.relevant, 0) DESC, page.depth, page.position)
            AS entry_rank
    FROM pages AS page
    JOIN urls AS source ON source.key = page.key
    LEFT JOIN led ON led.id = source.id
    LEFT JOIN ratings ON ratings.page = page.position
    WHERE page.duplicate_of IS NULL AND (page.is_relevant = 1 OR led.relevant > 0)
)
SELECT host, url, is_relevant, links, hubness, rating, relevant, hosts, entry_rank FROM ranked
WHERE (hub_rank <= ? AND relevant > 0) OR (entry_rank = 1 AND is_relevant = 1)
ORDER BY relevant DESC, url LIMIT ?
"""


class SiteCount(NamedTuple):
    """What a crawl found on a site: a host without its www."""

    site: str
    pages: int
    relevant: int
    entry: str | None  # the relevant page there that led to most relevant pages, else the shallowest
    led: int  # to so many


class HubCount(NamedTuple):
    """A page whose links led to relevant pages."""

    url: str
    relevant: int  # distinct relevant pages it links to
    hosts: int  # these are on
    links: int  # on it, followed or not
    hubness: float | None  # links to other sites a word; None: not known
    rating: float | None  # of the distiller's hubs, all sum to 1; None: not rated


@dataclass(frozen=True, slots=True)
class CrawlCount:
    """All that the lists store of a crawl."""

    identity: str  # the same as long as the crawl goes on, wherever its folder lies
    job: str
    started: float  # seconds since the epoch
    pages: int
    relevant: int
    sites: tuple[SiteCount, ...]
    hubs: tuple[HubCount, ...]


def count_crawl(folder: Path, topic: str) -> CrawlCount:
    """Count the crawl in a folder, also beside it while it runs; CrawlError if it is none of the topic."""
    run = read_run_of(folder, topic)
    if run is None:
        raise CrawlError(f"{folder} holds no crawl; give the folder of one, as in crawls/{topic}/1")
    with read_crawl(folder) as database:
        return count(database, run)


def identity_of(run: RunInfo) -> str:
    """Return the identity of a crawl among those of its topic."""
    return f"{run.job} {run.started:.6f}"


def count(database: CrawlDatabase, run: RunInfo) -> CrawlCount:
    """Count what a crawl's database holds."""
    ((pages, relevant),) = database.rows(_TOTALS)
    leaders = database.rows(_LEADERS, (HUBS_A_SITE, 2 * MOST_SITES))
    entries: dict[str, tuple[str, int]] = {}
    for host, url, is_relevant, *_, led, _, rank in leaders:
        if is_relevant and rank == 1:
            entries.setdefault(site_of(f"http://{host}"), (url, led))
    return CrawlCount(
        identity_of(run), run.job, run.started, pages, relevant, _sites(database, entries), _hubs(leaders)
    )


def _sites(database: CrawlDatabase, entries: dict[str, tuple[str, int]]) -> tuple[SiteCount, ...]:
    counts: dict[str, list[int]] = {}
    for host, pages, relevant in database.rows(_HOSTS, (MOST_SITES,)):
        known = counts.setdefault(site_of(f"http://{host}"), [0, 0])
        known[0] += pages
        known[1] += relevant
    return tuple(
        SiteCount(site, pages, relevant, *entries.get(site, (None, 0)))
        for site, (pages, relevant) in counts.items()
    )


def _hubs(
    leaders: list[tuple[str, str, int, int, float | None, float | None, int, int, int]],
) -> tuple[HubCount, ...]:
    found: dict[int, HubCount] = {}
    for _, url, _, links, hubness, rating, relevant, hosts, _ in leaders:
        if relevant and len(found) < MOST_HUBS:
            found.setdefault(url_key(url), HubCount(url, relevant, hosts, links, hubness, rating))
    return tuple(found.values())
