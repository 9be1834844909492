"""When what a crawl leaves behind is written, and when it is safe."""

from __future__ import annotations

import time
from collections.abc import Callable

from focused_crawler.crawl.steps import Steps
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
    """For one of several writers: what is pages', links' and the frontier's goes in one locked transaction.

    A process that dies before it has its URLs given out again by who has their hosts next.
    """

    def __init__(
        self,
        database: CrawlDatabase,
        steps: Steps,
        before: Entry,
        *,
        opened: Entry,
        after: Entry,
        wants: Callable[[], bool],
    ) -> None:
        """`opened`: what is done first in each transaction; `after`: what is done when it is over.

        `wants`: tells whether the frontier has anything to write or to read.
        """
        super().__init__(database, steps, before)
        self._opened, self._after, self._wants = opened, after, wants
        self._entries: list[Entry] = []

    def write(self, entry: Entry) -> None:
        self._entries.append(entry)

    def commit(self) -> None:
        if self._entries or self._wants():
            with self._steps.timing("commit"), self._database.locked_transaction():
                self._opened()
                for entry in self._entries:  # some write more
                    entry()
            self._entries.clear()
            self._after()
        self._ended = 0

    def lease_ended(self, *, is_alone: bool, at_once: bool) -> None:
        """Commit if enough is pending, or a host is to be left alone: others have to wait for each commit."""
        super().lease_ended(is_alone=False, at_once=at_once)

    def keep_times(self) -> None:
        """Do nothing: who has a host next leaves it alone for as long as it may have been asked."""
