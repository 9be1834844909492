"""A frontier whose database has failed: the crawl ends, and its last figures are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase

URLS = 100


def test_figures_after_a_full_disk(tmp_path: Path) -> None:
    """Which may have cut off the refill of a host's queue: its head is empty, and it is still the first."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqlFrontier(database, Rules(delay=0.0, per_host=None))
        frontier.add([Candidate(f"http://bees.test/{number}", number / URLS) for number in range(URLS)])
        assert len(frontier.take(1, 0.0)) == 1
        database.abandon(CrawlError("the disk is full"))
        with pytest.raises(CrawlError, match="the disk is full"):
            frontier.take(URLS, 0.0)
        assert not frontier.stats().is_held_back
