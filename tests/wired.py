"""Scrapy's side of a crawl, wired by the add-on as in a real one, but never started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.crawl.analysis import Way
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.component import session_of
from focused_crawler.edge.http import PageResponse
from focused_crawler.store.item import PageItem

TOPIC = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://bees.example/"]
"""


@contextmanager
def wired(folder: Path, **settings: Any) -> Iterator[Crawler]:
    """Give a crawler whose components can be made; its crawl is about bees and opened in `folder`."""
    (folder / "bees").mkdir()
    (folder / "bees/topic.toml").write_text(settings.pop("TOPIC", TOPIC))
    given = {
        "ADDONS": {FocusedCrawlerAddon: 100},
        "FOCUSED_TOPIC": str(folder / "bees"),
        "FOCUSED_CRAWLS": str(folder / "crawls"),
        "MEMUSAGE_ENABLED": False,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",  # there is no downloader to look at
        **settings,
    }
    crawler = get_crawler(settings_dict=given)
    try:
        yield crawler
    finally:
        session_of(crawler).crawl.database.close()


def page_response(crawler: Crawler, html: str, url: str = "http://bees.example/") -> PageResponse:
    """Return a page as the classifier passes it on."""
    body = html.encode()
    analysis = session_of(crawler).crawl.plan.analyst.classify(body, url, "utf-8", Way(0))
    return PageResponse(url, body=body, encoding="utf-8", analysis=analysis)


def item(url: str = "http://bees.example/", **facts: Any) -> PageItem:
    """Return a relevant page's item."""
    values = {
        "url": url,
        "requested_url": url,
        "parent": None,
        "depth": 0,
        "title": "Bees",
        "relevance": 0.9,
        "is_relevant": True,
        "links": 0,
        "status": 200,
        "size": 100,
        "fetched_at": 1e9,
        "checksum": url,
        **facts,
    }
    return PageItem(**values)


def leased(url: str, **values: Any) -> dict[str, Any]:
    """Return the meta of a request that the scheduler gave out."""
    return {meta.LEASE: url, meta.PRIORITY: 1.0, meta.DEPTH: 0, meta.TRIES: 0, **values}
