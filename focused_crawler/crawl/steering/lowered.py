"""URLs that are fetched if nothing better is left: their place has spent its trap budget, or its share.

They are out of the frontier until it is empty. So nothing raises them meanwhile: no further link to them, and
no strategy that scores again what is pending. Then the best few come back, behind all that these lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Protocol

from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.steering.domains import SHARE
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.values import storable

RAISED = 64
"""So many come back at a time: none of them stands in the way of what is found meanwhile for long."""
BEHIND = 1e-3
"""What their priorities are multiplied by then: they stay in order among their like."""
_MOST_REMEMBERED = 20_000

Decide = Callable[..., object]
"""Stores a decision: see `PageStore.record_decision`."""
Queue = Callable[[Sequence[Candidate]], object]
"""Queues what comes back."""


class LoweredUrls(Protocol):
    """Each URL is lowered once; after that it is fetched when its turn comes."""

    def put(self, link: Candidate, refusal: Refusal) -> None:
        """Lower a URL, if it never was."""

    def was_raised(self, url: str) -> bool:
        """Tell whether a URL was lowered, and has come back since."""

    def raise_best(self, n: int, queue: Queue) -> bool:
        """Have the `n` or fewer best queued, which come back now; return whether there was any.

        Each comes back once, whoever asks; one that gave no page meanwhile, by another worker, is not
        queued. No crash leaves it come back and not queued.
        """

    def come_back(self, url: str) -> None:
        """Take note that a URL is fetched now: if it was lowered, a link found since has queued it."""

    def has_any(self) -> bool:
        """Tell whether any is still lowered."""


class LoweredInMemory:
    """For a crawl that is not resumed, as a simulation."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}  # key -> it has come back
        self._heap: list[tuple[float, int, Candidate]] = []

    def put(self, link: Candidate, _: Refusal) -> None:
        key = url_key(link.url)
        if key not in self._known:
            self._known[key] = False
            heappush(self._heap, (-link.priority, key, link))

    def was_raised(self, url: str) -> bool:
        return self._known.get(url_key(url), False)

    def raise_best(self, n: int, queue: Queue) -> bool:
        found: list[Candidate] = []
        while len(found) < n and self.has_any():
            _, key, link = heappop(self._heap)
            self._known[key] = True
            found.append(link)
        queue(found)
        return bool(found)

    def come_back(self, url: str) -> None:
        if (key := url_key(url)) in self._known:
            self._known[key] = True

    def has_any(self) -> bool:
        while self._heap and self._known[self._heap[0][1]]:
            heappop(self._heap)
        return bool(self._heap)


_PUT = """
INSERT INTO lowered (key, url, priority, depth, parent, path, is_raised) VALUES (?, ?, ?, ?, ?, ?, 0)
ON CONFLICT (key) DO NOTHING
"""
_RAISE = """
UPDATE lowered SET is_raised = 1 WHERE key IN (
    SELECT key FROM lowered WHERE is_raised = 0 ORDER BY priority DESC, key LIMIT ?
) RETURNING key, url, priority, depth, parent, path
"""
_COME_BACK = "UPDATE lowered SET is_raised = 1 WHERE key = ? AND is_raised = 0"
_WAS_RAISED = "SELECT is_raised FROM lowered WHERE key = ?"
_FAILED = "SELECT key FROM failures WHERE key {among}"
_ANY = "SELECT 1 FROM lowered WHERE is_raised = 0 LIMIT 1"


class LoweredTable:
    """In the crawl's database, for all workers of the crawl."""

    def __init__(self, database: CrawlDatabase, journal: Journal, decide: Decide) -> None:
        self._database, self._journal, self._decide = database, journal, decide
        self._coming = 0  # to be written by the next transaction
        self._flooding: set[str] = set()  # domains
        self._known: set[int] = set()  # of those lowered last, as a page's links are often those of others

    def put(self, link: Candidate, refusal: Refusal) -> None:
        key = url_key(storable(link.url))
        if key in self._known:
            return
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known.add(key)
        self._coming += 1
        self._journal.write(partial(self._put, key, link, refusal))

    def _put(self, key: int, link: Candidate, refusal: Refusal) -> None:
        self._coming -= 1
        url, priority, depth, parent, path = link
        parent = None if parent is None else storable(parent)
        added = self._database.execute(_PUT, (key, storable(url), priority, depth, parent, path))
        is_held = refusal.rule == SHARE and refusal.name == domain_of(host_of(url))  # else it redirects there
        if added.rowcount and not is_held:
            self._decide("lowered", refusal.rule, url=url, detail=refusal.name)
        elif added.rowcount and refusal.name not in self._flooding:  # one row for all of its URLs
            self._flooding.add(refusal.name)
            self._decide("held", SHARE, host=refusal.name)

    def was_raised(self, url: str) -> bool:
        rows = self._database.rows(_WAS_RAISED, (url_key(storable(url)),))
        return bool(rows and rows[0][0])

    def raise_best(self, n: int, queue: Queue) -> bool:
        found: list[tuple[int, Candidate]] = []

        def move() -> None:
            found.extend((key, Candidate(*link)) for key, *link in self._database.rows(_RAISE, (n,)))
            found.sort(key=lambda one: (-one[1].priority, one[0]))
            keys = self._database.many([key for key, _ in found])
            failed = {
                key for (key,) in self._database.rows(_FAILED.format(among=self._database.among), (keys,))
            }
            queue([link for key, link in found if key not in failed])

        if self.has_any():  # else others would be kept waiting for nothing
            self._journal.write(move)
            self._journal.commit()
        return bool(found)

    def come_back(self, url: str) -> None:
        self._journal.write(partial(self._database.execute, _COME_BACK, (url_key(storable(url)),)))

    def has_any(self) -> bool:
        return self._coming > 0 or bool(self._database.rows(_ANY))
