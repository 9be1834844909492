"""Whether the servers of a crawl answer: PostgreSQL and Redis, each asked once, and nothing written."""

from __future__ import annotations

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.doctor.finding import ERROR, OK, Finding, of_error
from focused_crawler.frontier.redis.address import shown_address
from focused_crawler.safety.errors import FocusedCrawlerError, FrontierUnreachable
from focused_crawler.safety.extras import explaining_extras
from focused_crawler.store.address import shown
from focused_crawler.store.job import SHARED

# ruff: noqa: PLC0415 - the clients come with an extra, and few crawls need them.


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


def check_redis(config: CrawlConfig) -> Finding:
    """Connect to the server of FOCUSED_FRONTIER."""
    if config.frontier == SHARED:
        return Finding("frontier", OK, "in the database, for several workers; no Redis needed")
    if not config.is_shared:
        return Finding("frontier", OK, f"{config.frontier}, in the crawl's own process; no Redis needed")
    try:
        with explaining_extras():
            from focused_crawler.frontier.redis.client import answered, open_client, server_infos
        with answered(config.frontier):
            client = open_client(config.frontier)
            version = server_infos(client, "server")[0]["redis_version"]
            client.close()
    except FrontierUnreachable as error:
        text = str(error).removesuffix("; is it running?")
        return Finding("frontier", ERROR, text, "see that its server runs and that FOCUSED_FRONTIER is right")
    except FocusedCrawlerError as error:
        return of_error("frontier", error)
    return Finding("frontier", OK, f"Redis {version} answers at {shown_address(config.frontier)}")
