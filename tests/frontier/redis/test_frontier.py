"""The frontier in Redis: what many workers have of it, and what it does when one of them dies."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.redis import counters as bands_module
from focused_crawler.frontier.redis import workers as ownership_module
from focused_crawler.frontier.redis import workers as workers_module
from focused_crawler.frontier.redis.address import check_address, shown_address
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.steps import KEYS, partition_keys
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import ConfigError, CrawlError, FrontierUnreachable
from tests.redis_server import redis_server as own_redis_server
from tests.redis_server import until


def links(*urls, priority=0.5):
    return [Candidate(url, priority) for url in urls]


def urls(leases):
    return [lease.url for lease in leases]


@pytest.fixture
def quick_deaths(monkeypatch):
    """A worker is dead after half a second."""
    monkeypatch.setattr(ownership_module, "WORKER_SECONDS", 0.5)
    monkeypatch.setattr(workers_module, "SILENCE", 0.4)


@pytest.fixture(params=[1, 4])
def join(request, redis_server):
    """Lets one more worker join a frontier."""
    name = redis_server.new_name()
    with ExitStack() as stack:

        def joined(worker, **rules):
            frontier = RedisFrontier(
                redis_server.address, name, Rules(**rules), worker=worker, partitions=request.param
            )
            stack.callback(frontier.close)
            return frontier

        first = joined("first")
        stack.callback(first.forget)
        yield joined


def test_one_order_for_all(join):
    """Whoever asks gets the best URL of all that nobody has."""
    one, two = join("one"), join("two")
    one.add(Candidate(f"http://h{i}.org/", i / 10) for i in range(10))
    taken = [urls((one, two)[i % 2].take(1, 0.0)) for i in range(10)]
    assert taken == [[f"http://h{i}.org/"] for i in range(9, -1, -1)]


def test_a_host_belongs_to_one_worker_at_a_time(join):
    """While a URL of it is out, only who has that one gets more; then whoever asks first."""
    one, two = join("one", per_host=3), join("two", per_host=3)
    one.add(links(*(f"http://a.org/{i}" for i in range(9))))
    first = urls(one.take(1, 0.0))
    assert two.take(1, 0.0) == []
    second = urls(one.take(1, 0.0))
    one.done(*first)
    assert two.take(1, 0.0) == []
    one.done(*second)
    assert len(two.take(2, 0.0)) == 2
    assert one.take(1, 0.0) == []


def test_a_delay_holds_for_all(join):
    """However many workers ask, a host is asked no more often than by one."""
    workers = [join(name, delay=2.0) for name in ("one", "two", "three")]
    workers[0].add(links(*(f"http://a.org/{i}" for i in range(5))))
    given = []
    for step in range(100):
        worker = workers[step % 3]
        for lease in worker.take(1, 1000.0 + step / 10):
            given.append(step / 10)
            worker.done(lease.url)
    assert given == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_a_redirect_waits_while_another_worker_has_the_host(join):
    """Which may be asking it at any moment; after it the host keeps its delay."""
    one, two = join("one", delay=2.0), join("two", delay=2.0)
    one.add([Candidate("http://a.org/", 0.9), Candidate("http://b.org/", 0.8)])
    assert [urls(worker.take(1, 1000.0)) for worker in (one, two)] == [["http://a.org/"], ["http://b.org/"]]
    assert one.redirected("http://a.org/", "b.org", 1002.0) == 1004.0
    assert one.redirected("http://a.org/", "b.org", 1004.0) == 1006.0
    two.asked("b.org", 1005.0)
    two.done("http://b.org/")
    assert one.redirected("http://a.org/", "b.org", 1006.0) == 1007.0
    assert one.redirected("http://a.org/", "b.org", 1007.0) == 1007.0


def test_a_redirect_without_a_delay_looks_again_soon(join):
    """Not at once, or it would ask for ever."""
    one, two = join("one"), join("two")
    one.add([Candidate("http://a.org/", 0.9), Candidate("http://b.org/", 0.8)])
    one.take(1, 1000.0)
    two.take(1, 1000.0)
    assert one.redirected("http://a.org/", "b.org", 1000.0) == pytest.approx(1000.1)


def test_redirects_do_not_wait_for_each_other(join):
    """From one host to the other and back, or both to a third: one goes on, the other after it."""
    one, two = join("one", delay=1.0), join("two", delay=1.0)
    one.add([Candidate("http://a.org/", 0.9), Candidate("http://b.org/", 0.8)])
    one.take(1, 1000.0)
    two.take(1, 1000.0)
    assert one.redirected("http://a.org/", "b.org", 1001.0) > 1001.0
    assert two.redirected("http://b.org/", "a.org", 1001.0) <= 1001.0
    assert one.redirected("http://a.org/", "b.org", 1002.0) <= 1002.0
    assert one.redirected("http://a.org/", "c.org", 1003.0) <= 1003.0
    assert two.redirected("http://b.org/", "c.org", 1004.0) == 1005.0
    one.done("http://a.org/", "http://c.org/")
    assert two.redirected("http://b.org/", "c.org", 1005.0) <= 1005.0


def test_two_redirects_to_a_host_go_on_one_after_the_other(join):
    """When who had it has ended: neither waits for the other, who waits too."""
    one, two, three = (join(name, delay=1.0) for name in ("one", "two", "three"))
    one.add(
        Candidate(f"http://{host}.org/", priority)
        for host, priority in zip("abc", (0.9, 0.8, 0.7), strict=True)
    )
    for worker in (one, two, three):
        worker.take(1, 1000.0)
    assert one.redirected("http://a.org/", "c.org", 1001.0) > 1001.0
    assert two.redirected("http://b.org/", "c.org", 1001.0) > 1001.0
    three.done("http://c.org/")
    assert one.redirected("http://a.org/", "c.org", 1002.0) <= 1002.0
    assert two.redirected("http://b.org/", "c.org", 1003.0) > 1003.0
    one.done("http://a.org/", "http://c.org/1")
    assert two.redirected("http://b.org/", "c.org", 1004.0) <= 1004.0


def test_where_a_redirect_led_nobody_else_takes(join):
    """Nor does who had the host before, until the redirect has gone on: then it is free again."""
    one, two, three = (join(name, per_host=4) for name in ("one", "two", "three"))
    one.add([Candidate("http://a.org/", 0.9), *links(*(f"http://b.org/{i}" for i in range(5)))])
    one.take(1, 1000.0)
    (lease,) = two.take(1, 1000.0)
    assert one.redirected("http://a.org/", "b.org", 1000.0) > 1000.0
    assert [worker.take(9, 1000.0) for worker in (one, two, three)] == [[], [], []]
    two.done(lease.url)
    assert one.redirected("http://a.org/", "b.org", 1001.0) <= 1001.0
    assert [worker.take(9, 1001.0) for worker in (two, three)] == [[], []]
    one.done("http://a.org/", "http://b.org/found")
    assert len(three.take(2, 1001.0)) == 2


def test_what_is_not_kept_comes_back(join):
    """Done or failed, by a redirect or not: what a worker leaves without having recorded it is not done."""
    one, two = join("one"), join("two")
    one.add(links("http://a.org/1", "http://b.org/2", "http://c.org/3"))
    one.take(9, 0.0)
    one.done("http://a.org/1")
    one.ack()
    one.done("http://b.org/2", "http://d.org/found")
    one.failed("http://c.org/3", None)
    assert (two.stats().done, two.stats().failed, two.is_known("http://d.org/found")) == (3, 1, True)
    assert two.has_more()
    one.close()
    assert (two.stats().done, two.stats().failed, two.is_known("http://d.org/found")) == (1, 0, False)
    assert sorted(urls(two.take(9, 0.0))) == ["http://b.org/2", "http://c.org/3"]


def test_what_is_kept_stays(join):
    """Nothing of it is there but that it is known."""
    one, two = join("one"), join("two")
    one.add([Candidate("http://a.org/1", 0.5, 1, "http://p.org/"), Candidate("http://b.org/", 0.4)])
    one.take(9, 0.0)
    one.done("http://a.org/1", "http://d.org/found")
    one.failed("http://b.org/", None)
    one.ack()
    assert not two.has_more()
    one.close()
    assert two.stats()[:4] == (0, 0, 2, 1)
    assert two.add(links("http://a.org/1", "http://b.org/", "http://d.org/found")) == 0


def test_an_undone_page_counts_for_no_host(join):
    """A host that was closed by it is opened again."""
    one, two = join("one", host_pages=1), join("two", host_pages=1)
    one.add(links("http://a.org/1", "http://a.org/2"))
    (lease,) = one.take(1, 0.0)
    one.done(lease.url)
    assert one.closed_hosts() == [("a.org", "host_limit")]
    assert two.stats().dropped == 1
    one.close()
    assert (two.stats().dropped, len(two)) == (0, 2)


def test_the_leases_of_a_dead_worker_are_given_to_others(join, quick_deaths):
    """Its hosts are held for their delay, as it may have asked them a moment ago."""
    dead, alive = join("dead", delay=100.0), join("alive", delay=100.0)
    alive.add(links("http://a.org/1", "http://b.org/2", "http://b.org/3"))
    assert len(dead.take(2, alive.server_time())) == 2
    dead.done("http://a.org/1")
    gone = reclaimed(alive, 2)
    assert alive.stats()[:3] == (3, 0, 0)
    assert [worker.name for worker in alive.workers()] == ["alive"]
    assert alive.take(9, gone + 99.0) == []
    assert len(alive.take(9, alive.server_time() + 101.0)) == 2


def reclaimed(frontier, urls):
    """Wait until dead workers' URLs, so many, are given back; return a time shortly before."""
    looks = []
    until(lambda: looks.append(frontier.server_time()) or frontier.reclaim() == urls)
    return looks[-1]


@pytest.mark.parametrize("what", ["out", "led elsewhere", "ended"])
def test_the_hosts_of_a_dead_worker_are_held(join, quick_deaths, what):
    """It may have asked them until now: their delay begins when its URLs are given back."""
    dead, alive = join("dead", delay=100.0), join("alive", delay=100.0)
    alive.add(links("http://a.org/1", "http://a.org/2"))
    start = alive.server_time() - 60.0
    dead.take(1, start)
    host = "a.org"
    if what == "led elsewhere":
        host = "b.org"
        assert dead.redirected("http://a.org/1", host, start) <= start
        alive.add(links("http://b.org/1"))
    elif what == "ended":
        dead.done("http://a.org/1")
    gone = reclaimed(alive, 1)
    assert host not in map(host_of, urls(alive.take(9, gone + 99.0)))
    assert host in map(host_of, urls(alive.take(9, alive.server_time() + 101.0)))


def test_who_joins_meanwhile_is_not_dead(join, monkeypatch):
    """A worker that comes, and takes, while another looks for dead ones keeps what it has."""
    monkeypatch.setattr(ownership_module, "WORKER_SECONDS", 0.5)
    one = join("one")
    one.add(links("http://a.org/"))
    started = one.server_time()
    until(lambda: one.heartbeat({}) and one.server_time() > started + 0.6)
    ages, came = one._registry.ages, []

    def ages_and_a_new_worker(now):
        found = ages(now)
        if not came:
            came.append(join("two"))
            assert len(came[0].take(1, 0.0)) == 1
        return found

    monkeypatch.setattr(one._registry, "ages", ages_and_a_new_worker)
    one._ownership._look_at = 0.0
    assert one.reclaim() == 0
    assert came[0].holds("http://a.org/")


def test_nobody_dies_while_the_server_was_away(join, quick_deaths, monkeypatch):
    """After a silence of all, everyone has its seconds to come back."""
    one, two = join("one"), join("two")
    one.add(links("http://a.org/"))
    one.take(1, 0.0)
    monkeypatch.setattr(ownership_module, "WORKER_SECONDS", 1.5)
    start = two.server_time()
    until(lambda: two.server_time() > start + 1.6)
    assert two.reclaim() == 0
    one.heartbeat({})
    until(lambda: two.server_time() > start + 2.2)
    one.heartbeat({})
    assert two.reclaim() == 0
    assert two.stats().leased == 1


def test_resync_gives_back_what_nobody_knows_of(join):
    """The answer to a take was lost: what it gave is pending again."""
    one = join("one")
    one.add(links(*(f"http://h{i}.org/" for i in range(6))))
    known = urls(one.take(3, 0.0))
    one.take(3, 0.0)
    assert one.resync(known) == 3
    assert one.stats().leased == 3
    assert all(map(one.is_known, known))


def test_another_workers_leases_are_not_ours_to_end(join):
    """One that was thought dead and comes back fails or releases nothing that others have now."""
    one, two = join("one"), join("two")
    one.add(links("http://a.org/"))
    two.take(1, 0.0)
    one.release("http://a.org/")
    one.failed("http://a.org/", 5.0)
    one.failed("http://a.org/", None)
    assert one.refused("http://a.org/", "b.org", 0.0)
    assert two.stats().leased == 1


def test_a_step_taken_twice_counts_once(join):
    """As when its answer was lost."""
    one = join("one", max_tries=5, retry_delay=10.0)
    one.add(links("http://a.org/", "http://b.org/", "http://c.org/", "http://d.org/"))
    one.take(9, 0.0)
    for again in (False, True):
        out = dict(one._out)
        one.failed("http://a.org/", 5.0)
        one.done("http://b.org/", "http://e.org/")
        one.refused("http://c.org/", "c.org", 0.0)
        one.redirected("http://d.org/", "f.org", 0.0)
        one._out = out  # it has heard of none of it
        assert one.stats()[:4] == (2, 1, 2, 0), again
    assert one.next_ready_at() == 5.0
    assert [(lease.url, lease.tries) for lease in one.take(9, 5.0)] == [("http://a.org/", 1)]
    assert [(lease.url, lease.tries) for lease in one.take(9, 10.0)] == [("http://c.org/", 1)]


def test_workers_tell_of_themselves(join):
    """What they say is what the status shows; who leaves is forgotten."""
    one, two = join("one"), join("two")
    one.heartbeat({"machine": "here", "pages": 7, "rate": 1.5})
    one.add(links("http://a.org/"))
    one.take(1, 0.0)
    workers = {worker.name: worker for worker in two.workers()}
    assert workers["one"].info == {"machine": "here", "pages": 7, "rate": 1.5}
    assert two.heartbeat({}) == 3  # "first" among them
    assert (workers["one"].leases, workers["two"].leases) == (1, 0)
    assert 0.0 <= workers["one"].age < 5.0
    one.close()
    assert [worker.name for worker in two.workers()] == ["first", "two"]


def test_bands_of_priority(join):
    """They count what is pending, the lowest first."""
    one = join("one")
    one.add(Candidate(f"http://h{i % 7}.org/{i}", (i % 10) / 10 + 0.05) for i in range(100))
    one.take(1, 0.0)
    assert one.bands() == [*[10] * 9, 9]
    assert one.bands(2) == [50, 49]


def test_bands_of_many_are_a_sample(redis_server, monkeypatch):
    """Their sum is exact, their shares are near."""
    monkeypatch.setattr(bands_module, "SAMPLE", 120)
    one = RedisFrontier(redis_server.address, redis_server.new_name(), Rules(), worker="one")
    rng = random.Random(1)
    one.add(Candidate(f"http://h{i % 50}.org/{i}", rng.random() ** 2) for i in range(4000))
    low, high = one.bands(2)
    assert low + high == pytest.approx(4000, abs=2)
    assert low == pytest.approx(4000 * 0.5**0.5, rel=0.25)
    one.forget()
    one.close()


STEPS = ("add", "take", "done", "fail", "retry", "release", "reprioritise")


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_drops_what_memory_drops(redis_server, seed):
    """In one partition: the same URLs, whatever is done in between, and over a restart."""
    rng, rules = random.Random(seed), Rules(max_pending=12)
    name = redis_server.new_name()
    ours, other = RedisFrontier(redis_server.address, name, rules, worker="one"), MemoryFrontier(rules)
    out: list[str] = []
    for _ in range(60):
        step = rng.choice(STEPS)
        if step == "add":
            offered = [
                Candidate(f"http://h{n % 3}.org/{n}", rng.choice((0.0, 0.3, 0.6, 1.0)))
                for n in rng.sample(range(60), 12)
            ]
            assert ours.add(offered) == other.add(offered)
        elif step == "take":
            given = ours.take(3, 1.0)
            assert given == other.take(3, 1.0)
            out += urls(given)
        elif step == "reprioritise":
            some = {f"http://h{n % 3}.org/{n}": rng.random() for n in rng.sample(range(60), 9)}
            assert ours.reprioritise(some) == other.reprioritise(some)
        elif out:
            url = out.pop()
            for frontier in (ours, other):
                if step == "done":
                    frontier.done(url)
                elif step == "release":
                    frontier.release(url)
                else:
                    frontier.failed(url, None if step == "fail" else 2.0)
        assert ours.stats()[:4] == other.stats()[:4]
        assert (ours.stats().dropped, ours.stats().known) == (other.stats().dropped, other.stats().known)
    ours.ack()
    assert ours.stats().malformed == 0
    ours.forget()
    ours.close()


def test_a_bound_may_come_later(redis_server):
    """A new run with one drops the worst of what an old one left, at its first add."""
    name = redis_server.new_name()
    with ExitStack() as stack:

        def run(bound):
            frontier = RedisFrontier(redis_server.address, name, Rules(max_pending=bound), worker="one")
            stack.callback(frontier.close)
            return frontier

        frontier = run(0)
        stack.callback(frontier.forget)
        frontier.add(Candidate(f"http://h{n % 5}.org/{n}", n / 100) for n in range(100))
        frontier.close()
        frontier = run(7)
        assert len(frontier) == 100
        frontier.add([Candidate("http://new.org/", 0.0)])
        assert sorted(lease.priority for lease in frontier.take(99, 0.0)) == [n / 100 for n in range(93, 100)]


# What is malformed is put aside, and all else goes on.

RUBBISH = [b"", b"P", b"rubbish", b"\x93\x01", bytes(64), b"P" + bytes(80), b"\xff" * 40]


@pytest.mark.parametrize("key", ["urls", "hosts", "leases", "ended", "parents"])
@pytest.mark.parametrize("rubbish", RUBBISH)
def test_malformed_entries_of_a_hash(redis_server, key, rubbish):
    """Whatever stands there: the URLs of other entries are given out, once each."""
    survive(redis_server, lambda client, keys: spoil_hash(client, keys[KEYS.index(key)], rubbish))


def spoil_hash(client, key, rubbish):
    fields = client.hkeys(key)
    for field in fields[:2]:
        client.hset(key, field, rubbish)
    client.hset(key, rubbish, rubbish)


@pytest.mark.parametrize(
    "key", ["queue", "ready", "alarms", "waits", "ends", "held", "owned", "worst", "closed"]
)
@pytest.mark.parametrize(
    "rubbish", [b"", b"h1.org\0", b"h1.org\0rubbish", b"\0", b"\0" + bytes(22), b"\xff" * 40]
)
def test_malformed_entries_of_a_set(redis_server, key, rubbish):
    """The same."""

    def spoil(client, keys):
        found = keys[KEYS.index(key)]
        if key == "closed":
            client.sadd(found, rubbish)
            return
        members = client.zrange(found, 0, 0)
        if members and key == "queue":
            client.zrem(found, *members)
        client.zadd(found, {rubbish: 0})

    survive(redis_server, spoil)


def survive(server, spoil):
    """Spoil a frontier in use, and see that it ends."""
    name = server.new_name()
    rules = Rules(delay=1.0, lease_seconds=50.0, host_pages=50, max_pending=1000)
    frontier = RedisFrontier(server.address, name, rules, worker="one")
    every = [f"http://h{n % 7}.org/{n}" for n in range(70)]
    frontier.add(Candidate(url, 0.5, 1, "http://parent.org/") for url in every)
    now, ended = 1000.0, Counter()
    for lease in frontier.take(5, now):
        frontier.failed(lease.url, now + 5.0)
    for lease in frontier.take(2, now + 1.0):
        frontier.done(lease.url)
        ended[lease.url] += 1
    frontier.take(2, now + 2.0)
    spoil(frontier._client, partition_keys(name, 0, 1))
    for seconds in range(3, 303, 4):
        for lease in frontier.take(9, now + seconds):
            frontier.done(lease.url)
            ended[lease.url] += 1
    frontier.ack()
    assert max(ended.values()) <= 2
    assert len(ended) >= 40
    assert len(frontier) == 0
    frontier.forget()
    frontier.close()


@pytest.mark.parametrize(
    "rubbish", [b"a.org\0", b"a.org\0x", b"a.org\0" + bytes(16), b"a.org\0" + b"\xff" * 16]
)
def test_a_full_host_with_a_malformed_stay(redis_server, rubbish):
    """It is put aside, and the host is asked when what is out there has ended."""
    frontier = RedisFrontier(redis_server.address, redis_server.new_name(), Rules(per_host=1), worker="one")
    frontier.add(links("http://a.org/1", "http://a.org/2"))
    frontier._client.zadd(frontier._key(0, "held"), {rubbish: 0})
    for number in (1, 2):
        (lease,) = frontier.take(1, 1000.0)
        assert frontier.take(1, 1000.0) == []
        assert number == 2 or frontier.next_ready_at() > 1000.0
        frontier.done(lease.url)
    assert (len(frontier), frontier.stats().done) == (0, 2)
    frontier.forget()
    frontier.close()


EXACT = ("pending", "waiting", "leased", "unkept", "hosts", "waiting_hosts")


@pytest.mark.parametrize("rubbish", ["x", "", "9" * 30])
@pytest.mark.parametrize("name", [*EXACT, "done", "quarantined", "asked"])
@pytest.mark.parametrize("reader", ["counts", "steps"])
def test_a_malformed_counter(redis_server, name, rubbish, reader):
    """What tells when the crawl ends is counted anew, whether it is read first or added to; all goes on."""
    rules = Rules(max_pending=100, delay=1.0)
    frontier = RedisFrontier(redis_server.address, redis_server.new_name(), rules, worker="one")
    frontier.add(links(*(f"http://h{n % 4}.org/{n}" for n in range(12))))
    first, second, third = urls(frontier.take(3, 1000.0))
    frontier.failed(first, 1005.0)
    frontier.done(second)
    before = frontier._counters.read()
    frontier._client.hset(frontier._key(0, "counts"), name, rubbish)
    if reader == "counts" and name in EXACT:
        assert frontier._counters.read() == before + Counter(quarantined=1)
    ended = [second, third]
    frontier.done(third)
    for step in range(20):
        for lease in frontier.take(1, 1006.0 + step):
            frontier.add(links("http://h3.org/3", "http://h2.org/new"))
            frontier.done(lease.url)
            ended.append(lease.url)
    assert len(ended) == len(set(ended)) == 13
    assert frontier.has_more() is False
    assert (len(frontier), frontier.stats().leased, frontier.stats().hosts) == (0, 0, 4)
    assert frontier.stats().malformed == (name != "asked")
    frontier.ack()
    frontier.close()
    frontier = RedisFrontier(redis_server.address, frontier._name, rules, worker="one")
    assert not frontier.has_more()
    frontier.forget()
    frontier.close()


def test_what_is_put_aside_is_counted_and_bounded(redis_server):
    """Nobody fills the server's memory with rubbish."""
    frontier = RedisFrontier(redis_server.address, redis_server.new_name(), Rules(), worker="one")
    ready = frontier._keys[0][KEYS.index("ready")]
    frontier._client.zadd(ready, {b"\0rubbish%d" % n: 0 for n in range(1500)})
    frontier.add(links("http://a.org/"))
    assert len(frontier.take(1, 0.0)) == 1
    assert frontier.stats().malformed == 1500
    assert frontier._client.llen(frontier._keys[0][KEYS.index("quarantine")]) == 1000
    frontier.forget()
    frontier.close()


# Servers


def test_a_killed_server_comes_back_with_all(tmp_path):
    """With its append-only file, written before it answers: nothing that was told is lost."""
    with own_redis_server(is_durable=True) as server:
        frontier = RedisFrontier(server.address, "focused:t:1", Rules(), worker="one")
        frontier.add(links(*(f"http://h{n}.org/" for n in range(50))))
        taken = urls(frontier.take(10, 0.0))
        frontier.done(taken[0])
        server.kill()
        with pytest.raises(FrontierUnreachable, match="cannot be reached"):
            frontier.take(1, 0.0)
        server.start()
        assert frontier.resync(taken[1:]) == 0
        assert frontier.stats()[:3] == (40, 9, 1)
        frontier.ack()
        frontier.close()


def test_scripts_that_a_server_has_forgotten_are_sent_again(redis_server):
    """As after a restart."""
    frontier = RedisFrontier(
        redis_server.address, redis_server.new_name(), Rules(), worker="one", partitions=3
    )
    frontier._client.script_flush()
    frontier.add(links("http://a.org/", "http://b.org/"))
    frontier._client.script_flush()
    assert len(frontier.take(9, 0.0)) == 2
    frontier.forget()
    frontier.close()


@pytest.mark.parametrize(
    "address",
    [
        "redis://",
        "redis://:0/0",
        "http://localhost/",
        "localhost:6379",
        "redis://localhost/db",
        "redis://h:99999/",
    ],
)
def test_what_is_no_address(address):
    """One line says what to type."""
    with pytest.raises(ConfigError, match=r"^[^\n]*redis://localhost:6379/0$"):
        check_address(address)


def test_a_password_is_never_shown():
    """Neither in what is shown nor in what is wrong."""
    address = "redis://me:secret@127.0.0.1:1/0"
    assert "secret" not in shown_address(address)
    with pytest.raises(FrontierUnreachable) as raised:
        open_client(address)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_password_is_said_so():
    """It is no outage: asking again would not help."""
    with own_redis_server() as server:
        client = open_client(server.address)
        client.execute_command("CONFIG", "SET", "requirepass", "secret")
        for wrong in (server.address, server.address.replace("//", "//:wrong@")):
            with pytest.raises(CrawlError, match="does not let us in") as raised:
                open_client(wrong)
            assert not isinstance(raised.value, FrontierUnreachable)
        open_client(server.address.replace("//", "//:secret@")).close()
        client.close()


def test_a_full_server_is_said_so():
    """It refuses what needs memory; what is there stays."""
    with own_redis_server() as server:
        frontier = RedisFrontier(server.address, "focused:t:1", Rules(), worker="one")
        frontier.add(links("http://a.org/"))
        frontier._client.config_set("maxmemory", 1)
        with pytest.raises(CrawlError, match="no memory left"):
            frontier.add(links("http://b.org/"))
        frontier._client.config_set("maxmemory", 0)
        assert len(frontier) == 1
        frontier.close()


def test_keys_that_are_anothers(redis_server):
    """What another program keeps under our names is left alone, and said so."""
    client, name = open_client(redis_server.address), redis_server.new_name()
    client.set(partition_keys(name, 0, 1)[0], "theirs")
    frontier = RedisFrontier(redis_server.address, name, Rules(), worker="one")
    with pytest.raises(CrawlError, match="another program wrote it"):
        frontier.add(links("http://a.org/"))
    frontier.forget()
    frontier.close()
    client.close()


@pytest.mark.parametrize("rules", [Rules(n_best=2), Rules(strict_order=True)])
def test_what_only_one_process_can(redis_server, rules):
    """It is refused in one line."""
    with pytest.raises(ConfigError, match="one process"):
        RedisFrontier(redis_server.address, redis_server.new_name(), rules, worker="one")


def test_the_first_worker_decides(redis_server):
    """On the order of equals and on the partitions."""
    name = redis_server.new_name()
    pairs = [Candidate(f"http://h{i}.org/{i}", 0.5) for i in range(40)]
    one = RedisFrontier(redis_server.address, name, Rules(seed=3), worker="one", partitions=4)
    two = RedisFrontier(redis_server.address, name, Rules(seed=9), worker="two", partitions=2)
    two.add(pairs)
    memory = MemoryFrontier(Rules(seed=3))
    memory.add(pairs)
    assert [*urls(two.take(20, 0.0)), *urls(one.take(20, 0.0))] == urls(memory.take(40, 0.0))
    assert all(host_of(url) for url in urls(one.take(1, 0.0)))
    one.forget()
    for frontier in (one, two):
        frontier.close()
