"""How many URLs are pending by priority, in a partition of a frontier in Redis."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.frontier.redis_records import priorities
from focused_crawler.frontier.redis_steps import KEYS, Steps

SAMPLE = 200
"""So many members of a queue are looked at, of some 20 URLs each; all of them where there are no more."""


def pending_by_band(steps: Steps, keys: Sequence[bytes], bands: int) -> list[float]:
    """Return how many URLs are pending by equal bands of priority, the lowest first."""
    queue, counts, closed = (keys[KEYS.index(key)] for key in ("queue", "counts", "closed"))
    chunks, pending, over = steps.ask(("ZCARD", queue), ("HGET", counts, "pending"), ("SMEMBERS", closed))
    command = ("ZRANGE", queue, 0, -1) if chunks <= SAMPLE else ("ZRANDMEMBER", queue, SAMPLE)
    (members,) = steps.ask(command)
    found = [0.0] * bands
    for member in members:
        host, _, entries = member.partition(b"\0")
        if host not in over:
            for priority in priorities(entries):
                found[min(int(priority * bands), bands - 1)] += 1
    share = int(pending or 0) / (sum(found) or 1.0)
    return [urls * share for urls in found]
