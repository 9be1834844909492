"""What every frontier obeys, law by law, whatever its backend."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections import Counter
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import host_of
from tests.laws.backends import BACKENDS, drain, links, opened, urls
from tests.project import ROOT

URLS = st.builds("http://{}/{}".format, st.sampled_from(("a.org", "www.a.org", "b.org")), st.integers(0, 15))


def test_best_first(new_frontier):
    """Whatever the order of arrival, the URL with the highest priority leaves first."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/", 0.2), ("http://b.org/", 0.9), ("http://a.org/x", 0.5)))
        assert drain(frontier) == ["http://b.org/", "http://a.org/x", "http://a.org/"]


def test_highest_priority_is_kept(new_frontier):
    """A URL met again keeps its highest priority, with page and path that gave it, in and over batches."""
    with new_frontier() as frontier:
        frontier.add([Candidate("http://a.org/", 0.2, 3, "http://p.org/1", b"\x00\xff")])
        again = [Candidate("http://a.org/", p, 4, f"http://p.org/{p}", b"%f" % p) for p in (0.1, 0.8, 0.5)]
        assert frontier.add(again) == 0
        assert frontier.take(1, 0.0) == [("http://a.org/", 0.8, 3, "http://p.org/0.8", 0, b"0.800000")]


@pytest.mark.parametrize(
    ("better", "kept"),
    [
        (Candidate("http://a.org/", 0.9, 1, "http://p.org/2"), ("http://p.org/2", None)),
        (Candidate("http://a.org/", 0.9), ("http://p.org/1", b"old")),
        (Candidate("http://a.org/", 0.1, 1, "http://p.org/2", b"new"), ("http://p.org/1", b"old")),
    ],
    ids=["of another page", "of no page", "of a worse one"],
)
def test_a_path_is_its_parents(new_frontier, better, kept):
    """It never stands beside another page than the one it was noted on."""
    first = Candidate("http://a.org/", 0.5, 1, "http://p.org/1", b"old")
    for batches in ([[first], [better]], [[first, better]]):
        with new_frontier() as frontier:
            for batch in batches:
                frontier.add(batch)
            (lease,) = frontier.take(1, 0.0)
            assert (lease.parent, lease.path) == kept


def test_a_path_outlives_its_try_and_its_run(lasting):
    """It comes along when a URL is tried again, and after a restart."""
    frontier = lasting.open(Rules())
    frontier.add([Candidate("http://a.org/", 0.5, 1, "http://p.org/1", bytes(range(256)))])
    frontier.take(1, 0.0)
    frontier.failed("http://a.org/", 1.0)
    lasting.stop()
    (lease,) = lasting.open(Rules()).take(1, 2.0)
    assert (lease.path, lease.tries) == (bytes(range(256)), 1)


@given(pairs=st.lists(st.tuples(URLS, st.sampled_from((0.1, 0.5, 0.9))), max_size=40), mix=st.randoms())
@settings(max_examples=10, deadline=None)  # of two frontiers each
def test_order_is_blind_to_arrival(new_frontier, pairs, mix):
    """Shuffled, cut into other batches: the same URLs leave in the same order."""
    pairs = [(f"http://{url.partition('://')[2]}".replace("www.", ""), p) for url, p in pairs]
    with new_frontier(seed=5) as one, new_frontier(seed=5) as other:
        one.add(links(*pairs))
        shuffled = mix.sample(pairs, len(pairs))
        for at in range(0, len(shuffled), 7):
            other.add(links(*shuffled[at : at + 7]))
        assert drain(one) == drain(other)


def test_seed_orders_equals(new_frontier):
    """Among equals the order is random, the same for one seed, another for another."""
    pairs = [(f"http://h{i}.org/", 0.5) for i in range(50)]
    orders = []
    for seed in (1, 1, 2):
        with new_frontier(seed=seed) as frontier:
            frontier.add(links(*pairs))
            orders.append(drain(frontier))
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != [url for url, _ in pairs]


def test_backends_agree(new_backend):
    """All of them give 3,000 URLs over 30 hosts out in one and the same order."""
    rng = random.Random(3)
    pairs = [
        (f"http://h{rng.randrange(30)}.org/{rng.randrange(4000)}", rng.randrange(20) / 20)
        for _ in range(3000)
    ]
    orders = []
    for backend in BACKENDS:
        with opened(partial(new_backend, backend), seed=1) as frontier:
            frontier.add(links(*pairs))
            orders.append([url for _ in range(60) for url in urls(frontier.take(50, 0.0))])
    assert all(order == orders[0] for order in orders)
    assert len(orders[0]) == len({url for url, _ in pairs})


def test_what_is_held(new_frontier):
    """A URL is held from its taking to the end of its lease, whatever ends it."""
    with new_frontier(lease_seconds=5.0) as frontier:
        frontier.add(links(*((f"http://{host}.org/", 0.5) for host in "abc")))
        assert not frontier.holds("http://a.org/")
        taken = urls(frontier.take(3, 0.0))
        assert all(map(frontier.holds, taken))
        frontier.done(taken[0])
        frontier.failed(taken[1], 9.0)
        assert [frontier.holds(url) for url in taken] == [False, False, True]
        frontier.expire(6.0)
        assert not frontier.holds(taken[2])


def test_least_loaded_server_first(new_frontier):
    """Among equal priorities the server asked least so far comes first."""
    with new_frontier() as frontier:
        frontier.add(links(*((f"http://{host}.org/{i}", 0.5) for host in "abc" for i in range(4))))
        hosts = [host_of(url) for url in drain(frontier)]
        assert all(set(hosts[i : i + 3]) == {"a.org", "b.org", "c.org"} for i in range(0, 12, 3))


def test_leased_is_not_given_twice(new_frontier):
    """While a URL is out nobody else gets it, even when it is added again."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/", 0.5)))
        assert drain(frontier) == ["http://a.org/"]
        assert frontier.add(links(("https://www.a.org", 1.0))) == 0
        assert drain(frontier, 1.0) == []


def test_done_never_again(new_frontier):
    """A URL that is done, taken or never added, is not queued any more."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/", 0.5)))
        frontier.take(1, 0.0)
        frontier.done("http://a.org/")
        frontier.done("http://b.org/redirected")
        assert frontier.add(links(("http://a.org/", 1.0), ("http://b.org/redirected/", 1.0))) == 0
        assert frontier.is_known("https://b.org/redirected")
        assert drain(frontier, 10.0**6) == []


def test_failed_goes_behind_fewer_tries(new_frontier):
    """A URL that failed comes after every URL that failed less often, however low their priority."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/best", 1.0), ("http://a.org/worst", 0.0)))
        assert urls(frontier.take(1, 0.0)) == ["http://a.org/best"]
        frontier.failed("http://a.org/best", 0.0)
        leases = frontier.take(9, 1.0)
        assert urls(leases) == ["http://a.org/worst", "http://a.org/best"]
        assert [lease.tries for lease in leases] == [0, 1]


def test_failed_does_not_hold_its_host(new_frontier):
    """While a failed URL waits, other URLs of its host are given out."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.1)))
        frontier.take(1, 0.0)
        frontier.failed("http://a.org/1", 50.0)
        assert drain(frontier) == ["http://a.org/2"]
        assert frontier.next_ready_at() == 50.0
        assert drain(frontier, 49.9) == []
        assert drain(frontier, 50.0) == ["http://a.org/1"]


def test_the_last_wait_counts(new_frontier):
    """A URL that fails again while it waits is not given out when the first wait is over."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/1", 0.9)))
        frontier.take(1, 0.0)
        frontier.failed("http://a.org/1", 10.0)
        frontier.failed("http://a.org/1", 20.0)
        assert drain(frontier, 19.0) == []
        assert drain(frontier, 20.0) == ["http://a.org/1"]


def test_failed_for_good(new_frontier):
    """A URL that failed for good is counted, and never comes back."""
    with new_frontier() as frontier:
        frontier.add(links(("http://a.org/1", 0.9)))
        frontier.take(1, 0.0)
        frontier.failed("http://a.org/1", None)
        frontier.failed("http://a.org/1", 5.0)
        assert frontier.add(links(("http://a.org/1", 1.0))) == 0
        assert (frontier.stats().failed, len(frontier), frontier.next_ready_at()) == (1, 0, None)


@pytest.mark.parametrize("per_host", [None, 1, 3])
def test_politeness_is_kept(new_frontier, per_host):
    """However often it is asked, no host is asked again within its delay, or for more than its share."""
    rng, now, asked, out = random.Random(0), 0.0, {}, Counter()
    with new_frontier(delay=2.0, per_host=per_host) as frontier:
        frontier.add(links(*((f"http://h{rng.randrange(5)}.org/{i}", rng.random()) for i in range(40))))
        waiting: list[str] = []
        while len(frontier):
            for lease in frontier.take(rng.randrange(4), now):
                host = host_of(lease.url)
                assert now - asked.get(host, -9.0) >= 2.0
                asked[host] = now
                out[host] += 1
                assert per_host is None or out[host] <= per_host
                waiting.append(lease.url)
            if waiting and rng.random() < 0.6:
                url = waiting.pop(rng.randrange(len(waiting)))
                out[host_of(url)] -= 1
                frontier.done(url)
            now += rng.random()


def test_next_ready_at_is_exact(new_frontier):
    """Taking just before that time gives nothing; taking at it gives something."""
    with new_frontier(delay=1.7) as frontier:
        frontier.add(links(*((f"http://a.org/{i}", 0.5) for i in range(20))))
        now = 1.7e9 + 0.1
        for _ in range(20):
            assert frontier.take(1, now - 1e-3) == [] or now == 1.7e9 + 0.1
            frontier.take(1, now)
            now = frontier.next_ready_at() or now
        assert len(frontier) == 0


def test_a_host_that_waits_is_counted(new_frontier):
    """It holds up no other, and is asked as soon as its time has come; a shorter wait ends no longer one."""
    with new_frontier(max_tries=9) as frontier:
        frontier.add(links(("http://a.org/", 0.9), ("http://b.org/", 0.1)))
        frontier.refused("http://a.org/", "a.org", 0.0, 30.0)
        frontier.refused("http://a.org/", "a.org", 0.0, 10.0)
        assert drain(frontier, 29.0) == ["http://b.org/"]
        frontier.done("http://b.org/")
        assert frontier.stats().waiting_hosts == 1
        assert frontier.next_ready_at() == 30.0
        assert drain(frontier, 30.0) == ["http://a.org/"]


def test_lease_ends(new_frontier):
    """A lease that nobody ended returns, as it was; ending it afterwards still counts."""
    with new_frontier(lease_seconds=60.0) as frontier:
        frontier.add(links(("http://a.org/", 0.9)))
        first = frontier.take(1, 0.0)
        assert frontier.take(1, 59.0) == []
        assert frontier.take(1, 60.0) == first
        assert frontier.take(1, 120.0) == first
        frontier.done("http://a.org/")
        assert drain(frontier, 1000.0) == []


def test_release_leaves_no_trace(new_frontier):
    """A released URL may be taken again at once: its host was not asked."""
    with new_frontier(delay=10.0, per_host=1) as frontier:
        frontier.add(links(("http://a.org/", 0.9)))
        lease = frontier.take(1, 5.0)
        frontier.release("http://a.org/")
        assert frontier.take(1, 5.0) == lease


def test_clock_jumps_back(new_frontier):
    """When the clock jumps back an hour, a wait lasts no longer than before."""
    with new_frontier(delay=10.0) as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.5), ("http://a.org/3", 0.1)))
        assert len(frontier.take(1, 10_000.0)) == 1
        assert frontier.take(1, 10_004.0) == []
        assert frontier.take(1, 6_404.0) == []
        assert frontier.next_ready_at() == pytest.approx(6_410.0)
        assert len(frontier.take(1, frontier.next_ready_at())) == 1
        frontier.refused("http://a.org/3", "a.org", 6_410.0, 90.0)
        assert frontier.next_ready_at() == pytest.approx(6_500.0)


def test_text_no_database_can_hold(new_frontier):
    """A URL with a NUL or half a surrogate pair is given out mended, and then is done for good."""
    with new_frontier() as frontier:
        frontier.add([Candidate("http://a.org/\ud800\0'\"%s", 0.5, 10**30, "http://p.org/\udfff")])
        (lease,) = frontier.take(1, 0.0)
        assert (lease.url, lease.parent) == ("http://a.org/\ufffd'\"%s", "http://p.org/\ufffd")
        frontier.done(lease.url)
        assert frontier.is_known("http://a.org/\ud800\0'\"%s")


def test_reprioritise_beyond_the_buffer(new_frontier):
    """Deep in its host's queue a URL given the highest priority comes first, with the lowest last."""
    with new_frontier() as frontier:
        frontier.add(links(*((f"http://a.org/{i}", 0.5 - i / 1000) for i in range(100))))
        new = {"http://a.org/90": 0.9, "http://nowhere.org/": 0.9, "http://a.org/0": 0.0}
        assert frontier.reprioritise(new) == 2
        order = drain(frontier)
        assert (order[0], order[-1], len(order)) == ("http://a.org/90", "http://a.org/0", 100)


def test_reprioritise_to_and_fro(new_frontier):
    """However often priorities change, every URL is given out once, in the order of the last ones."""
    rng = random.Random(2)
    with new_frontier() as frontier:
        priorities = {f"http://a.org/{i}": 0.5 for i in range(60)}
        frontier.add(links(*priorities.items()))
        for _ in range(300):
            url, priority = rng.choice(list(priorities)), rng.randrange(5) / 4
            assert frontier.reprioritise({url: priority}) == 1
            priorities[url] = priority
        order = [priorities[url] for url in drain(frontier)]
        assert order == sorted(priorities.values(), reverse=True)


def test_reopening_keeps_all(crawl_database):
    """A closed and reopened database gives the rest, keeps loads and waits, and what was out is pending."""
    with crawl_database.open() as database:
        frontier = SqlFrontier(database, Rules(delay=100.0))
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8), ("http://b.org/", 0.5)))
        assert urls(frontier.take(2, 1000.0)) == ["http://a.org/1", "http://b.org/"]
        frontier.failed("http://b.org/", 1500.0)
        database.commit()
    with crawl_database.open() as database:
        frontier = SqlFrontier(database, Rules(delay=100.0))
        assert len(frontier) == 3
        assert frontier.take(9, 1000.0) == []
        assert urls(frontier.take(9, 1100.0)) == ["http://a.org/1"]
        assert frontier.take(9, 1500.0)[-1].tries == 1


def test_reopening_changes_no_order(lasting):
    """What was out when a run was killed is as if it had never been given, its host's load too."""
    frontier = lasting.open(Rules())
    frontier.add(links(*((f"http://h{i % 9}.org/{i}", 0.5) for i in range(45))))
    order = drain(frontier)
    for seen in (0, 4, 13):
        lasting.stop()
        frontier = lasting.open(Rules())
        assert urls(frontier.take(seen, 0.0)) == order[:seen]
    lasting.stop()
    assert drain(lasting.open(Rules())) == order


def test_waits_do_not_grow_over_a_restart(crawl_database):
    """When the clock was set back while the crawler was off, a host waits its delay and no longer."""
    with crawl_database.open() as database:
        frontier = SqlFrontier(database, Rules(delay=10.0))
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8)))
        frontier.take(1, 10**6)
        frontier.done("http://a.org/1")
        database.commit()
    with crawl_database.open() as database:
        frontier = SqlFrontier(database, Rules(delay=10.0))
        assert frontier.take(1, 5.0) == []
        assert frontier.next_ready_at() == 15.0


def test_uncommitted_is_as_if_it_had_never_been(crawl_database):
    """The frontier itself commits nothing."""
    with crawl_database.open() as database:
        SqlFrontier(database).add(links(("http://a.org/1", 0.9)))
    with crawl_database.open() as database:
        assert not any(SqlFrontier(database).stats())


KILLED = """
import sys
from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql import SqlFrontier
from tests.databases import opened_in_another_process
database = opened_in_another_process(sys.argv[1:])
frontier = SqlFrontier(database)
for step in range(10**9):
    frontier.add(Candidate(f"http://h{i % 7}.org/{step}/{i}", (i * 37 % 100) / 100) for i in range(20))
    done = [lease.url for lease in frontier.take(5, float(step))][:3]
    for url in done:
        frontier.done(url)
    database.commit()
    print(step, *done, flush=True)
"""


@pytest.mark.parametrize("lines_more", [0, 15, 30])
def test_kill_9_loses_nothing_committed(crawl_database, lines_more):
    """Killed between two commits, the frontier holds what the last commit held: all URLs, none done twice."""
    command = [sys.executable, "-c", KILLED, *crawl_database.words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        lines = [process.stdout.readline() for _ in range(20 + lines_more)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.read().splitlines()
    told = [line.split()[1:] for line in lines if len(line.split()) == 4]
    with crawl_database.open() as database:
        frontier = SqlFrontier(database)
        stats = frontier.stats()
        steps = stats.known // 20
        assert len(told) <= steps <= len(told) + 1
        assert (stats.known, stats.done, stats.leased) == (steps * 20, steps * 3, 0)
        left = drain(frontier, 1e6)
        assert len(set(left)) == len(left) == steps * 17
        assert not set(left) & {url for urls_of_step in told for url in urls_of_step}


def test_asked_for_again(new_frontier):
    """What is done or failed can be queued once more, with no tries behind it; all else stays as it is."""
    with new_frontier() as frontier:
        frontier.add(
            links(("http://a.org/done", 0.9), ("http://a.org/failed", 0.8), ("http://a.org/out", 0.7))
        )
        frontier.take(3, 0.0)
        frontier.done("http://a.org/done")
        frontier.failed("http://a.org/failed", None)
        frontier.add(links(("http://a.org/waits", 0.5)))
        names = ("done", "failed", "out", "waits", "unknown")
        again = [Candidate(f"http://a.org/{name}", 0.6, 3, "http://p.org/", b"path") for name in names]
        assert frontier.again(again) == 2
        assert not frontier.is_known("http://a.org/done")
        taken = frontier.take(5, 0.0)
        assert sorted(urls(taken)) == ["http://a.org/done", "http://a.org/failed", "http://a.org/waits"]
        assert all(lease[1:] == (0.6, 3, "http://p.org/", 0, b"path") for lease in taken[:2])


def test_again_is_remembered(lasting):
    """What was queued once more is so after a restart, whether it was out then or not."""
    frontier = lasting.open(Rules())
    for number in (1, 2):
        frontier.done(f"http://a.org/{number}")
    assert frontier.again(links(("http://a.org/1", 1.0), ("http://a.org/2", 0.5))) == 2
    frontier.take(1, 0.0)
    lasting.stop()
    frontier = lasting.open(Rules())
    assert drain(frontier) == ["http://a.org/1", "http://a.org/2"]
    frontier.done("http://a.org/1")
    assert (frontier.stats().done, frontier.stats().leased) == (1, 1)


def test_nothing_is_asked_again_of_a_host_that_is_done_with(new_frontier):
    """Its pages stay done; and one more page counts for a host that has room, however old the page is."""
    with new_frontier(host_pages=2) as frontier:
        frontier.done("http://a.org/1")
        assert frontier.again(links(("http://a.org/1", 1.0))) == 1
        frontier.take(1, 0.0)
        frontier.done("http://a.org/1")
        assert frontier.again(links(("http://a.org/1", 1.0))) == 0
        assert frontier.is_known("http://a.org/1")


def test_a_url_comes_back_under_another_name_of_its_host(new_frontier):
    """As the best of all once more, although it ended in between."""
    best, other = links(("http://a.org/1", 0.9), ("http://a.org/2", 0.5))
    with new_frontier() as frontier:
        frontier.add([best, other])
        frontier.done(best.url)
        again = best._replace(url="http://www.a.org/1")
        assert frontier.again([again]) == 1
        assert drain(frontier) == [again.url, other.url]
