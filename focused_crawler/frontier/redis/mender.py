"""A frontier in Redis that does not go on, as entries make no sense or are gone: noticed, and set right."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from focused_crawler.frontier.order import batches
from focused_crawler.frontier.redis import workers
from focused_crawler.frontier.redis.counters import Counters
from focused_crawler.frontier.redis.workers import OUT, UNACKED, Ownership

logger = logging.getLogger(__name__)


class Mender:
    """Looks at a frontier that has given this worker nothing for a while; what is sound stays as it is.

    Whoever can write to the server may have put anything there, and have deleted what others need.
    """

    def __init__(
        self,
        counters: Counters,
        ownership: Ownership,
        run: Callable[..., list[Any]],
        urls: Callable[[int], Iterator[bytes]],
        latest: Callable[[], float],
    ) -> None:
        """`run`: runs a step on a partition; `urls`: the identities of the URLs of a partition.

        `latest`: the time after which no URL is waited for.
        """
        self._counters, self._ownership, self._run, self._urls = counters, ownership, run, urls
        self._latest = latest
        self.rest()

    def rest(self) -> None:
        """Record that the frontier goes on."""
        self._check_at = time.monotonic() + workers.WORKER_SECONDS

    def check(self) -> None:
        """Set right a frontier that has given nothing for long, and never will."""
        if time.monotonic() < self._check_at:
            return
        self.rest()
        if self._is_stuck():
            self._mend()
            logger.warning("The frontier in Redis had more to do and no way to it; it was set right")

    def _is_stuck(self) -> bool:
        counts = self._counters.each()
        if self._ownership.held(OUT):
            return False  # a living worker is at something
        if sum(each["unkept"] for each in counts) > self._ownership.held(UNACKED):
            return True
        left = [each["pending"] + each["waiting"] + each["leased"] + each["lost"] for each in counts]
        return any(urls > 0 and not self._comes(number) for number, urls in enumerate(left))

    def _comes(self, number: int) -> bool:
        """Tell whether there is a URL to be taken, or a host to be asked in a while."""
        is_ready, alarm, _ = self._run("next", number)
        return bool(is_ready or (alarm and float(alarm) <= self._latest()))

    def _mend(self) -> None:
        for number in range(self._counters.partitions):
            while self._run("mend", number, "leases")[0]:
                pass
            for ids in batches(self._urls(number)):
                self._run("mend", number, "urls", *ids)
            self._run("mend", number, "counts")
