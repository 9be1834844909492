"""A look at a frontier in Redis: what it tells is so, and nothing is changed by it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import redis

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis import inspection as look_module
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.inspection import RedisInspection
from focused_crawler.frontier.redis.steps import registry_keys
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import CrawlError, FrontierUnreachable
from focused_crawler.store.schema import State

Join = Callable[..., RedisFrontier]


@pytest.fixture(params=["one", "parts", "cluster"])
def join(request: pytest.FixtureRequest) -> Iterator[Join]:
    """Lets a worker join a frontier: in one partition, in four, or on a cluster."""
    server = request.getfixturevalue("redis_cluster" if request.param == "cluster" else "redis_server")
    name, partitions = server.new_name(), {"one": 1, "parts": 4, "cluster": None}[request.param]
    with ExitStack() as stack:

        def joined(worker: str, **rules: Any) -> RedisFrontier:
            frontier = RedisFrontier(
                server.address, name, Rules(**rules), worker=worker, partitions=partitions
            )
            stack.callback(frontier.close)
            return frontier

        yield joined
        joined("last").forget()


def inspection(frontier: RedisFrontier) -> RedisInspection:
    return RedisInspection(frontier._address, frontier._name)


def content(frontier: RedisFrontier) -> dict[bytes, bytes | None]:
    """Return all that the server holds of it, but for the beats."""
    client, beats = frontier._client, registry_keys(frontier._name)[0]
    keys = client.scan_iter(match=f"{frontier._name}:*", count=1000)
    return {key: client.dump(key) for key in keys if key != beats}


def place_of(found: RedisInspection, url: str) -> int | None:
    """Return how many URLs come before one, None if it is not pending."""
    seen, host = found.url(url), found.host(host_of(url))
    if seen is None or host is None or seen.entry.state != State.PENDING:
        return None
    return found.pending_before(url, seen.entry.tries, seen.entry.priority, host.load)


def state(found: RedisInspection, url: str) -> State | None:
    seen = found.url(url)
    return None if seen is None else seen.entry.state


def test_every_state(join: Join) -> None:
    """With what belongs to it; who looks runs no step, and leaves all as it was."""
    one = join("one", max_tries=3)
    urls = [f"http://h{n}.org/x" for n in range(5)]
    one.add(Candidate(url, 1 - n / 10, n, "http://p.org/") for n, url in enumerate(urls))
    out, done, failed, tried = (lease.url for lease in one.take(4, 1000.0))
    one.done(done)
    one.failed(failed, None)
    one.failed(tried, 1234.5)
    before = content(one)
    with inspection(one) as found:
        seen = [found.url(url) for url in (out, done, failed, tried, urls[4])]
        states = [one.entry.state.name for one in seen if one]
        assert states == ["LEASED", "DONE", "FAILED", "WAITING", "PENDING"]
        assert [one.worker for one in seen if one] == ["one", "one", "one", None, None]
        waiting, pending = seen[3], seen[4]
        assert waiting is not None
        assert (waiting.entry.retry_at, waiting.entry.tries, waiting.parent) == (1234.5, 1, "http://p.org/")
        assert pending is not None
        assert pending.entry[2:6] == (urls[4], 0, 0.6, 4)
        assert found.url("http://h9.org/") is None
        assert found.host("h9.org") is None
        host = found.host(host_of(out))
        assert host is not None
        assert (host.load, host.out, host.queued) == (1, 1, 0)
        assert found.pending_of("h4.org", 5) == [urls[4]]
        assert found.pending_of("h9.org", 5) == []
        assert found.is_worked_on(found.server_time())
    assert content(one) == before
    one.ack()
    with inspection(one) as found:
        kept = [found.url(url) for url in (done, failed)]
        assert [(one.entry.state, one.worker, one.entry.url) for one in kept if one] == [
            (State.DONE, None, None), (State.FAILED, None, None),
        ]  # fmt: skip


def test_after_the_crawl(join: Join) -> None:
    """What is left is told when all workers have gone; nobody works on it then."""
    one = join("one")
    one.add([Candidate("http://a.org/", 0.5), Candidate("http://a.org/2", 0.25)])
    one.take(1, 1000.0)
    one.close()
    with inspection(one) as found:
        assert [state(found, url) for url in ("http://a.org/", "http://www.a.org/2/")] == [State.PENDING] * 2
        assert not found.is_worked_on(found.server_time())


def test_dropped_urls(join: Join) -> None:
    """Of a closed host they are pending there; what had to make room is dropped."""
    one = join("one", host_pages=1)
    one.add([Candidate("http://a.org/", 0.5), Candidate("http://a.org/2", 0.25)])
    one.done(one.take(1, 1000.0)[0].url)
    with inspection(one) as found:
        host = found.host("a.org")
        assert host is not None
        assert host.is_closed


def test_the_place_is_that_of_take(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes before a URL is what is taken before it, where every host may be asked."""
    monkeypatch.setattr(look_module, "_AT_A_TIME", 3)
    chance, one = random.Random(7), join("one")
    urls = [f"http://h{chance.randrange(5)}.org/{n}" for n in range(40)]
    one.add(Candidate(url, chance.choice([0.0, 0.1, 0.5, 0.5, 1.0])) for url in urls)
    for lease in one.take(10, 1000.0):  # from here on hosts have loads, and URLs tries
        one.failed(lease.url, 0.0 if chance.random() < 0.5 else None)
    one.take(0, 2000.0)
    first = one.take(1, 2000.0)[0]  # by which all that has waited is pending
    one.release(first.url)
    for _ in range(4):
        with inspection(one) as found:
            pending = [(place, url) for url in urls if (place := place_of(found, url)) is not None]
        assert sorted(place for place, _ in pending) == list(range(len(one)))
        assert min(pending)[1] == one.take(1, 2000.0)[0].url


def test_too_many_to_count(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then no place is told."""
    one = join("one")
    one.add(Candidate(f"http://h{n}.org/", 0.5) for n in range(5))
    with inspection(one) as found:
        assert found.pending_before("http://h9.org/", 0, 0.25, 0) == 5
        monkeypatch.setattr(look_module, "MOST_MEMBERS", 4)
        assert found.pending_before("http://h9.org/", 0, 0.25, 0) is None


def test_a_closed_host_is_before_nobody(join: Join) -> None:
    """What is queued there is dropped: none of it is pending, of better and of equal priority."""
    one = join("one", host_pages=1)
    one.add([Candidate(f"http://a.org/{n}", 0.9) for n in range(4)])
    one.add([Candidate("http://b.org/", 0.1), Candidate("http://c.org/", 0.1)])
    one.done(one.take(1, 1000.0)[0].url)
    with inspection(one) as found:
        assert found.pending_before("http://b.org/", 0, 0.1, 1) == 2
        assert found.pending_before("http://b.org/", 0, 0.9, 9) == 0
        assert found.pending_of("a.org", 5) == []
        assert found.pending_of("c.org", 5) == ["http://c.org/"]


def test_few_hosts_at_a_time(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """No read of the server grows with the number of hosts, open or closed; all are counted."""
    monkeypatch.setattr(look_module, "_AT_A_TIME", 4)
    one = join("one")
    one.add(Candidate(f"http://h{n}.org/", 0.5) for n in range(30))
    for number in one._all:
        one._client.sadd(one._key(number, "closed"), *(f"h{n}.org" for n in range(0, 60, 2)))
    with inspection(one) as found:
        asked = listen(found, monkeypatch)
        assert found.pending_before("http://a.org/", 0, 0.25, 0) == 15
        assert found.pending_before("http://a.org/", 0, 0.5, 1) == 15
    assert {command[0] for command in asked} == {"ZCARD", "ZRANGEBYLEX", "SMISMEMBER", "HMGET"}
    assert max(len(command) for command in asked if command[0] in {"SMISMEMBER", "HMGET"}) <= 2 + 4


@pytest.mark.parametrize("number", [32, 33, 200])
def test_many_urls_of_a_host(join: Join, number: int) -> None:
    """Are all counted, and found, however full the members of its queue are."""
    one = join("one")
    one.add(Candidate(f"http://a.org/{n}", 0.5) for n in range(number))
    with inspection(one) as found:
        assert found.pending_before("http://b.org/", 0, 0.25, 0) == number
        assert len(found.pending_of("a.org", 999)) == number


def listen(found: RedisInspection, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Return the commands that it will have sent; of more than a thousand it sends none."""
    asked: list[tuple[Any, ...]] = []
    ask = found._steps.ask

    def heard(*commands: tuple[Any, ...]) -> list[Any]:
        asked.extend(commands)
        assert len(asked) <= 1000, "it reads for ever"
        return ask(*commands)

    monkeypatch.setattr(found._steps, "ask", heard)
    return asked


def test_a_queue_out_of_order(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends in one line: one who went on behind the last member might begin anew for ever."""
    monkeypatch.setattr(look_module, "_AT_A_TIME", 10)
    one = join("one")
    for number in one._all:
        queue = one._key(number, "queue")
        one._client.zadd(queue, {b"z.org\0" + bytes(16) + bytes([n]): 0 for n in range(9)})
        one._client.zadd(queue, {b"a.org\0" + bytes(17): 1})
        one._client.zadd(queue, {b"z.org\0" + bytes(16) + bytes([n]): 2 for n in range(20, 40)})
    with inspection(one) as found:
        listen(found, monkeypatch)
        with pytest.raises(CrawlError, match="a queue that makes no sense, and cannot be counted"):
            found.pending_before("http://m.org/", 0, 0.5, 0)


def test_members_too_long(join: Join) -> None:
    """Are not counted, and no URLs of theirs are asked for."""
    one = join("one")
    one.add([Candidate("http://m.org/", 0.5)])
    for number in one._all:
        queue = one._key(number, "queue")
        one._client.zadd(queue, {b"c.org\0" + bytes(17 * 1000): 0, b"x" * 10**4 + b"\0" + bytes(17): 0})
    with inspection(one) as found:
        assert found.pending_before("http://a.org/", 0, 0.25, 0) == 1
        assert found.pending_of("c.org", 5) == []


def rubbish(frontier: RedisFrontier, key: str, field: str | bytes, value: bytes) -> None:
    for number in frontier._all:
        frontier._client.hset(frontier._key(number, key), field, value)


@pytest.mark.parametrize(
    "value",
    [b"", b"P", b"Pxyz", bytes(99), b"P\0" + b"\xff" * 90],
    ids=["empty", "state", "short", "zeros", "ones"],
)
def test_a_url_without_sense(join: Join, value: bytes) -> None:
    """Is one line."""
    one = join("one")
    rubbish(one, "urls", one._ids.of("http://a.org/"), value)
    with inspection(one) as found, pytest.raises(CrawlError, match="holds of this URL what makes no sense"):
        found.url("http://a.org/")


def test_a_record_of_another_url(join: Join) -> None:
    """Makes no sense either."""
    one = join("one")
    one.add([Candidate("http://a.org/", 0.5)])
    record = one._client.hget(one._key(one._partition("a.org"), "urls"), one._ids.of("http://a.org/"))
    rubbish(one, "urls", one._ids.of("http://b.org/"), record)
    with inspection(one) as found, pytest.raises(CrawlError, match="makes no sense"):
        found.url("http://b.org/")


@pytest.mark.parametrize("key", ["urls", "hosts", "leases", "parents", "queue", "closed"])
def test_a_key_of_another_kind(join: Join, key: str) -> None:
    """Ends in one line wherever it is met."""
    one = join("one")
    one.add([Candidate("http://a.org/", 0.5, 0, "http://p.org/")])
    number = one._partition("a.org")
    one._client.delete(one._key(number, key))
    one._client.set(one._key(number, key), b"rubbish")
    with inspection(one) as found, pytest.raises(CrawlError, match="another program wrote it"):
        place_of(found, "http://a.org/")


def test_rubbish_everywhere(join: Join) -> None:
    """Nothing of it counts, and nothing raises anything but one line."""
    one, chance = join("one"), random.Random(3)
    one.add([Candidate("http://a.org/", 0.5, 0, "http://p.org/"), Candidate("http://a.org/2", 0.25)])
    one.take(1, 1000.0)
    rubbish(one, "leases", one._ids.of("http://a.org/"), b"\xc1")
    rubbish(one, "hosts", "b.org", b"\x93\1\2\3")
    rubbish(one, "parents", one._ids.of("http://p.org/"), b"")
    for number in one._all:
        queue = one._key(number, "queue")
        one._client.zadd(queue, {chance.randbytes(length): 0 for length in range(1, 60)})
        one._client.zadd(queue, {b"a.org\0" + bytes(5): 0, b"\0" + bytes(17): 0})
    with inspection(one) as found:
        seen = found.url("http://a.org/")
        assert seen is not None
        assert (seen.entry.state, seen.worker, seen.parent) == (State.LEASED, None, None)
        with pytest.raises(CrawlError, match="holds of its host what makes no sense"):
            found.host("b.org")
        assert isinstance(found.pending_before("http://a.org/2", 0, 0.25, 1), int)
        assert found.pending_of("a.org", 5) == ["http://a.org/2"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [({}, "has no frontier of this crawl"),
     ({"format": "2", "seed": "0", "partitions": "1"}, "that this version cannot read"),
     ({"format": "1", "seed": "x", "partitions": "1"}, "that this version cannot read"),
     ({"format": "1", "seed": "0", "partitions": "1000000"}, "that this version cannot read"),
     ({"format": "1"}, "that this version cannot read")],
)  # fmt: skip
def test_no_frontier(redis_server: Any, fields: dict[str, str], message: str) -> None:
    """Or one of another version."""
    name = redis_server.new_name()
    meta = registry_keys(name)[2]
    client = open_client(redis_server.address)
    if fields:
        client.hset(meta, mapping=fields)
    with pytest.raises(CrawlError, match=message):
        RedisInspection(redis_server.address, name)
    client.delete(meta)
    client.close()


def test_no_server() -> None:
    """One line, without its password."""
    with pytest.raises(FrontierUnreachable, match="Redis at redis://localhost:1/0 cannot be reached") as told:
        RedisInspection("redis://:do-not-show@localhost:1/0", "focused:a:1")
    assert "do-not-show" not in str(told.value)


def test_a_user_who_may_only_read(redis_server: Any) -> None:
    """Is enough: no script, and nothing written."""
    one = RedisFrontier(redis_server.address, redis_server.new_name(), Rules(), worker="one")
    one.add([Candidate("http://a.org/", 0.5, 0, "http://p.org/")])
    with redis.Redis.from_url(redis_server.address) as client:
        client.execute_command("ACL SETUSER looker on >long-secret ~* +@read +time +info +@connection")
        address = redis_server.address.replace("://", "://looker:long-secret@")
        with RedisInspection(address, one._name) as found:
            assert state(found, "http://a.org/") == State.PENDING
            assert found.host("a.org") is not None
            assert found.pending_before("http://a.org/", 0, 0.5, 0) == 0
            assert found.pending_of("a.org", 3) == ["http://a.org/"]
            assert found.is_worked_on(found.server_time())
        client.execute_command("ACL DELUSER looker")
    one.forget()
    one.close()
