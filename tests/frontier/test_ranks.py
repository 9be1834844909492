"""The rank of a URL when it was queued."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.order import BANDS, Ranks, band_of
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase


def test_a_rank_counts_higher_bands_only() -> None:
    """Equal ones are not ahead, and what has come since it was last asked is."""
    ranks = Ranks()
    for priority in (0.0, 0.5, 0.5, 1.0):
        ranks.count(priority)
        assert ranks.rank(1.0) == 1
    assert [ranks.rank(priority) for priority in (0.0, 0.5, 1.0)] == [4, 2, 1]


def test_a_rank_is_kept_with_its_url(tmp_path: Path) -> None:
    """It says what was pending then; a higher priority brings a new one, a lower one does not."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqlFrontier(database)
        frontier.add([Candidate("http://a.org/1", 0.9), Candidate("http://a.org/2", 0.8)])
        frontier.add([Candidate("http://b.org/", 0.5)])
        assert _rank(database, "http://b.org/") == 3
        frontier.add([Candidate("http://b.org/", 0.4)])
        assert _rank(database, "http://b.org/") == 3
        frontier.add([Candidate("http://b.org/", 0.85)])
        assert _rank(database, "http://b.org/") == 2


@pytest.mark.parametrize("n_best", [1, 5])
def test_ranks_stay_true_whatever_happens(tmp_path: Path, n_best: int) -> None:
    """The counts are those of the pending URLs, after a reopening too."""
    rng, urls = random.Random(7), [f"http://h{n % 5}.org/{n}" for n in range(200)]
    rules = Rules(host_pages=12, max_pending=60, n_best=n_best, max_tries=2)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqlFrontier(database, rules)
        for now in range(60):
            links = [Candidate(rng.choice(urls), rng.random()) for _ in range(8)]
            frontier.add(links)
            for lease in frontier.take(3, float(now)):
                _end(frontier, rng.randrange(5), lease.url, float(now))
            assert frontier._hosts.ranks._bands == _bands(database)
        database.commit()
        frontier.close()
        assert SqlFrontier(database, rules)._hosts.ranks._bands == _bands(database)


def _rank(database: CrawlDatabase, url: str) -> int:
    ((rank,),) = database.rows("SELECT rank FROM urls WHERE url = ?", (url,))
    return int(rank)


def _bands(database: CrawlDatabase) -> list[int]:
    bands = [0] * BANDS
    for (priority,) in database.rows("SELECT priority FROM urls WHERE state = 1"):
        bands[band_of(priority)] += 1
    return bands


def _end(frontier: SqlFrontier, way: int, url: str, now: float) -> None:
    match way:
        case 0:
            frontier.done(url)
        case 1:
            frontier.failed(url, now + 3.0)
        case 2:
            frontier.failed(url, None)
        case 3:
            frontier.refused(url, url.split("/")[2], now, 2.0)
        case _:
            frontier.release(url)
