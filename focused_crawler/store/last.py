"""Which crawl of a topic was the last."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.errors import CrawlError
from focused_crawler.store.job import read_run


def last_crawl(crawls: Path, topic: str) -> Path:
    """Return the folder of the crawl that began last; raises CrawlError if there is none."""
    folders = [path for path in (crawls / topic).glob("*") if path.is_dir()]
    begun = [(run.started, path) for path in folders if (run := read_run(path)) is not None]
    if not begun:
        raise CrawlError(
            f"there is no crawl of {topic} in {crawls / topic}; run scrapy crawl {topic}, or name one with"
            " --crawl FOLDER"
        )
    return max(begun)[1]


def newest_crawl(crawls: Path) -> Path:
    """Return the folder of the crawl of any topic that began last; raises CrawlError if there is none."""
    folders = [path for path in crawls.glob("*/*") if path.is_dir()]
    begun = [(run.started, path) for path in folders if (run := read_run(path)) is not None]
    if not begun:
        raise CrawlError(
            f"there is no crawl in {crawls}; run scrapy crawl TOPIC, or name one with --crawl FOLDER"
        )
    return max(begun)[1]
