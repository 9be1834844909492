"""State of a URL in the frontier that workers share, read while they run or later."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from focused_crawler.fleet.status import LONGEST_NAME, frontier_name
from focused_crawler.frontier.redis.inspection import RedisInspection, SeenUrl
from focused_crawler.page.url import host_of
from focused_crawler.report.why.facts import HostFact, QueueFact, UrlFacts
from focused_crawler.report.why.reading import DatabaseQueue, read_facts
from focused_crawler.safety.errors import ConfigError, CrawlError, FrontierUnreachable
from focused_crawler.safety.formats import tidy
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, STOPPED, RunInfo
from focused_crawler.store.rows import read_counters
from focused_crawler.store.schema import State

_CURE = "Name it with -s FOCUSED_FRONTIER=redis://HOST:PORT/0, or in the environment"

_Read = TypeVar("_Read")


def read_shared(database: CrawlDatabase, url: str, run: RunInfo, address: str) -> tuple[UrlFacts, RunInfo]:
    """Return what is known of a normalised URL, and the run as it is now: it goes on while any worker lives.

    `address`: of the frontier; empty: the one that its worker on this machine wrote down, without a password.
    Where it cannot be read the database answers, and a remark says why. Raises CrawlError for the database.
    """
    run = replace(run, totals={**run.totals, "pages": read_counters(database).get("pages", 0)})
    try:
        inspection = RedisInspection(address or run.frontier, frontier_name(run.topic, run.job))
    except ConfigError as error:  # its message names the cure
        return _without(database, url, str(error)), run
    except CrawlError as error:
        end = " " if str(error).endswith("?") else ". "
        return _without(database, url, f"{error}{end}{_CURE}"), run
    with inspection:
        try:
            now = inspection.server_time()
            facts = read_facts(database, url, SharedQueue(inspection, database, time.time() - now))
            return facts, _as_it_is(run, is_worked_on=inspection.is_worked_on(now))
        except CrawlError as error:
            return _without(database, url, str(error)), run


def read_owned(database: CrawlDatabase, url: str, run: RunInfo) -> tuple[UrlFacts, RunInfo]:
    """Return the same of a crawl whose database holds its frontier."""
    run = replace(run, totals={**run.totals, "pages": read_counters(database).get("pages", 0)})
    return read_facts(database, url), _as_it_is(run, is_worked_on=database.location.is_locked())


class SharedQueue(DatabaseQueue):
    """Adds what Redis has to the rows of the database, which holds the URLs that pages link to."""

    def __init__(self, inspection: RedisInspection, database: CrawlDatabase, lead: float) -> None:
        """`lead`: seconds that the clock of this machine is ahead of the server's."""
        super().__init__(database)
        self._inspection, self._lead = inspection, lead
        self._remarks: list[str] = []

    def queue(self, url: str) -> QueueFact | None:
        seen = self._inspection.url(url)  # first: what it has done with is in the database then
        row = super().queue(url)
        return row if seen is None else self._fact(seen, url, row)

    def again(self, url: str) -> State | None:
        # What is out has mostly been recorded this moment, and Redis does not know of it yet.
        queue = self.queue(url)
        state = None if queue is None else State(queue.state)
        return state if state in {State.PENDING, State.WAITING} else None

    def host(self, name: str, pages: int) -> HostFact | None:
        host = self._sound(lambda: self._inspection.host(name))
        if host is None:
            return None
        return HostFact(
            name=name,
            load=host.load,
            asked_at=self._here(host.asked_at),
            ready_at=self._here(host.ready_at),
            delay=host.delay,
            fetches=host.pages,
            refusals=host.refusals,
            pending=0 if host.is_closed else host.queued,
            out=host.out + host.waits,
            pages=pages,
        )

    def ahead(self, queue: QueueFact, host: HostFact) -> int | None:
        order = queue.tries, queue.priority, host.load
        return self._sound(lambda: self._inspection.pending_before(queue.url, *order))

    def pending_of(self, host: str, most: int) -> Sequence[str]:
        return self._inspection.pending_of(host, most)

    def has_outcomes(self) -> bool:
        return True

    def remarks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._remarks))

    def _sound(self, read: Callable[[], _Read | None]) -> _Read | None:
        """Return what is read; what makes no sense becomes a remark, as the rest stands without it."""
        try:
            return read()
        except FrontierUnreachable:
            raise
        except CrawlError as error:
            self._remarks.append(str(error))
            return None

    def _fact(self, seen: SeenUrl, url: str, row: QueueFact | None) -> QueueFact:
        entry, host = seen.entry, None
        state, asked_as = entry.state, entry.url or (row.url if row else url)
        if entry.url is not None:
            host = host_of(entry.url)
            stands = self.host(host, 0) if state == State.PENDING else None
            state = State.DROPPED if stands and stands.is_closed else state
        return QueueFact(
            id=row.id if row else None,
            url=asked_as,
            state=state,
            host=host,
            tries=entry.tries,
            priority=entry.priority,
            tie=seen.tie,
            depth=entry.depth,
            rank=None,
            retry_at=None if entry.retry_at is None else self._here(entry.retry_at),
            parent=seen.parent,
            worker=None if seen.worker is None else tidy(seen.worker, LONGEST_NAME),
        )

    def _here(self, moment: float) -> float:
        """Return a moment of the server's clock by the clock of this machine; 0: never."""
        return moment + self._lead if moment else 0.0


def _as_it_is(run: RunInfo, *, is_worked_on: bool) -> RunInfo:
    """Return a run as it is now: what one machine wrote down knows nothing of the others."""
    ended = STOPPED if run.state == RUNNING else run.state
    return replace(run, state=RUNNING if is_worked_on else ended)


def _without(database: CrawlDatabase, url: str, problem: str) -> UrlFacts:
    """Return what the database alone knows of a URL."""
    return replace(read_facts(database, url), remarks=(f"The frontier was not read: {problem}",))
