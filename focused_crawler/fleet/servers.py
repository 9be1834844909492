"""The two servers that a fleet needs: that both are named, can be reached, and let it work."""

from __future__ import annotations

from focused_crawler.config import SERVERS
from focused_crawler.errors import ConfigError
from focused_crawler.fleet.crawls import check_database
from focused_crawler.frontier.redis_client import check_address, open_client
from focused_crawler.store.address import parsed


def check_addresses(frontier: str, database: str) -> None:
    """Raise ConfigError where one is missing, or is no address of such a server; neither is asked."""
    if not frontier.startswith(SERVERS) or not database:
        raise ConfigError(
            "a fleet needs a frontier and a database on servers; add"
            " -s FOCUSED_FRONTIER=redis://localhost:6379/0"
            " -s FOCUSED_DATABASE=postgresql://USER@localhost/DATABASE, or set both in the environment"
        )
    check_address(frontier)
    parsed(database)


def check_servers(frontier: str, database: str, topic: str, job: str) -> None:
    """Raise CrawlError for what every worker would die of."""
    open_client(frontier).close()
    check_database(database, topic, job)
