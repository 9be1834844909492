"""Scrapy's stats, written into the JSON file STATS_FILE when a crawl ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector


class KeptStats(MemoryStatsCollector):
    """Keeps the stats for who started the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._file = Path(crawler.settings["STATS_FILE"])

    def _persist_stats(self, stats: dict[str, Any]) -> None:
        self._file.write_text(json.dumps(stats, default=str))
