"""How many URLs are pending by priority, in a partition of a frontier in Redis."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from focused_crawler.frontier.redis.records import priorities
from focused_crawler.frontier.redis.steps import KEYS, StepRunner

COUNTS = (
    b"pending",
    b"waiting",
    b"leased",
    b"done",
    b"failed",
    b"dropped",
    b"hosts",
    b"waiting_hosts",
    b"unkept",
    b"quarantined",
    b"lost",  # known to be pending, and in no queue any more
)
"""Of a partition."""


class Counters:
    """Reads them; those that are no numbers are set right first."""

    def __init__(self, steps: StepRunner, keys: Sequence[bytes], run: Callable[..., object]) -> None:
        """`keys`: under which each partition has its own; `run`: runs a step on a partition."""
        self._steps, self._keys, self._run = steps, keys, run

    @property
    def partitions(self) -> int:
        """Return how many partitions there are."""
        return len(self._keys)

    def read(self) -> Counter[str]:
        """Return their sums."""
        counts: Counter[str] = Counter()
        for found in self.each():
            counts.update(found)
        return counts

    def each(self) -> list[Counter[str]]:
        """Return those of each partition."""
        stored = self._stored()
        if sum(self._recount(number, found) for number, found in enumerate(stored)):
            stored = self._stored()
        return [Counter({name.decode(): int(found.get(name, b"0")) for name in COUNTS}) for found in stored]

    def last_asked(self) -> float:
        """Return when anything was taken last, by anybody; 0 if it never was."""
        moments = [found.get(b"asked", b"") for found in self._stored()]
        return max((float(moment) for moment in moments if _is_moment(moment)), default=0.0)

    def _stored(self) -> list[dict[bytes, bytes]]:
        return self._steps.ask(*(("HGETALL", key) for key in self._keys))

    def _recount(self, number: int, found: dict[bytes, bytes]) -> bool:
        """Set the counters right that are no numbers; return whether there were any."""
        malformed = [name for name in COUNTS if not _is_whole(found.get(name, b"0"))]
        if malformed:
            self._run("recount", number, *malformed)
        return bool(malformed)


def _is_whole(text: bytes) -> bool:
    return re.fullmatch(rb"[0-9]{1,16}", text) is not None


def _is_moment(text: bytes) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


SAMPLE = 200
"""So many members of a queue are read, of some 20 URLs each; all of them where there are no more."""


def pending_by_band(steps: StepRunner, keys: Sequence[bytes], bands: int) -> list[float]:
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
                if 0.0 <= priority <= 1.0:  # what is none is put aside when it is taken
                    found[min(int(priority * bands), bands - 1)] += 1
    share = int(pending or 0) / (sum(found) or 1.0)
    return [urls * share for urls in found]
