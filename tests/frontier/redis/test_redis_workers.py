"""Many workers on one frontier, any of which may die, lose answers or say things twice: nothing is lost."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import asdict
from itertools import chain

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focused_crawler.fleet.status import WorkerRow
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.page.url import host_of
from tests.redis_audit import audit

DELAY = 2.0
KINDS = ("L", "G", "E")


class Worker:
    """What a process has in mind; it is gone when the process is."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.frontier = RedisFrontier(
            world.address, world.name, world.rules, worker=name, partitions=world.partitions
        )
        self.out: dict[str, str] = {}  # URL -> the host that is asked
        self.waiting: set[str] = set()  # URLs that a redirect led to a host that may not be asked yet
        self.ended: list[str] = []  # and not kept

    def take(self) -> None:
        for lease in self.frontier.take(self.world.random.randrange(1, 4), self.world.now):
            self.world.ask(self, lease.url, host_of(lease.url))

    def lose_a_take(self) -> None:
        """What it gave nobody knows of; the hosts may wait for it in vain."""
        self.frontier.take(2, self.world.now)
        self.frontier.resync(list(self.out))

    def some(self) -> str | None:
        return self.world.random.choice(sorted(self.out)) if self.out else None

    def done(self) -> None:
        if (url := self.some()) is not None:
            self.say(lambda: self.frontier.done(url))
            self.end(url)
            self.ended.append(url)

    def fail(self) -> None:
        if (url := self.some()) is not None:
            self.say(lambda: self.frontier.failed(url, self.world.now + 1.0))
            self.end(url)

    def refuse(self) -> None:
        if (url := self.some()) is not None:
            self.say(lambda: self.frontier.refused(url, self.out[url], self.world.now, 1.0))
            self.end(url)

    def redirect(self) -> None:
        if (url := self.some()) is not None:
            there = f"h{self.world.random.randrange(8)}.org"
            when = self.frontier.redirected(url, there, self.world.now)
            if when is not None:
                self.out[url] = there
                self.waiting.add(url)
                if when <= self.world.now:
                    self.waiting.discard(url)
                    self.world.check_alone(self, there)
                    self.world.note_ask(there)

    def release(self) -> None:
        if (url := self.some()) is not None:
            host = host_of(url)
            self.frontier.release(url)
            self.end(url)
            self.world.asked.pop(host, None)

    def ack(self) -> None:
        self.world.kept.update(self.ended)
        self.ended.clear()
        self.say(self.frontier.ack)

    def say(self, what) -> None:
        """Say something, and now and then once more, as if there had been no answer."""
        before = dict(self.frontier._out)
        what()
        if self.world.random.random() < 0.2:
            self.frontier._out = before
            what()

    def end(self, url: str) -> None:
        del self.out[url]
        self.waiting.discard(url)


class World:
    def __init__(self, address: str, name: str, partitions: int, seed: int) -> None:
        self.address, self.name, self.partitions = address, name, partitions
        self.rules = Rules(delay=DELAY, per_host=2, max_tries=10**6)
        self.random, self.now, self.born = random.Random(seed), 1000.0, 0
        self.asked: dict[str, float] = {}
        self.kept: Counter[str] = Counter()
        self.added: set[str] = set()
        self.workers = [self.new_worker() for _ in range(3)]

    def new_worker(self) -> Worker:
        self.born += 1
        return Worker(self, f"worker-{self.born}")

    def ask(self, worker: Worker, url: str, host: str) -> None:
        for other in self.workers:
            assert url not in other.out
            assert other is worker or host not in other.out.values()
        worker.out[url] = host
        self.note_ask(host)

    def check_alone(self, worker: Worker, host: str) -> None:
        """Nobody else may be asking that host; others may wait for it."""
        for other in self.workers:
            there = {url for url, at in other.out.items() if at == host}
            assert other is worker or there <= other.waiting

    def note_ask(self, host: str) -> None:
        assert self.now - self.asked.get(host, 0.0) >= DELAY
        self.asked[host] = self.now

    def add(self) -> None:
        urls = [f"http://h{self.random.randrange(8)}.org/{self.random.randrange(300)}" for _ in range(5)]
        self.workers[0].frontier.add(Candidate(url, self.random.random(), 1, "http://p.org/") for url in urls)
        self.added.update(urls)

    def die(self) -> None:
        """A worker is gone, and another comes; the rest notice at some time."""
        dead = self.workers.pop(self.random.randrange(3))
        self.workers.append(self.new_worker())
        for other in self.workers:
            other.frontier._clock.tick(self.now)
        self.workers[0].frontier._ownership.give_back(dead.name, KINDS, now=self.now)

    def step(self) -> None:
        kind = self.random.random()
        worker = self.random.choice(self.workers)
        if kind < 0.1:
            self.add()
        elif kind < 0.13:
            self.die()
        elif kind < 0.4:
            worker.take()
        elif kind < 0.6:
            worker.done()
        else:
            steps = (
                worker.fail,
                worker.refuse,
                worker.redirect,
                worker.release,
                worker.ack,
                worker.lose_a_take,
            )
            self.random.choice(steps)()
        self.now += self.random.random() / 2

    def finish(self) -> None:
        """Let all that is left be fetched."""
        for _ in range(2000):
            worker = self.random.choice(self.workers)
            worker.take()
            worker.done()
            self.now += 1.0
            if not worker.frontier.has_more():
                break
        for worker in self.workers:
            worker.ack()
            assert not worker.out


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("seed", range(2))
def test_every_url_is_kept_once(redis_server, seed, partitions):
    """Whatever happens; nobody has what another has, and no host is asked too early or by two at a time."""
    world = World(redis_server.address, redis_server.new_name(), partitions, seed)
    for _ in range(200):
        world.step()
    audit(world.workers[0].frontier)
    world.finish()
    audit(world.workers[0].frontier)
    assert world.kept == Counter(world.added)
    assert world.workers[0].frontier.stats().done == len(world.added)
    world.workers[0].frontier.forget()
    for worker in world.workers:
        worker.frontier.close()


PLAIN = (
    st.none() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.binary(max_size=3) | st.text(max_size=3)
)
ODD = st.recursive(PLAIN, lambda odd: st.lists(odd, max_size=3), max_leaves=4)
PAIRS = st.lists(st.tuples(ODD, ODD), max_size=3).map(
    lambda pairs: bytes([0x80 + len(pairs)]) + b"".join(map(msgpack.packb, chain.from_iterable(pairs)))
)


@pytest.fixture(scope="module")
def hostile(redis_server):
    """A frontier with a worker "x", of which something else may speak."""
    frontier = RedisFrontier(redis_server.address, redis_server.new_name(), Rules(), worker="x")
    frontier.heartbeat({"pages": 3})
    yield frontier
    frontier.forget()
    frontier.close()


@given(st.binary(max_size=40) | PAIRS)
@example(b"\x81\x91\x01\x02")
@example(b"\x81\x81\x01\x02\x03")
@example(b"\x81\xa1a" + b"\x91" * 3000)
@example(b"\x81\xd6\xff\x00\x00\x00\x01\x02")
def test_nothing_that_a_worker_says_raises(hostile, packed):
    """Whatever it is, the worker can be listed, and its row fits into JSON."""
    hostile._client.hset(hostile._registry._infos, "x", packed)
    (worker,) = hostile.workers()
    assert all(isinstance(value, str | int | float) for value in worker.info.values())
    row = WorkerRow.read(*worker[:4], now=0.0, dead_after=6.0)
    json.dumps(asdict(row), allow_nan=False)
