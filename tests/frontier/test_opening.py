"""What a frontier looks at when it is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.frontier.base import Candidate, Rules
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


def test_what_an_earlier_version_had_out_is_pending_again(tmp_path: Path) -> None:
    """It wrote its leases: the state, the number of such URLs, and that its host was asked once more."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        SqlFrontier(database).add([Candidate(f"http://a.org/{n}", 0.5) for n in range(3)])
        database.execute("UPDATE urls SET state = 3 WHERE url = 'http://a.org/1'")
        database.execute("UPDATE states SET urls = CASE state WHEN 1 THEN 2 WHEN 3 THEN 1 ELSE urls END")
        database.execute("UPDATE hosts SET load = 1")
        stats = SqlFrontier(database).stats()
        assert (stats.pending, stats.leased) == (3, 0)
        assert database.rows("SELECT state, urls FROM states WHERE urls > 0") == [(1, 3)]
        assert database.rows("SELECT DISTINCT state FROM urls") == [(1,)]
        assert database.rows("SELECT load FROM hosts") == [(0,)]


def test_what_was_out_of_a_host_that_gave_its_pages_is_dropped(tmp_path: Path) -> None:
    """It is pending in the database, where nothing may be pending of such a host."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        rules = Rules(delay=0.0, per_host=None, host_pages=2)
        frontier = SqlFrontier(database, rules)
        frontier.add([Candidate(f"http://a.org/{n}", 0.5) for n in range(4)])
        frontier.add([Candidate("http://b.org/", 0.4)])
        first, second, *_ = (lease.url for lease in frontier.take(3, 1.0))
        frontier.done(first)
        frontier.done("http://b.org/", "http://a.org/moved")
        assert frontier.holds(second)
        again = SqlFrontier(database, rules)
        assert again.stats().pending == 0
        assert again.stats().dropped == 3
