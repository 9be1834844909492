"""What a frontier looks at when it is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql import statements as sql
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase


@pytest.mark.parametrize("odd", ["priority = 2", "priority = 'high'", "tries = -1", "tie = 'x'"])
def test_a_pending_url_with_an_odd_value_ends_the_opening(tmp_path: Path, odd: str) -> None:
    """In one line, which says how many there are."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqlFrontier(database).add([Candidate(f"http://a.org/{n}", 0.5) for n in range(3)])
        database.execute(f"UPDATE urls SET {odd} WHERE url = 'http://a.org/1'")
        with pytest.raises(CrawlError, match=r"another program \(1 of the URLs that are pending\)"):
            SqlFrontier(database)


def test_rows_of_pending_urls_are_read_as_they_lie(tmp_path: Path) -> None:
    """Looked up by an index one after the other, ten million take most of a minute."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        plan = database.rows(f"EXPLAIN QUERY PLAN {sql.ODD_PENDING}")
        assert [row[-1] for row in plan] == ["SCAN urls"]
