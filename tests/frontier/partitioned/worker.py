"""A worker of a frontier that is shared by hosts, without a crawl."""

from __future__ import annotations

import time

from focused_crawler.frontier.base import Info, Rules
from focused_crawler.frontier.partitioned.frontier import PartitionedFrontier
from focused_crawler.frontier.partitioned.pulse import Pulse
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema

_PID: Info = {"pid": 1}


class Worker:
    """A worker as a crawl drives it: it makes a turn when there is something to write or to read."""

    def __init__(self, address: str, schema: str, name: str, rules: Rules, *, report: Info = _PID) -> None:
        location = PostgresqlSchema(address, schema, shared=True)
        self.name, self.database = name, CrawlDatabase(location)
        self.frontier = PartitionedFrontier(self.database, rules, worker=name)
        with self.database.locked_transaction():
            self.frontier.join(report)
        self.pulse: Pulse | None = Pulse(location, name, lambda: report)
        self.frontier.end_turn()
        self.frontier.begin(self.pulse, self.turn)

    def turn(self) -> None:
        with self.database.locked_transaction():
            self.frontier.begin_turn()
            self.frontier.check_turn()
        self.frontier.end_turn()

    def tick(self) -> None:
        self.frontier.has_more()  # takes in what the thread has read
        if self.frontier.wants_turn:
            self.turn()

    @property
    def held(self) -> set[int]:
        rows = self.database.rows("SELECT number FROM partitions WHERE worker = ?", (self.name,))
        return {number for (number,) in rows}

    def take(self) -> str | None:
        self.tick()
        leases = self.frontier.take(1, time.time())
        return leases[0].url if leases else None

    def leave(self) -> bool:
        self.frontier.close()
        with self.database.locked_transaction():
            is_last = self.frontier.leave()
        self.stop()
        return is_last

    def stop(self) -> None:
        """End as a process that is killed does."""
        if self.pulse is not None:
            self.pulse.close(departs=False)
            self.database.close()
        self.pulse = None
