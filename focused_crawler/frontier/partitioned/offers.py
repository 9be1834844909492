"""Links to the hosts of other workers: sent with a transaction of ours, taken with one of theirs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.order import merged
from focused_crawler.frontier.partitioned import statements as sql
from focused_crawler.frontier.partitioned.partition import host_number, partition_of
from focused_crawler.page.url import host_of
from focused_crawler.store.database import CrawlDatabase

KINDS = (sql.OFFERED, sql.AGAIN, sql.CHANGED)
_MOST_REMEMBERED = 16_384


class Offers:
    """What waits to be sent, and what has come."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._channel = ""
        self.has_sent = False  # since somebody set it back
        self._waiting: dict[int, list[Candidate]] = {kind: [] for kind in KINDS}
        self._sent: dict[int, tuple[float, int]] = {}  # key -> priority and depth it was offered with

    def announce_on(self, channel: str) -> None:
        """Tell owners by a notice on a channel."""
        self._channel = channel

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, kind: int, links: Iterable[Candidate]) -> None:
        """Offer links with the next transaction."""
        self._waiting[kind] += links
        self._database.defer(self.send, "offers")

    def send(self) -> None:
        """Write what waits; part of a locked transaction."""
        rows = [row for kind, links in self._waiting.items() for row in self._rows(kind, links)]
        self._waiting = {kind: [] for kind in KINDS}
        if rows:
            self.has_sent = True
            self._database.write_all(sql.SEND, rows)
            if self._channel:
                parts = sorted({row[1] for row in rows})
                self._database.execute(sql.NOTIFY, (self._channel, json.dumps(parts)))

    def take(self, partitions: Iterable[int]) -> dict[int, list[Candidate]]:
        """Return what others offer, by kind, and delete it; part of a locked transaction."""
        rows = sorted(self._database.rows(sql.TAKE_OFFERS, (sorted(partitions),)))
        taken: dict[int, list[Candidate]] = {kind: [] for kind in KINDS}
        for _, kind, *link in rows:
            taken[kind].append(Candidate(*link))
        return taken

    def _rows(self, kind: int, links: list[Candidate]) -> list[tuple[Any, ...]]:
        rows = []
        for key, link in merged(links).items():
            if kind == sql.OFFERED and not self._is_news(key, link):
                continue
            url, priority, depth, parent, path = link
            part = partition_of(host_number(host_of(url)))
            rows.append((key, part, kind, url, priority, depth, parent, path))
        return rows

    def _is_news(self, key: int, link: Candidate) -> bool:
        """Tell whether a link is better than when it was offered last, or was not, lately."""
        before = self._sent.get(key)
        if before is not None and before[0] >= link.priority and before[1] <= link.depth:
            return False
        if len(self._sent) >= _MOST_REMEMBERED:
            self._sent.clear()
        self._sent[key] = link.priority, link.depth
        return True
