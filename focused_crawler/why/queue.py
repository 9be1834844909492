"""Where a URL and its host stand: as any frontier has it, and as it lies in a crawl's database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State
from focused_crawler.why.facts import QUEUED, HostFact, QueueFact

_QUEUE = """
SELECT u.id, u.url, u.state, u.host, u.tries, u.priority, u.tie, u.depth, u.rank, u.retry_at, p.url
FROM urls AS u LEFT JOIN urls AS p ON p.id = u.parent WHERE u.key = ?
"""
_HOST = "SELECT id, load, asked_at, ready_at, delay, pages, refusals FROM hosts WHERE name = ?"
# The states stand as numbers: only so can the partial indexes be used.
_HOST_PENDING = "SELECT count(*) FROM urls WHERE host = ? AND state = 1"
_HOST_OUT = "SELECT count(*) FROM urls WHERE host = ? AND state IN (2, 3)"
_ANY_HOST = "SELECT 1 FROM hosts LIMIT 1"
_AHEAD = """
SELECT count(*) FROM urls AS u JOIN hosts AS h ON h.id = u.host WHERE u.state = 1 AND (
    u.tries < ? OR (u.tries = ? AND (u.priority > ? OR (u.priority = ? AND (
        h.load < ? OR (h.load = ? AND u.tie < ?))))))
"""
_PENDING = """
SELECT url FROM urls WHERE state = 1 AND host = (SELECT id FROM hosts WHERE name = ?) LIMIT ?
"""


class QueueReader(Protocol):
    """A frontier that is looked at. Methods raise CrawlError where it cannot be read."""

    def queue(self, url: str) -> QueueFact | None:
        """Return where a URL stands; None: no page links to it, and it was never queued."""

    def again(self, url: str) -> State | None:
        """Return where a URL stands that is queued although its page is recorded; None: it is not."""

    def host(self, name: str, pages: int) -> HostFact | None:
        """Return how a host stands of which so many pages are recorded; None: nothing of it was queued."""

    def ahead(self, queue: QueueFact, host: HostFact) -> int | None:
        """Return how many pending URLs come before a pending one; None: counting them would cost too much."""

    def pending_of(self, host: str, most: int) -> Sequence[str]:
        """Return URLs that are pending of a host."""

    def is_told(self) -> bool:
        """Tell whether it knows what became of each URL."""

    def remarks(self) -> tuple[str, ...]:
        """Return what could not be read, and what to type."""


class DatabaseQueue:
    """The frontier of one process, in its crawl's database; of any other crawl there are bare URLs in it."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def queue(self, url: str) -> QueueFact | None:
        rows = self._database.rows(_QUEUE, (url_key(url),))
        return QueueFact(*rows[0]) if rows else None

    def again(self, url: str) -> State | None:
        queue = self.queue(url)
        state = None if queue is None else State(queue.state)
        return state if state in QUEUED else None

    def host(self, name: str, pages: int) -> HostFact | None:
        rows = self._database.rows(_HOST, (name,))
        if not rows:
            return None
        id = rows[0][0]
        pending, out = (self._database.rows(sql, (id,))[0][0] for sql in (_HOST_PENDING, _HOST_OUT))
        return HostFact._make((name, *rows[0][1:], pending, out, pages))

    def ahead(self, queue: QueueFact, host: HostFact) -> int | None:
        place = (queue.tries, queue.priority, host.load)
        values = tuple(value for value in place for _ in range(2))
        return int(self._database.rows(_AHEAD, (*values, queue.tie))[0][0])

    def pending_of(self, host: str, most: int) -> Sequence[str]:
        return [url for (url,) in self._database.rows(_PENDING, (host, most))]

    def is_told(self) -> bool:
        return bool(self._database.rows(_ANY_HOST))

    def remarks(self) -> tuple[str, ...]:
        return ()
