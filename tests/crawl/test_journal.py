"""When what ended leases leave behind is committed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.crawl import journal as journal_module
from focused_crawler.crawl.journal import COMMIT_PAGES, COMMIT_SECONDS, Journal
from focused_crawler.crawl.steps import Steps
from focused_crawler.store.database import CrawlDatabase


class Clock:
    """Time that stands still, and the alarms that were set."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.alarms: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wake(self, seconds: float) -> None:
        self.alarms.append(self.now + seconds)


class Crawl:
    """Leases that end, each with a row, and what another program sees of them."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.clock = clock
        self.database = CrawlDatabase(path)
        self.reader = CrawlDatabase(path, read_only=True)
        self.journal = Journal(self.database, Steps(), lambda: None)
        self.journal.wake = clock.wake
        self.ended = 0

    def end(self, leases: int = 1, *, is_alone: bool = True, at_once: bool = False) -> int:
        """End leases and return how many are safe."""
        for _ in range(leases):
            self.ended += 1
            self.database.execute("INSERT INTO hosts (name) VALUES (?)", (f"{self.ended}.org",))
            self.journal.lease_ended(is_alone=is_alone, at_once=at_once)
        return self.safe

    @property
    def safe(self) -> int:
        return int(self.reader.rows("SELECT count(*) FROM hosts")[0][0])

    def ring(self) -> int:
        """Let the time of the next alarm come, and return how many are safe then."""
        self.clock.now = self.clock.alarms.pop(0)
        self.journal.woken()
        return self.safe


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crawl]:
    clock = Clock()
    monkeypatch.setattr(journal_module, "time", clock)
    crawl = Crawl(tmp_path / "crawl.db", clock)
    yield crawl
    crawl.reader.close()
    crawl.database.close()


def test_as_many_as_fit_are_committed_together(crawl: Crawl) -> None:
    """One after the other, too, as at concurrency 1."""
    assert crawl.end(COMMIT_PAGES - 1) == 0
    assert crawl.end() == COMMIT_PAGES
    assert crawl.end(COMMIT_PAGES - 1) == COMMIT_PAGES


def test_none_waits_for_longer(crawl: Crawl) -> None:
    """An alarm commits what nobody follows; there is one at a time, however many batches there are."""
    crawl.end(2)
    assert crawl.clock.alarms == [crawl.clock.now + COMMIT_SECONDS]
    crawl.clock.now += 0.1
    assert crawl.end(COMMIT_PAGES) == COMMIT_PAGES  # two of them wait, since now
    assert crawl.ring() == COMMIT_PAGES
    assert crawl.clock.alarms == [pytest.approx(crawl.clock.now + 0.1)]
    assert crawl.ring() == COMMIT_PAGES + 2
    assert crawl.clock.alarms == []
    crawl.end()
    assert crawl.ring() == COMMIT_PAGES + 3


def test_a_late_alarm_is_not_waited_for(crawl: Crawl) -> None:
    """The loop was busy: the next end commits what has waited for long enough."""
    crawl.end()
    crawl.clock.now += COMMIT_SECONDS
    assert crawl.end() == 2


def test_a_refusal_is_safe_at_once(crawl: Crawl) -> None:
    """And what ended before it."""
    assert crawl.end(3) == 0
    assert crawl.end(at_once=True) == 4


def test_nothing_rings_without_a_loop(crawl: Crawl) -> None:
    """Then what ends alone is committed."""
    crawl.journal.wake = None
    assert crawl.end(3, is_alone=False) == 0
    assert crawl.end() == 4
