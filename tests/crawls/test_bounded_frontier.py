"""A crawl whose frontier may hold only so many URLs."""

from __future__ import annotations

import re

import pytest

from tests.crawls.bees import Bees
from tests.project import Scrapy


@pytest.mark.parametrize("frontier", ["sqlite", "memory"])
def test_a_bounded_crawl_drops_the_rest_and_says_so(bees: Bees, scrapy: Scrapy, frontier: str) -> None:
    """FOCUSED_MAX_PENDING holds to the end of the crawl, and what it cost is among the stats."""
    settings = ("FOCUSED_MAX_PENDING=2", f"FOCUSED_FRONTIER={frontier}", "LOG_LEVEL=INFO", "STATS_DUMP=True")
    done = scrapy.run(*bees.words(*settings, pages=8))
    job = bees.job()
    assert len(job.pages) == 8
    assert job.run["totals"]["pending"] <= 2
    dropped = re.findall(r"'focused/frontier/dropped': (\d+)", done.err)
    assert int(dropped[0]) > 0
