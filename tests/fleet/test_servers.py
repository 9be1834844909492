"""What is said of the addresses of a fleet's servers before anybody asks them."""

from __future__ import annotations

import pytest

from focused_crawler.fleet.servers import check_addresses
from focused_crawler.safety.errors import ConfigError

REDIS, POSTGRESQL = "redis://localhost:6379/0", "postgresql://ann@localhost/crawls"


@pytest.mark.parametrize("frontier", ["postgresql", REDIS])
def test_a_database_is_needed(frontier: str) -> None:
    with pytest.raises(ConfigError, match="a fleet needs a database on a server"):
        check_addresses(frontier, "")


@pytest.mark.parametrize("frontier", ["", "sql", "memory", "redis:/localhost"])
def test_a_frontier_is_in_redis_or_in_the_database(frontier: str) -> None:
    with pytest.raises(ConfigError, match="FOCUSED_FRONTIER is no address of a Redis server"):
        check_addresses(frontier, POSTGRESQL)


@pytest.mark.parametrize("frontier", ["postgresql", REDIS])
def test_both_are_there(frontier: str) -> None:
    check_addresses(frontier, POSTGRESQL)
