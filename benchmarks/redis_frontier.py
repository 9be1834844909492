"""What a pending URL costs in Redis: memory beyond the URL's own.

    .venv/bin/python benchmarks/redis_frontier.py [--urls 1000000] [--hosts 100000] [--json FILE]

Links come as a crawl's do (generated_links.py): 50 a page, all of them new, hosts by Zipf's law. The server
is one of our own with its default settings. Memory is what it says it uses, less what it used when it was
empty, less the length of all URLs; parents, hosts and priorities are in it. Ten million URLs need 3 GB and
some ten minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import redis
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import STDERR, Report, main
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from tests.redis_server import redis_server

BULK = 1000


def bytes_per_url(urls: int, hosts: int = 100_000) -> float:
    """Return the bytes that a pending URL takes in Redis, beyond its own text."""
    with redis_server() as server, redis.Redis.from_url(server.address) as client:
        frontier = RedisFrontier(server.address, "focused:benchmark:1", Rules(delay=1.0), worker="benchmark")
        empty, own = used(client), 0
        bulks = GeneratedLinks(hosts).bulks(urls, BULK)
        for bulk in track(bulks, "add", urls // BULK, console=STDERR):
            frontier.add(bulk)
            own += sum(len(link.url.encode()) for link in bulk)
        size = (used(client) - empty - own) / len(frontier)
        frontier.close()
    return size


def used(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])


def measure(*, urls: int = 1_000_000, hosts: int = 100_000) -> Report:
    """Fill a server."""
    return Report({}, {"redis_bytes_per_url": bytes_per_url(urls, hosts)})


if __name__ == "__main__":
    main(measure, __doc__)
