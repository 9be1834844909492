"""A worker in a process of its own: ADDRESS NAME WORKER SLOTS SECONDS DEAD_AFTER.

It has SLOTS URLs out at a time at most, each for so many SECONDS. Another worker is dead to it that has sent
no heartbeat for DEAD_AFTER seconds. It prints a line for each URL that it is given and each that it has
acknowledged: what, the URL, and the time when it asked for it, or had acknowledged it.
"""

from __future__ import annotations

import sys
import time
from collections import deque

from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.prefetch import state as prefetch_start
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis import workers
from focused_crawler.frontier.redis.pipelined import PipelinedRedis


def main(address: str, name: str, worker: str, slots: int, seconds: float, dead_after: float) -> None:
    workers.WORKER_SECONDS = dead_after
    prefetch_start.PAGES_A_SLOT = 1
    shared = PipelinedRedis(address, name, Rules(), worker=worker)
    frontier = PrefetchFrontier(shared, prefetch=4, lease_seconds=900, info=dict)
    out: deque[tuple[float, str]] = deque()
    while out or frontier.has_more():
        asked = time.time()
        for lease in frontier.take(1, asked) if len(out) < slots else ():
            say("took", lease.url, asked)
            out.append((time.time() + seconds, lease.url))
        while out and out[0][0] <= time.time():
            url = out.popleft()[1]
            frontier.done(url)
            say("ack", url, time.time())  # what a crawl writes to its database
            frontier.ack()
        time.sleep(0.005)
    frontier.close()


def say(what: str, url: str, when: float) -> None:
    print(what, url, when, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]), *map(float, sys.argv[5:]))
