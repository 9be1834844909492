"""Garbage in a fleet's Redis, as any program with its address may put it there: the real commands."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import redis

from focused_crawler.fleet.status import frontier_name
from focused_crawler.frontier.redis import workers
from focused_crawler.frontier.redis.steps import KEYS, REGISTRY_TYPES, TYPES, partition_keys, registry_keys
from tests.crawls.bees import PAGES, Bees
from tests.crawls.site import serving
from tests.hostile.watchdog import STATS
from tests.postgresql import Server
from tests.project import Done, Running, Scrapy, until
from tests.redis_server import NamedServer, RedisServer

GARBAGE = (
    b"",
    b"NaN",
    b"P",
    b"\x93\x01",
    b"127.0.0.1\0" + b"\xff" * 17,
    b"\xff" * 40,
    b"nobody\0E12345678",
    bytes(64),
)
SPARED = ("urls", "hosts", "meta")
"""What is added to, and not written over: what stands there of a page may stand nowhere else."""


def hasten() -> None:
    """Let a worker without a heartbeat be dead after three seconds."""
    workers.WORKER_SECONDS, workers.SILENCE = 3.0, 1.5


class Fleet:
    """A crawl of sixty pages over both servers."""

    def __init__(self, scrapy: Scrapy, bees: Bees, redis_server: str, postgresql: str, folder: Path) -> None:
        self.bees, self._scrapy, self._folder = bees, scrapy, folder
        self.job = f"job-{uuid4().hex[:8]}"
        self._servers = (f"FOCUSED_FRONTIER={redis_server}", f"FOCUSED_DATABASE={postgresql}")
        self.client = redis.Redis.from_url(redis_server)
        name = frontier_name("bees", self.job)
        self.keys = dict(zip(KEYS, partition_keys(name, 0, 1), strict=True))
        self.keys |= dict(zip(REGISTRY_TYPES, registry_keys(name), strict=True))

    def worker(self) -> Running:
        words = self.bees.words(*self._servers, "STATS_CLASS=tests.hostile.watchdog.KeptStats", job=self.job)
        environ = {STATS: str(self._folder / "stats")}
        return self._scrapy.start(*words, before="tests.hostile.test_redis.hasten", environ=environ)

    def command(self, *words: object) -> Done:
        servers = [word for setting in self._servers for word in ("-s", setting)]
        crawls = ("-s", f"FOCUSED_CRAWLS={self.bees.crawls}", "-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8")
        return self._scrapy.run("fleet", *words, *servers, *crawls)

    def stats(self) -> dict[str, int]:
        return json.loads((self._folder / "stats").read_text())

    def strew(self) -> None:
        """Put garbage into every key, over some of what is there."""
        for name, kind in {**TYPES, **REGISTRY_TYPES}.items():
            key = self.keys[name]
            if kind == b"hash":
                for field in self.client.hkeys(key)[:2] if name not in SPARED else ():
                    self.client.hset(key, field, b"garbage")
                self.client.hset(key, mapping={each: each for each in GARBAGE})
            elif kind == b"zset":
                for score in (0, float("inf"), float("-inf")):
                    self.client.zadd(key, {each + b"%f" % score: score for each in GARBAGE})
            elif kind == b"set":
                self.client.sadd(key, *GARBAGE)


@pytest.fixture
def fleet(
    scrapy: Scrapy, tmp_path: Path, redis_server: RedisServer | NamedServer, postgresql: Server
) -> Iterator[Fleet]:
    with serving() as site:
        bees = Bees(site, tmp_path, hosts=12)
        yield Fleet(scrapy, bees, redis_server.address, postgresql.address, tmp_path)


@pytest.mark.slow
def test_garbage_in_every_key(fleet: Fleet) -> None:
    """Also of a worker that died: what it had out is fetched, the crawl ends, and all garbage is counted."""
    fleet.bees.slow_down(0.2)
    first, second = fleet.worker(), fleet.worker()
    until(lambda: fleet.bees.hits().total() > 15)
    first.signal(signal.SIGKILL)
    first.wait()
    fleet.strew()
    done = second.wait()
    assert (done.code, "Traceback" in done.err) == (0, False), done.err[-3000:]
    assert f"pages: {PAGES}," in done.err
    lines = [line for line in done.err.splitlines() if "Put aside what makes no sense in Redis: " in line]
    assert any("NaN" in line for line in lines)
    assert fleet.stats()["focused/frontier/malformed"] >= len(lines) > len(GARBAGE)


@pytest.mark.parametrize("number", [0, -1000, 1000])
def test_counters_that_are_written_over(fleet: Fleet, number: int) -> None:
    """What is queued or out decides when a crawl ends, whatever they say; they are counted anew."""
    fleet.bees.slow_down(0.1)
    worker = fleet.worker()
    until(lambda: fleet.bees.hits().total() > 10)
    counters = ("pending", "waiting", "leased", "unkept", "lost")
    fleet.client.hset(fleet.keys["counts"], mapping=dict.fromkeys(counters, number))
    done = worker.wait()
    assert (done.code, "Traceback" in done.err) == (0, False), done.err[-3000:]
    assert f"pages: {PAGES}," in done.err
    left = fleet.client.hmget(fleet.keys["counts"], *counters)
    assert (fleet.bees.hits().total(), set(left)) == (PAGES, {b"0"})


@pytest.mark.parametrize("name", ["queue", "meta", "owned"])
def test_a_key_of_another_type(fleet: Fleet, name: str) -> None:
    """No fleet begins on it; one line says what deletes it, and that does."""
    fleet.client.set(fleet.keys[name], "x")
    if name != "meta":
        fleet.client.hset(fleet.keys["meta"], mapping={"format": "1", "seed": "0", "partitions": "1"})
    forget = ("forget", "bees", "--job", fleet.job)
    done = fleet.command(fleet.bees.topic, "--job", fleet.job)
    assert (done.code, done.err.count("\n")) == (2, 1), done.err[-3000:]
    assert f"scrapy fleet {' '.join(forget)}" in done.err
    assert fleet.command(*forget, "--yes").code == 0
    assert not fleet.client.exists(*fleet.keys.values())


def test_a_key_that_is_written_over(fleet: Fleet) -> None:
    """Under a running worker: it ends in one line, and is not waited for."""
    fleet.bees.slow_down(0.2)
    worker = fleet.worker()
    until(lambda: fleet.bees.hits().total() > 5)
    fleet.client.delete(fleet.keys["queue"])
    fleet.client.set(fleet.keys["queue"], "x")
    done = worker.wait()
    assert (done.code, "Traceback" in done.err) == (12, False), done.err[-3000:]
    assert "scrapy fleet forget" in done.err.splitlines()[-1]
