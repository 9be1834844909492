"""What is said of the addresses of a fleet's servers before anybody asks them."""

from __future__ import annotations

import pytest

from focused_crawler.fleet.servers import check_addresses
from focused_crawler.safety.errors import ConfigError

REDIS, POSTGRESQL = "redis://localhost:6379/0", "postgresql://ann@localhost/crawls"


@pytest.mark.parametrize(
    ("frontier", "database"), [("", ""), (REDIS, ""), ("", POSTGRESQL), ("sql", POSTGRESQL)]
)
def test_both_are_needed(frontier: str, database: str) -> None:
    with pytest.raises(ConfigError, match="set both in the environment"):
        check_addresses(frontier, database)


def test_both_are_there() -> None:
    check_addresses(REDIS, POSTGRESQL)
