"""When what a crawl leaves behind is written, and when it is safe."""

from __future__ import annotations

import time
from collections.abc import Callable

from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Frontier
from focused_crawler.store.database import CrawlDatabase

COMMIT_PAGES = 16
COMMIT_SECONDS = 0.25
"""So many ended leases are committed together at most, and none waits for longer."""

Entry = Callable[[], object]


class Journal:
    """For the only writer of a database that holds the frontier, too: all is written at once, in order.

    What ends in one batch is committed in one transaction: pages, links, and the frontier's changes.
    """

    def __init__(self, database: CrawlDatabase, steps: Steps, before: Entry) -> None:
        """`before`: what is written last, with each commit."""
        self._database, self._steps, self._before = database, steps, before
        self._ended = 0  # leases since the last commit
        self._commit_at = 0.0
        self._is_alarmed = False
        self.wake: Callable[[float], object] | None = None
        """What calls `woken` after so many seconds; None: what ends alone is committed at once."""

    def write(self, entry: Entry) -> None:
        """Write something with the next commit, or before."""
        entry()

    def lease_ended(self, *, is_alone: bool, at_once: bool) -> None:
        """Commit if enough is pending, or `at_once`; `is_alone`: nothing is under way that could join."""
        self._ended += 1
        if self._ended == 1:
            self._commit_at = time.monotonic() + COMMIT_SECONDS
            self._set_alarm(COMMIT_SECONDS)
        is_enough = self._ended >= COMMIT_PAGES or time.monotonic() >= self._commit_at
        if is_enough or at_once or (is_alone and self.wake is None):
            self._commit_ended()

    def woken(self) -> None:
        """Commit what has waited for long enough."""
        self._is_alarmed = False
        left = self._commit_at - time.monotonic()
        if self._ended and left <= 0:
            self._commit_ended()
        elif self._ended:
            self._set_alarm(left)

    def _set_alarm(self, seconds: float) -> None:
        if self.wake is not None and not self._is_alarmed:
            self._is_alarmed = True
            self.wake(seconds)

    def _commit_ended(self) -> None:
        self.write(self._before)
        self.commit()

    def commit(self) -> None:
        """Make safe what was written."""
        with self._steps.timing("commit"):
            self._database.commit()
        self._ended = 0

    def keep_times(self) -> None:
        """Make safe when hosts may be asked next, before one is asked."""
        self.commit()


class SharedJournal(Journal):
    """For one of several writers: a batch is written in one short locked transaction, then acknowledged.

    A process that dies in between has its URLs given out again, and what is recorded twice counts once.
    """

    def __init__(
        self,
        database: CrawlDatabase,
        steps: Steps,
        frontier: Frontier,
        before: Entry,
        *,
        opened: Entry,
        after: Entry,
    ) -> None:
        """`opened`: what is done first in each transaction; `after`: what is done when it is over."""
        super().__init__(database, steps, before)
        self._frontier, self._opened, self._after = frontier, opened, after
        self._entries: list[Entry] = []

    def write(self, entry: Entry) -> None:
        self._entries.append(entry)

    def commit(self) -> None:
        if self._has_any():
            with self._steps.timing("commit"), self._database.locked_transaction():
                self._opened()
                for entry in self._entries:  # some write more
                    entry()
            self._entries.clear()
            self._frontier.ack()
            self._after()
        self._ended = 0

    def _has_any(self) -> bool:
        return bool(self._entries)

    def lease_ended(self, *, is_alone: bool, at_once: bool) -> None:
        """Commit if enough is pending: a transaction for each page would delay the others."""
        super().lease_ended(is_alone=False, at_once=False)

    def keep_times(self) -> None:
        """Do nothing: the frontier stores them by itself."""


class OwnersJournal(SharedJournal):
    """For one of several writers whose frontier is in the database: its changes go with the pages."""

    wants: Callable[[], bool]
    """Tells whether the frontier has anything to write or to read."""

    def _has_any(self) -> bool:
        return super()._has_any() or self.wants()

    def lease_ended(self, *, is_alone: bool, at_once: bool) -> None:
        """Commit if enough is pending, or a host is to be left alone: who has it next must know."""
        Journal.lease_ended(self, is_alone=False, at_once=at_once)
