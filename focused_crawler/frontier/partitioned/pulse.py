"""The thread that sends a worker's heartbeats, and reads what all workers know of each other."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from typing import Any, NamedTuple

import psycopg
from psycopg.sql import SQL, Identifier

from focused_crawler.frontier.base import Info
from focused_crawler.frontier.partitioned.members import FENCE_SECONDS, NOW, WORKER_SECONDS, lost
from focused_crawler.frontier.partitioned.supply import Supply
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.postgresql.connection import using_failed
from focused_crawler.store.postgresql.database import PostgresqlSchema

PERIOD = 0.25
"""Seconds between two heartbeats, and so the age of what is known of others."""
STUCK_SECONDS = 30.0
"""A crawl that has taken nothing for so long is not to be waited for by others, whatever good URLs it has."""
_PATIENCE = 11.0
"""Seconds until a thread is not waited for any more."""

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # the first counts a laptop's sleep, too

_BEAT = f"UPDATE workers SET heartbeat_at = {NOW}, report = %s, supply = %s WHERE name = %s"  # noqa: S608
_LOOK = f"""
SELECT (SELECT json_agg(json_build_array(name, {NOW} - heartbeat_at, supply)) FROM workers),
       (SELECT json_object_agg(state, urls) FROM states),
       EXISTS (SELECT 1 FROM offers), EXISTS (SELECT 1 FROM offers WHERE part = ANY (%s)),
       (SELECT count(*) FROM partitions WHERE worker IS NULL)
"""  # noqa: S608
_DEPART = (
    f"UPDATE partitions SET worker = NULL, asked_until = {NOW} WHERE worker = %s",  # noqa: S608
    f"UPDATE runs SET ended = {NOW} WHERE worker = %s AND ended IS NULL",  # noqa: S608
    "DELETE FROM workers WHERE name = %s",
)


class FleetGlance(NamedTuple):
    """All workers at one moment."""

    turn: int  # how many transactions of ours it is younger than
    others: dict[str, Supply]  # that live
    dead: int  # workers whose hosts are to be taken over
    free: int  # partitions that are nobody's
    totals: dict[int, int]
    has_offers: bool  # anybody's


@dataclass(slots=True)
class PulseState:
    """What thread and crawl tell each other; each name is written by one of them."""

    turn: int = 0  # the crawl's: transactions that are over
    held: Collection[int] = ()  # the crawl's: partitions
    supply: Supply = field(default_factory=Supply)  # the crawl's
    is_old: bool = True  # the supply was sent
    view: FleetGlance | None = None  # the thread's
    has_mail: bool = False  # the thread sets it, the crawl takes it back
    last_beat: float = 0.0  # the thread's, in ticks
    awake_since: float = 0.0  # the same: since when there was no long silence of ours
    failure: CrawlError | None = None  # the thread's


class Pulse:
    """Runs the thread; it has a connection of its own, so that no transaction holds it up."""

    def __init__(self, schema: PostgresqlSchema, worker: str, report: Callable[[], Info]) -> None:
        """Send the first heartbeat; raises CrawlError."""
        self._schema, self._worker, self._report = schema, worker, report
        self.exchange = PulseState(awake_since=ticks() - WORKER_SECONDS)
        self._is_over = Event()
        self._published_at = ticks()
        self._channel = f"{schema.schema}:offers"
        self._connection = schema.connect_beside()
        try:
            self._connection.execute(SQL("LISTEN {}").format(Identifier(self._channel)))
            self._beat()
        except psycopg.Error as error:
            self._connection.close()
            raise self._refusal(error) from error
        self._thread = Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    @property
    def channel(self) -> str:
        """Return where offers are announced."""
        return self._channel

    @property
    def is_fenced(self) -> bool:
        """Tell whether others may take this worker for dead, or soon will."""
        return ticks() - self.exchange.last_beat > FENCE_SECONDS

    @property
    def can_bury(self) -> bool:
        """Tell whether this worker was awake for so long that who is silent is dead: all may have slept."""
        return ticks() - self.exchange.awake_since >= WORKER_SECONDS

    def check(self) -> None:
        """Raise what has ended the thread."""
        if self.exchange.failure is not None:
            raise self.exchange.failure
        if not self._thread.is_alive() and not self._is_over.is_set():
            raise CrawlError("the thread of heartbeats has ended; run the same command again")

    def close(self, *, departs: bool) -> None:
        """End; `departs`: whatever is not stored, let others have the hosts now."""
        self._is_over.set()
        self._thread.join(_PATIENCE)
        try:
            for sql in _DEPART if departs else ():
                self._connection.execute(sql, (self._worker,))
        except psycopg.Error:
            pass  # others find out by themselves
        finally:
            self._connection.close()

    def _run(self) -> None:
        try:
            while not self._is_over.is_set():
                self._wait()
                self._beat()
        except psycopg.Error as error:
            self.exchange.failure = self._refusal(error)
        except CrawlError as error:
            self.exchange.failure = error

    def _wait(self) -> None:
        """Wait for the next heartbeat's time; an offer for us that comes meanwhile is noted at once."""
        until = ticks() + PERIOD
        while (left := until - ticks()) > 0 and not self._is_over.is_set():
            for notice in self._connection.notifies(timeout=left, stop_after=1):
                if not set(json.loads(notice.payload)).isdisjoint(self.exchange.held):
                    self.exchange.has_mail = True

    def _beat(self) -> None:
        exchange, began = self.exchange, ticks()
        if not exchange.is_old:
            self._published_at = began
        supply = exchange.supply
        if began - self._published_at > STUCK_SECONDS:
            supply = replace(supply, best=None)
        exchange.is_old = True
        report = json.dumps(dict(self._report()))
        beat = self._connection.execute(_BEAT, (report, supply.packed(), self._worker))
        if not beat.rowcount:
            raise lost(self._worker)
        if began - exchange.last_beat > FENCE_SECONDS and exchange.last_beat:
            exchange.awake_since = began
        exchange.last_beat = began
        self._look(exchange.turn)

    def _look(self, turn: int) -> None:
        held = list(self.exchange.held)
        row = self._connection.execute(_LOOK, (held,)).fetchone()
        assert row is not None
        workers, totals, has_offers, has_mail, free = row
        living, dead = others_of(self._worker, workers or [])
        counted = {int(state): urls for state, urls in (totals or {}).items()}
        self.exchange.view = FleetGlance(turn, living, dead, free, counted, has_offers)
        if has_mail:
            self.exchange.has_mail = True

    def _refusal(self, error: psycopg.Error) -> CrawlError:
        return CrawlError(using_failed(str(self._schema), error))


def others_of(own: str, workers: list[Any]) -> tuple[dict[str, Supply], int]:
    """Return what other workers that live have published, and how many are dead."""
    others = {name: (age, supply) for name, age, supply in workers if name != own}
    living = {name: Supply.read(supply) for name, (age, supply) in others.items() if age <= WORKER_SECONDS}
    return living, len(others) - len(living)


def ticks() -> float:
    """Return seconds on a clock that never stops, nor goes back."""
    return time.clock_gettime(_CLOCK)


def wall_lead(connection: Any) -> float:
    """Return the seconds that the server's clock is ahead of ours, by a look of some milliseconds."""
    before = time.time()
    ((server,),) = connection.rows(f"SELECT {NOW}")
    return float(server) - (before + time.time()) / 2
