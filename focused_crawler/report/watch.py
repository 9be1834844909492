"""A crawl read again and again: only what is new, and what costs more more seldom."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focused_crawler.crawl.cures import Cures, cures_of
from focused_crawler.crawl.steering.inputs import last_decision
from focused_crawler.report.alarms import standing_alarms
from focused_crawler.report.dots import Dot, dots
from focused_crawler.report.standing import Standing, hits_of
from focused_crawler.report.summary import AlarmRow, HostRow
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory, ScoreBand, last_position
from focused_crawler.store.job import run_of
from focused_crawler.store.judges import hits_by
from focused_crawler.store.opening import is_in_use, read_crawl

MOST_DOTS = 400
MOST_HOSTS = 15
MOST_ALARMS = 10
MOST_ORDERS = 10
_ROWS_AT_ONCE = 20_000
REST = 1000.0
"""A part that took a second of CPU is read again after so many: each costs a thousandth of a core at most."""

_ROWS = "SELECT position, host, {} FROM pages WHERE position > ? ORDER BY position LIMIT ?"
_ALARMS = "SELECT id FROM decisions WHERE id > ? AND decision = 'alarm' ORDER BY id"


@dataclass
class Watched:
    """What is known of a crawl by now; what was not read yet is None."""

    standing: Standing
    bands: list[ScoreBand] | None = None
    failures: dict[str, int] | None = None
    hosts: list[HostRow] = field(default_factory=list)
    alarms: list[AlarmRow] = field(default_factory=list)
    cures: Cures | None = None
    orders: list[orders.GivenOrder] = field(default_factory=list)


@dataclass
class _Part:
    """Something that is read now and then."""

    read: Callable[[], Any]
    period: float  # seconds, at least
    due: float = 0.0  # of the monotonic clock
    value: Any = None

    def refreshed(self, now: float) -> Any:
        if now >= self.due:
            began = time.thread_time()
            self.value = self.read()
            self.due = now + max(self.period, REST * (time.thread_time() - began))
        return self.value


class CrawlWatch(Closing):
    """Reads one crawl, by a connection of its own: all calls come from one thread."""

    def __init__(self, folder: Path) -> None:
        """Open it; raises CrawlError."""
        self._folder = folder
        self._database: CrawlDatabase = read_crawl(folder)
        self._history = CrawlHistory(self._database)
        self._run_state = self._state_of_run()  # before it is read: what is written meanwhile is read next
        self._run = run_of(folder)
        self._hosts: Counter[str] = Counter()
        self._relevant: Counter[str] = Counter()
        self._counted = self._decisions = 0
        self._alarm_ids: list[int] = []
        self._parts = {
            "bands": _Part(lambda: self._history.bands_left(self._run) or None, 3.0),
            "failures": _Part(self._history.failures_by_class, 3.0),
            "cures": _Part(lambda: cures_of(self._folder, self._run, self._database), 20.0),
        }
        self.dots: deque[Dot] = deque(maxlen=MOST_DOTS)

    def read(self) -> Watched:
        """Return how the crawl is now; raises CrawlError where its database cannot be read any more."""
        is_running = is_in_use(self._folder)  # asked first: who has ended has written so before
        self._read_run()
        with self._database.snapshot():
            return self._read(is_running=is_running)

    def _read(self, *, is_running: bool) -> Watched:
        self._read_dots()
        self._read_hosts()
        alarms = self._read_alarms()
        now = time.monotonic()
        named = {name: part.refreshed(now) for name, part in self._parts.items() if name != "cures" or alarms}
        return Watched(
            self._standing(len(alarms), is_running=is_running),
            named["bands"],
            named["failures"],
            self._top_hosts(),
            alarms[-MOST_ALARMS:],
            named.get("cures"),
            orders.given(self._database, MOST_ORDERS),
        )

    def close(self) -> None:
        self._database.close()

    def _standing(self, alarms: int, *, is_running: bool) -> Standing:
        pages, relevant, rate_now = hits_of(self._database, self._run)
        return Standing(self._folder, self._run, is_running, pages, relevant, rate_now, alarms)

    def _read_run(self) -> None:
        if (state := self._state_of_run()) != self._run_state:
            run = run_of(self._folder)
            if run.judge != self._run.judge:  # all pages are judged anew, and may be relevant now
                self._hosts.clear()
                self._relevant.clear()
                self._counted = 0
            self._run, self._run_state = run, state

    def _state_of_run(self) -> tuple[int, int]:
        """Return what changes when run.json is written anew, also twice within one tick of the clock."""
        try:
            file = (self._folder / "run.json").stat()
        except OSError as error:
            raise CrawlError(f"{self._folder} is no crawl's folder any more ({error.strerror})") from None
        return file.st_ino, file.st_mtime_ns

    def _read_dots(self) -> None:
        last = last_position(self._database)
        after = self.dots[-1].position if self.dots else 0
        self.dots.extend(dots(self._database, self._run.judged_by, max(after, last - MOST_DOTS), last))

    def _read_hosts(self) -> None:
        rows = _ROWS.format(hits_by(self._run.judged_by).column)
        for position, host, is_relevant in self._database.rows(rows, (self._counted, _ROWS_AT_ONCE)):
            self._hosts[host] += 1
            self._relevant[host] += bool(is_relevant)
            self._counted = position

    def _top_hosts(self) -> list[HostRow]:
        best = self._hosts.most_common(MOST_HOSTS)
        return [HostRow(host, pages, self._relevant[host]) for host, pages in best]

    def _read_alarms(self) -> list[AlarmRow]:
        last = last_decision(self._database)
        if last > self._decisions:
            self._alarm_ids += (id for (id,) in self._database.rows(_ALARMS, (self._decisions,)))
            self._decisions = last
        return standing_alarms(self._database, self._alarm_ids) if self._alarm_ids else []
