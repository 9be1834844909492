"""What the frontier in Redis costs a URL: memory beyond the URL's own, adds and takes, beside scrapy-redis.

    .venv/bin/python benchmarks/redis_frontier.py [--urls 1000000] [--hosts 100000] [--beside FOLDER]
                                                  [--json FILE]

Links come as a crawl's do (generated_links.py): 50 a page, all of them new, hosts by Zipf's law. The server
is one of our own with its default settings. Memory is what it says it uses, less what it used when it was
empty, less the length of all URLs; parents, hosts and priorities are in it. The window is `--window` URLs at
full size: added a page at a time, and taken 1 and 16 at a time, each take with a clock that has gone on.
Costs are microseconds of CPU a URL, the server's and the client's; rates are by the clock.

`--beside` names a virtual environment with scrapy-redis (0.9), whose priority queue and duplicate filter do
the same in a process of that environment (redis_frontier_scrapy.py). Ten million URLs need 3 GB and some ten
minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import redis
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import STDERR, Meter, Report, main
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.redis_server import redis_server

DELAY = 1.0
BULK = 1000
TAKES = (1, 16)
OTHER = Path(__file__).with_name("redis_frontier_scrapy.py")


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
    """Return what some work came to by URL; the client's part is what it says, else this process's."""
    before, meter = server_cpu(client), Meter()
    with meter.running():
        said = work()
    seconds, client_cpu = said if isinstance(said, tuple) else (meter.wall, meter.cpu)
    server_us = 1e6 * (server_cpu(client) - before) / urls
    return {"work": name, "rate": urls / seconds, "server": server_us, "client": 1e6 * client_cpu / urls}


def server_cpu(client: redis.Redis) -> float:
    info = client.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def measured_there(environment: Path, urls: int, hosts: int, window: int) -> Iterator[dict[str, Any]]:
    """Yield what scrapy-redis costs, in a process of its own environment."""
    with (
        redis_server() as server,
        redis.Redis.from_url(server.address) as client,
        other(environment, server.address) as told,
    ):
        empty, own, links = used(client), 0, GeneratedLinks(hosts)
        for bulk in links.bulks(urls, BULK):
            told("fill", bulk)
            own += sum(len(link.url.encode()) for link in bulk)
        told("wait", [])
        about = {"frontier": "scrapy_redis", "size": (used(client) - empty - own) / urls}
        links_there = [link for page in links.pages(window) for link in page]
        yield about | cost(client, "add", window, partial(told, "add", links_there))
        for number in TAKES:
            yield about | cost(client, f"take_{number}", window, partial(told, f"take {number} {window}", []))


@contextmanager
def other(environment: Path, address: str) -> Iterator[Callable[[str, list[Candidate]], tuple[float, float]]]:
    """Return how to tell the process what to do; it answers with seconds and seconds of CPU."""
    command = [environment / "bin" / "python", OTHER, address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def told(what: str, links: list[Candidate]) -> tuple[float, float]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([what, [[link.url, link.priority] for link in links]]) + "\n")
            process.stdin.flush()
            seconds, spent = json.loads(process.stdout.readline())
            return seconds, spent

        yield told


def measure(
    *,
    urls: int = 1_000_000,
    hosts: int = 100_000,
    window: Annotated[int, "URLs that each rate is measured on"] = 16_000,
    beside: Annotated[Path | None, "a virtual environment with scrapy-redis"] = None,
) -> Report:
    """Fill a server, then add and take; beside it scrapy-redis, where it is."""
    rows = Rows(measured(urls, hosts, window))
    if beside is not None:
        rows += measured_there(beside, urls, hosts, window)
    return Report({"work": rows})


if __name__ == "__main__":
    main(measure, __doc__)
