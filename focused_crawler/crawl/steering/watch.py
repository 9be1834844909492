"""The monitor beside a crawl: what it knows of the runs before comes from the crawl's database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from focused_crawler.classify.taxonomy.marked import MarkedTaxonomy
from focused_crawler.classify.taxonomy.related import census, related
from focused_crawler.crawl.steering.monitor import Monitor, Seen
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase

_CHUNK = 10_000
_PAGES = """
SELECT position, relevance, CASE WHEN is_relevant = 1 AND duplicate_of IS NULL THEN 1 ELSE 0 END, host
FROM pages WHERE position > ? ORDER BY position LIMIT ?
"""
_ALARMS = """
SELECT (SELECT count(*) FROM pages WHERE fetched_at <= decided_at) FROM decisions WHERE decision = 'alarm'
"""


def watch(database: CrawlDatabase, threshold: float) -> Monitor:
    """Return the monitor of a crawl, as the runs before left it."""
    monitor = Monitor(threshold)
    monitor.restore(_seen(database), [pages for (pages,) in database.rows(_ALARMS)])
    return monitor


def advised_marks(folder: Path, taxonomy: MarkedTaxonomy | None) -> tuple[str, ...]:
    """Return the categories that should be good, by the census of a crawl; none: no advice."""
    if taxonomy is None or not taxonomy.good:
        return ()
    try:
        counted = census(folder)
    except CrawlError:  # no page has a category yet
        return ()
    return related(taxonomy.model.tree, taxonomy.good, counted).marks


def _seen(database: CrawlDatabase) -> Iterator[Seen]:
    last = 0
    while rows := database.rows(_PAGES, (last, _CHUNK)):
        for last, relevance, is_gain, host in rows:  # noqa: B007 - the last one is where the next chunk begins
            yield Seen(relevance, bool(is_gain), host)
