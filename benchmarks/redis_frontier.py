"""What the frontier in Redis costs a URL: memory beyond the URL's own, adds and takes, beside scrapy-redis.

    .venv/bin/python benchmarks/redis_frontier.py [--urls 1000000] [--hosts 100000] [--with FOLDER]
                                                  [--json FILE]

Links come as a crawl's do (generated_links.py): 50 a page, all of them new, hosts by Zipf's law. The server
is one of our own with its default settings. Memory is what it says it uses, less what it used when it was
empty, less the length of all URLs; parents, hosts and priorities are in it. The window is `--window` URLs at
full size: added a page at a time, and taken 1 and 16 at a time, each take with a clock that has gone on.
Costs are microseconds of CPU a URL, the server's and the client's; rates are by the clock.

`--with` names a virtual environment with scrapy-redis (0.9), whose priority queue and duplicate filter do the
same in a process of that environment (redis_frontier_scrapy.py). Ten million URLs need 3 GB and some ten
minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import redis
from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.redis_server import redis_server

DELAY = 1.0
BULK = 1000
TAKES = (1, 16)
OTHER = Path(__file__).with_name("redis_frontier_scrapy.py")
NAMES = {"ours": "this frontier", "scrapy_redis": "scrapy-redis"}


class Cost(NamedTuple):
    """What a kind of work came to, by URL."""

    seconds: float
    server: float  # microseconds of CPU
    client: float

    @classmethod
    def over(cls, urls: int, seconds: float, server: float, client: float) -> Cost:
        return cls(seconds / urls, 1e6 * server / urls, 1e6 * client / urls)


class Found(NamedTuple):
    """What one frontier costs."""

    bytes_per_url: float
    work: dict[str, Cost]


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
    for bulk in track(bulks, "filling", total=urls // BULK, console=Console(stderr=True)):
        frontier.add(bulk)
        own += sum(len(link.url.encode()) for link in bulk)
    return frontier, (used(client) - empty - own) / len(frontier)


def used(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])


def measured(urls: int, hosts: int, window: int) -> Found:
    links = GeneratedLinks(hosts)
    with redis_server() as server, redis.Redis.from_url(server.address) as client:
        frontier, size = filled(server.address, client, links, urls)
        pages = list(links.pages(window))
        work = {"add": cost(client, window, lambda: [frontier.add(page) for page in pages])}
        for number in TAKES:
            work[f"take_{number}"] = cost(client, window, partial(take, frontier, number, window))
        frontier.close()
    return Found(size, work)


def take(frontier: RedisFrontier, number: int, window: int) -> None:
    """Take so many at a time, while a clock goes on by a thousandth of a host's delay a URL."""
    now, taken = time.time(), 0
    while taken < window:
        taken += len(frontier.take(number, now))
        now += number * DELAY / 1000


def cost(client: redis.Redis, urls: int, work: Callable[[], object]) -> Cost:
    before, own, began = server_cpu(client), time.process_time(), time.perf_counter()
    work()
    seconds, spent = time.perf_counter() - began, time.process_time() - own
    return Cost.over(urls, seconds, server_cpu(client) - before, spent)


def server_cpu(client: redis.Redis) -> float:
    info = client.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def measured_there(environment: Path, urls: int, hosts: int, window: int) -> Found:
    """Return what scrapy-redis costs, in a process of its own environment."""
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
        size = (used(client) - empty - own) / urls
        work = {}
        links_there = [link for page in links.pages(window) for link in page]
        for name, number in (("add", 0), *((f"take_{number}", number) for number in TAKES)):
            before = server_cpu(client)
            seconds, spent = told("add" if not number else f"take {number} {window}", links_there)
            work[name] = Cost.over(window, seconds, server_cpu(client) - before, spent)
    return Found(size, work)


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


def table(found: dict[str, Found], options: argparse.Namespace) -> Table:
    shown = Table(title=f"{options.urls:,} URLs on {options.hosts:,} hosts")
    for column in ("", "bytes a URL", "work", "URLs/s", "us of the server", "us of the client"):
        shown.add_column(column, justify="left" if column in {"", "work"} else "right")
    for name, one in found.items():
        for work, each in one.work.items():
            cells = (work, f"{1 / each.seconds:,.0f}", f"{each.server:.0f}", f"{each.client:.0f}")
            is_first = work == "add"
            shown.add_row(
                NAMES[name] if is_first else "", f"{one.bytes_per_url:.0f}" if is_first else "", *cells
            )
    return shown


def figures(found: dict[str, Found]) -> dict[str, float]:
    values = {}
    for name, one in found.items():
        prefix = "redis" if name == "ours" else name
        values[f"{prefix}_bytes_per_url"] = one.bytes_per_url
        for work, each in one.work.items():
            values[f"{prefix}_{work}_per_second"] = 1 / each.seconds
            values[f"{prefix}_{work}_server_us"] = each.server
            values[f"{prefix}_{work}_client_us"] = each.client
    return values


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--window", type=int, default=16_000, help="URLs that each rate is measured on")
    parser.add_argument(
        "--with", type=Path, dest="environment", help="a virtual environment with scrapy-redis"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    found = {"ours": measured(options.urls, options.hosts, options.window)}
    if options.environment is not None:
        there = measured_there(options.environment, options.urls, options.hosts, options.window)
        found["scrapy_redis"] = there
    Console().print(table(found, options))
    if options.json is not None:
        options.json.write_text(json.dumps({"figures": figures(found)}, indent=2))


if __name__ == "__main__":
    main()
