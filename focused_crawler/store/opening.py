"""Where the database of a crawl lies, and how to open it for reading."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.store.database import CrawlDatabase


def read_crawl(folder: Path) -> CrawlDatabase:
    """Open the database of the crawl in a folder, also beside its running crawl; raises CrawlError."""
    return CrawlDatabase(folder / "crawl.db", read_only=True)
