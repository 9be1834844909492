"""Hosts with nothing to ask for are forgotten where there are too many; met again, they are as before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from focused_crawler.frontier import hosts
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase

RULES = Rules(delay=1.0, per_host=1, host_pages=5, retry_delay=2.0)


@contextmanager
def frontier(path: Path) -> Iterator[SqlFrontier]:
    database = CrawlDatabase(path)
    try:
        yield SqlFrontier(database, RULES)
    finally:
        database.close()


def crawl(frontier: SqlFrontier, seed: int) -> list[str]:
    """Go through a web of 300 hosts that link to each other, some of which refuse."""
    random, now, taken = Random(seed), 0.0, []
    frontier.add([Candidate(f"http://h{number}.org/", 0.5) for number in range(20)])
    while len(taken) < 1500 and (ready := frontier.next_ready_at()) is not None:
        now = max(now + 0.01, ready)
        for lease in frontier.take(3, now):
            taken.append(lease.url)
            host = lease.url.split("/")[2]
            if random.random() < 0.1:
                frontier.refused(lease.url, host, now)
                continue
            names = (f"http://h{random.randrange(300)}.org/{random.randrange(9)}" for _ in range(3))
            frontier.add([Candidate(name, random.random()) for name in names])
            frontier.done(lease.url)
    return taken


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    with frontier(tmp_path / "all.db") as every:
        expected = crawl(every, seed)
        stats = every.stats()
    monkeypatch.setattr(hosts, "MOST_HOSTS", 10)
    with frontier(tmp_path / "few.db") as few:
        assert crawl(few, seed) == expected
        assert few.stats() == stats
    assert len(expected) > 500


def test_memory_is_that_of_hosts_with_something_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "MOST_HOSTS", 50)
    with frontier(tmp_path / "farm.db") as farm:
        farm.add([Candidate("http://h0.farm.org/", 1.0)])
        for number in range(2000):
            (lease,) = farm.take(1, float(number))
            farm.add([Candidate(f"http://h{number + 1}.farm.org/", 1.0)])
            farm.done(lease.url)
        queues = farm._hosts
        assert max(len(queues._by_id), len(queues._by_name)) <= 51
        assert farm.stats().hosts == 2001


def test_hosts_met_at_once_are_forgotten_as_they_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only when others are met: a list of all hosts may be the first page."""
    monkeypatch.setattr(hosts, "MOST_HOSTS", 50)
    with frontier(tmp_path / "list.db") as listed:
        listed.add([Candidate(f"http://h{number}.org/", 1.0) for number in range(2000)])
        queues = listed._hosts
        for left in range(1999, -1, -1):
            (lease,) = listed.take(1, 0.0)
            listed.done(lease.url)
            assert len(queues._by_id) == len(queues._by_name) <= max(50, 2 * left + 2)
        assert listed.stats().hosts == 2000


def test_a_lease_that_was_redirected_ends_on_the_host_it_began_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which has nothing else, and is met again meanwhile: what it has then is given out as any other."""
    monkeypatch.setattr(hosts, "MOST_HOSTS", 4)
    with frontier(tmp_path / "moved.db") as moved:
        moved.add([Candidate("http://a.org/1", 0.9)])
        (lease,) = moved.take(1, 0.0)
        moved.redirected(lease.url, "moved.org", 0.0)
        moved.add([Candidate(f"http://h{number}.org/", 0.5) for number in range(20)])
        moved.add([Candidate("http://a.org/2", 0.8)])
        moved.done(lease.url, "http://moved.org/1")
        left = {"http://a.org/2", *(f"http://h{number}.org/" for number in range(20))}
        while (ready := moved.next_ready_at()) is not None:
            for one in moved.take(3, ready):
                left.remove(one.url)
                moved.done(one.url)
        assert (left, moved.has_more()) == (set(), False)
