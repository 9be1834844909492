"""What the frontier in Redis costs a URL: memory beyond the URL's own, adds and takes.

    .venv/bin/python benchmarks/redis_frontier.py [--urls 1000000] [--hosts 100000] [--json FILE]

Links come as a crawl's do (generated_links.py): 50 a page, all of them new, hosts by Zipf's law. The server
is one of our own with its default settings. Memory is what it says it uses, less what it used when it was
empty, less the length of all URLs; parents, hosts and priorities are in it. The window is `--window` URLs at
full size: added a page at a time, and taken 1 and 16 at a time, each take with a clock that has gone on.
Costs are microseconds of CPU a URL, the server's and the client's; rates are by the clock. Ten million URLs
need 3 GB and some ten minutes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import redis
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import STDERR, Meter, Report, main
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.redis_server import redis_server

DELAY = 1.0
BULK = 1000
TAKES = (1, 16)


def bytes_per_url(urls: int, hosts: int = 100_000) -> float:
    """Return the bytes that a pending URL takes in Redis, beyond its own text."""
    with redis_server() as server, redis.Redis.from_url(server.address) as client:
        return filled(server.address, client, GeneratedLinks(hosts), urls)[1]


def filled(
    address: str, client: redis.Redis, links: GeneratedLinks, urls: int
) -> tuple[RedisFrontier, float]:
    """Return a frontier with so many URLs, and the bytes of each beyond its own."""
    frontier = RedisFrontier(address, "focused:benchmark:1", Rules(delay=DELAY), worker="benchmark")
    empty, own = used(client), 0
    bulks = links.bulks(urls, BULK)
    for bulk in track(bulks, "filling", total=urls // BULK, console=STDERR):
        frontier.add(bulk)
        own += sum(len(link.url.encode()) for link in bulk)
    return frontier, (used(client) - empty - own) / len(frontier)


def used(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])


def measured(urls: int, hosts: int, window: int) -> Iterator[dict[str, Any]]:
    """Yield what each kind of work costs in our frontier."""
    links = GeneratedLinks(hosts)
    with redis_server() as server, redis.Redis.from_url(server.address) as client:
        frontier, size = filled(server.address, client, links, urls)
        pages, about = list(links.pages(window)), {"frontier": "redis", "size": size}
        yield about | cost(client, "add", window, lambda: [frontier.add(page) for page in pages])
        for number in TAKES:
            work = partial(take, frontier, number, window)
            yield about | cost(client, f"take_{number}", window, work)
        frontier.close()


def take(frontier: RedisFrontier, number: int, window: int) -> None:
    """Take so many at a time, while a clock goes on by a thousandth of a host's delay a URL."""
    now, taken = time.time(), 0
    while taken < window:
        taken += len(frontier.take(number, now))
        now += number * DELAY / 1000


def cost(client: redis.Redis, name: str, urls: int, work: Callable[[], Any]) -> dict[str, Any]:
    """Return what some work came to by URL."""
    before, meter = server_cpu(client), Meter()
    with meter.running(urls):
        work()
    server_us = 1e6 * (server_cpu(client) - before) / urls
    return {"work": name, "rate": urls / meter.wall, "server": server_us, "client": meter.us}


def server_cpu(client: redis.Redis) -> float:
    info = client.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def measure(
    *,
    urls: int = 1_000_000,
    hosts: int = 100_000,
    window: Annotated[int, "URLs that each rate is measured on"] = 16_000,
) -> Report:
    """Fill a server, then add and take."""
    return Report({"work": Rows(measured(urls, hosts, window))})


if __name__ == "__main__":
    main(measure, __doc__)
