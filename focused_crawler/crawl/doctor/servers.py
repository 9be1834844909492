"""Whether the server of a crawl answers: asked once, and nothing written."""

from __future__ import annotations

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.doctor.finding import OK, Finding, of_error
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.store.address import shown

# ruff: noqa: PLC0415 - the client comes with an extra, and few crawls need it.


def check_database(config: CrawlConfig) -> Finding:
    """Connect to FOCUSED_DATABASE."""
    if not config.database:
        return Finding("database", OK, "SQLite, crawl.db in the crawl's folder")
    try:
        with explaining_extras():
            from focused_crawler.store.postgresql.database import connect
        with connect(config.database) as connection:
            version = connection.info.server_version // 10_000
    except FocusedCrawlerError as error:
        return of_error("database", error)
    return Finding("database", OK, f"PostgreSQL {version} answers at {shown(config.database)}")


def check_frontier(config: CrawlConfig) -> Finding:
    """Tell where the frontier is; its database is asked by itself."""
    if config.is_shared:
        return Finding("frontier", OK, "in the database, for several workers")
    return Finding("frontier", OK, f"{config.frontier}, in the crawl's own process")
