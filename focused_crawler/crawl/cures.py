"""What can be done at once about an alarm: categories to mark as good, pages that hubs lead to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.hubs.listing import Neglected, neglected
from focused_crawler.crawl.judges import load_taxonomy
from focused_crawler.crawl.steering.inputs import advised_marks
from focused_crawler.link_scoring.registry import needs_focus
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.topic.topic import load_topic

MOST_PAGES = 5
_HUBS = 10


class Cures(NamedTuple):
    """What to do; empty: nothing is known to help."""

    marks: tuple[str, ...]  # categories that should be good, by the census of the crawl
    pages: tuple[Neglected, ...]  # never fetched, of other sites, the best hub's first


def cures_of(folder: Path, run: RunInfo, database: CrawlDatabase) -> Cures:
    """Return what can be done about the alarms of a crawl."""
    pages = {page.url: page for page in reversed(neglected(database, _HUBS))} if run.has_frontier else {}
    return Cures(_marks(folder, run), tuple(pages.values())[::-1][:MOST_PAGES])


def _marks(folder: Path, run: RunInfo) -> tuple[str, ...]:
    try:
        config = CrawlConfig.from_settings(run.settings)
        is_needed = needs_focus(run.strategy, config.link_scorers)
        taxonomy = load_taxonomy(config, load_topic(run.topic_name), is_needed=is_needed)
        return advised_marks(folder, taxonomy)
    except FocusedCrawlerError:  # what it was judged by is not there any more
        return ()
