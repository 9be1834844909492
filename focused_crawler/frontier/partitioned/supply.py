"""One order of all workers: each publishes its best pending URL, and waits for much better ones of others.

In one process a URL is not given out while a much better one waits for its host (`Rules.wait_for_best`). Here
the better one may be another worker's as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from focused_crawler.frontier.order import Standing


@dataclass(slots=True)
class Supply:
    """A worker's part in the order."""

    hosts: int = 0
    waiting_hosts: int = 0
    bands: list[int] = field(default_factory=list)  # pending URLs by equal bands of priority
    best: Standing | None = None  # of what is pending, ready or worth a wait; None: nothing is

    def packed(self) -> str:
        """Return it as it is published."""
        return json.dumps([self.hosts, self.waiting_hosts, self.bands, self.best])

    @classmethod
    def read(cls, packed: str) -> Self:
        """Return what was published; nothing before the first time."""
        if not packed:
            return cls()
        hosts, waiting_hosts, bands, best = json.loads(packed)
        return cls(hosts, waiting_hosts, bands, None if best is None else tuple(best))


def best_of(supplies: Iterable[Supply]) -> Standing | None:
    """Return the standing of the best URL of all these workers, None if they have none."""
    return min((supply.best for supply in supplies if supply.best is not None), default=None)
