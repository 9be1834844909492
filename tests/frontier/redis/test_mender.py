"""A frontier that garbage, or what was deleted, keeps from going on: it ends all the same."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from struct import pack

import pytest
import redis

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis import frontier as frontier_module
from focused_crawler.frontier.redis import workers
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.records import sort_key_of
from focused_crawler.frontier.redis.steps import KEYS, REGISTRY_TYPES, partition_keys, registry_keys
from tests.redis_server import NamedServer, RedisServer

URLS = [f"http://h{number % 7}.org/{number}" for number in range(40)]
Keys = dict[str, bytes]
Spoil = Callable[[redis.Redis, Keys], object]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is dead, and a frontier looked at, after a tenth of a second."""
    monkeypatch.setattr(workers, "WORKER_SECONDS", 0.1)
    monkeypatch.setattr(workers, "SILENCE", 1.0)
    monkeypatch.setattr(frontier_module, "_RECLAIM_SECONDS", 0.01)


@pytest.fixture
def keys(redis_server: RedisServer | NamedServer) -> Iterator[Keys]:
    """The keys of a frontier whose worker died with URLs that wait, are out, and have ended."""
    name = redis_server.new_name()
    dead = RedisFrontier(redis_server.address, name, Rules(delay=1.0, max_pending=1000), worker="dead")
    dead.add(Candidate(url, 0.5, 1, "http://parent.org/") for url in URLS)
    now = time.time()
    for lease in dead.take(4, now):
        dead.failed(lease.url, now + 5)
    for lease in dead.take(3, now + 1):
        dead.done(lease.url)
    assert dead.take(3, now + 2)
    found = dict(zip(KEYS, partition_keys(name, 0, 1), strict=True))
    yield {**found, **dict(zip(REGISTRY_TYPES, registry_keys(name), strict=True)), "name": name.encode()}
    dead.forget()
    dead._client.close()


def drained(server: RedisServer | NamedServer, keys: Keys) -> Counter[str]:
    """Return what another worker is given, until there is no more."""
    given: Counter[str] = Counter()
    rules = Rules(delay=1.0, max_pending=1000)
    frontier = RedisFrontier(server.address, keys["name"].decode(), rules, worker="one")
    try:
        end, now = time.monotonic() + 30, time.time()
        while frontier.has_more():
            assert time.monotonic() < end, frontier._counters.read()
            now += 5
            for lease in frontier.take(9, now):
                given[lease.url] += 1
                frontier.done(lease.url)
            frontier.ack()
            assert sum(frontier.bands()) >= 0
            time.sleep(0.005)
        return given
    finally:
        frontier.close()


DELETED = (
    "queue",
    "ready",
    "alarms",
    "waits",
    "leases",
    "ends",
    "held",
    "owned",
    "ended",
    "parents",
)


@pytest.mark.parametrize("key", DELETED)
def test_a_key_that_was_deleted(redis_server: RedisServer | NamedServer, keys: Keys, key: str) -> None:
    """All else is written down with the URLs: each is given out, those that had ended perhaps again."""
    with redis.Redis.from_url(redis_server.address) as client:
        client.delete(keys[key])
    given = drained(redis_server, keys)
    assert len(given) >= len(URLS) - 3
    assert max(given.values()) <= 2


@pytest.mark.parametrize("score", [math.inf, -math.inf])
@pytest.mark.parametrize(
    "key", ["queue", "ready", "waits", "held", "owned", "worst", "ends", "alarms", "beats"]
)
def test_members_of_another_score(
    redis_server: RedisServer | NamedServer, keys: Keys, key: str, score: float
) -> None:
    """No range of a set can be read then."""
    with redis.Redis.from_url(redis_server.address) as client:
        client.zadd(keys[key], dict.fromkeys((b"", b"NaN", b"h1.org\0" + bytes(16)), score))
    assert len(drained(redis_server, keys)) >= len(URLS) - 3


def test_an_owner_that_is_no_text(redis_server: RedisServer | NamedServer, keys: Keys) -> None:
    """Neither its name nor what it has makes sense."""
    with redis.Redis.from_url(redis_server.address) as client:
        members = (b"\xff\xfe\0L12345678", b"\xff\0\xff", b"nobody", b"one\0\xff")
        client.zadd(keys["owned"], dict.fromkeys(members, 0))
        client.zadd(keys["beats"], {b"\xff\xfe": 0})
    assert len(drained(redis_server, keys)) >= len(URLS) - 3


def record_with(at: int, part: bytes) -> Spoil:
    def spoil(client: redis.Redis, keys: Keys) -> None:
        for id, record in list(client.hgetall(keys["urls"]).items())[::3]:
            client.hset(keys["urls"], id, record[:at] + part + record[at + len(part) :])

    return spoil


def wait_until(moment: float) -> Spoil:
    def spoil(client: redis.Redis, keys: Keys) -> None:
        for member in client.zrange(keys["waits"], 0, -1):
            host, _, rest = member.partition(b"\0")
            client.zrem(keys["waits"], member)
            client.zadd(keys["waits"], {host + b"\0" + pack(">d", moment) + rest[8:]: 0})
            record = client.hget(keys["urls"], rest[8:])
            client.hset(keys["urls"], rest[8:], record[:-8] + pack(">d", moment))

    return spoil


SPOILT = {
    "priority NaN": (record_with(2, sort_key_of(math.nan)), 20),
    "priority infinite": (record_with(2, sort_key_of(math.inf)), 20),
    "another scheme": (record_with(24, b"java"), 20),
    "another URL": (record_with(36, b"xyz"), 20),
    "wait for ever": (wait_until(math.inf), 37),
    "wait for ages": (wait_until(1e300), 37),
}


@pytest.mark.parametrize("case", SPOILT)
def test_records_that_make_no_sense(
    redis_server: RedisServer | NamedServer, keys: Keys, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    """They are put aside, with a line each; what only waits too long is asked for."""
    spoil, least = SPOILT[case]
    with redis.Redis.from_url(redis_server.address) as client:
        spoil(client, keys)
        given = drained(redis_server, keys)
        assert least <= len(given) <= len(URLS)
        assert set(given) <= set(URLS)
        assert int(client.hget(keys["counts"], "quarantined") or 0) > 0
    assert "Put aside what makes no sense in Redis: " in caplog.text
