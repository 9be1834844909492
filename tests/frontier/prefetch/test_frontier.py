"""The laws of a frontier that talks later, on a real server.

They are those of tests/laws, weakened where nobody waits: `add` says how many links it was given, not how
many were new; `stats` is a second late; `take` gives nothing at first; and a better URL leaves after those
leased before it was found, `prefetch` of them at most.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.prefetch import buffer as ahead_buffer
from focused_crawler.frontier.prefetch import state as prefetch_start
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from focused_crawler.safety.errors import CrawlError
from tests.redis_server import new_name, until


@contextmanager
def opened(server, name=None, worker="one", info=dict, prefetch=4, **rules):
    rules = Rules(**rules)
    shared = PipelinedRedis(server.address, name or new_name(), rules, worker=worker)
    frontier = PrefetchFrontier(shared, prefetch=prefetch, lease_seconds=rules.lease_seconds, info=info)
    try:
        yield frontier
    finally:
        frontier.close()


def links(*pairs):
    return [Candidate(url, priority) for url, priority in pairs]


def take(frontier, seconds=10.0):
    """Return the next URL, when it is there."""
    end = time.monotonic() + seconds
    while not (leases := frontier.take(1, time.time())):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.002)
    return leases[0].url


def drained(frontier, url):
    """Say that a page was fetched and recorded."""
    frontier.done(url)
    frontier.ack()


def test_the_best_url_leaves_first(redis_server):
    """Whatever the order of arrival, where all came in one batch."""
    with opened(redis_server) as frontier:
        frontier.add(links(("http://a/", 0.2), ("http://b/", 0.9), ("http://c/", 0.5)))
        taken = []
        for _ in range(3):
            taken.append(take(frontier))
            drained(frontier, taken[-1])
    assert taken == ["http://b/", "http://c/", "http://a/"]


def test_add_says_how_many_links_it_was_given(redis_server):
    """How many of them are new only the server knows."""
    with opened(redis_server) as frontier:
        assert frontier.add(links(("http://a/", 0.2), ("http://a/", 0.9))) == 2
        assert frontier.add([]) == 0


def test_questions_see_all_that_was_said_before(redis_server):
    """They wait for their turn."""
    with opened(redis_server) as frontier:
        frontier.add(links(("http://a/", 0.5)))
        assert not frontier.is_known("http://a/")
        url = take(frontier)
        assert frontier.is_known(url)
        frontier.done(url, "http://b/")
        assert [frontier.is_known(one) for one in ("http://a/", "http://b/", "http://c/")] == [
            True,
            True,
            False,
        ]


def test_a_redirect_waits_for_its_host_by_our_clock(redis_server):
    """The server's clock is nobody's business but the frontier's."""
    with opened(redis_server, delay=5.0) as frontier:
        frontier.add(links(("http://a/", 0.5), ("http://b/", 0.4)))
        began = time.time()
        first, second = take(frontier), take(frontier)
        now = time.time()
        assert began + 3.0 < frontier.redirected(first, "b", now) < now + 7.0
        assert frontier.redirected(second, "c", now) <= now


def test_a_host_that_refuses_is_held(redis_server):
    """For as long as it says; its URL is queued again."""
    with opened(redis_server) as frontier:
        frontier.add(links(("http://a/", 0.5)))
        url, began = take(frontier), time.monotonic()
        assert frontier.refused(url, "a", time.time(), 0.5)
        assert take(frontier) == "http://a/"
        assert time.monotonic() - began > 0.3


def test_a_crawl_does_not_end_while_anything_is_on_its_way(redis_server):
    """Queued and not sent, prefetched, pending, or out at another worker."""
    name = new_name()
    with opened(redis_server, name) as one, opened(redis_server, name, "two") as two:
        until(lambda: not one.has_more())
        assert one.next_ready_at() is None
        one.add(links(("http://a/", 0.5)))
        assert one.has_more()
        url = take(one)
        until(lambda: two.has_more())
        time.sleep(0.1)
        assert two.has_more()
        assert two.next_ready_at() is not None
        assert two.take(1, time.time()) == []
        with one._state.changed:  # or it may have been heard already
            drained(one, url)
            assert one.has_more()
        until(lambda: not one.has_more() and not two.has_more())


def test_numbers_are_of_the_whole(redis_server):
    """A second late at most."""
    name = new_name()
    with opened(redis_server, name) as one, opened(redis_server, name, "two") as two:
        one.add(links(("http://a/", 0.5), ("http://b/", 0.4)))
        drained(one, take(one))
        until(lambda: two.stats().done == 1)
        assert two.stats().pending + two.stats().leased == 1
        assert two.stats().known == 2


def test_what_is_closed_is_said_and_given_back(redis_server):
    """Nothing that was said is lost, and nothing is held by who has left."""
    name = new_name()
    with opened(redis_server, name) as one:
        one.add(links(("http://a/", 0.9), ("http://b/", 0.5), ("http://c/", 0.4)))
        url = take(one)
        one.add(links(("http://d/", 0.1)))
        drained(one, url)
    assert one.stats().pending == len(one) == 3
    with opened(redis_server, name, "two") as two:
        assert two.stats().done == 1
        taken = []
        for _ in range(3):
            taken.append(take(two))
            drained(two, taken[-1])
    assert taken == ["http://b/", "http://c/", "http://d/"]
    with pytest.raises(CrawlError, match="closed"):
        one.take(1, time.time())


def test_what_was_not_kept_is_given_out_again(redis_server):
    """A page that is not recorded was not fetched."""
    name = new_name()
    with opened(redis_server, name) as one:
        one.add(links(("http://a/", 0.9)))
        one.done(take(one))
    with opened(redis_server, name, "two") as two:
        assert take(two) == "http://a/"


def test_a_lease_that_nobody_ends_is_over(redis_server):
    """It is given out again, and forgotten here."""
    with opened(redis_server, lease_seconds=2.0) as frontier:
        frontier.add(links(("http://a/", 0.9)))
        url = take(frontier)
        assert frontier.expire(time.time()) == 0
        time.sleep(2.1)
        with frontier._state.changed:  # both are said at once, or it may be prefetched again in between
            assert frontier.expire(time.time()) == 1
            is_known = frontier.asking("is_known", url)
        assert not is_known.result()
        assert take(frontier) == url


def test_what_nobody_asks_for_is_given_back(redis_server, monkeypatch):
    """A worker that has all its hands full leaves to others what it had prefetched."""
    monkeypatch.setattr(ahead_buffer, "STALE_SECONDS", 0.2)
    name = new_name()
    with opened(redis_server, name) as one, opened(redis_server, name, "two") as two:
        one.add(links(("http://a/", 0.9)))
        one.take(1, time.time())
        assert take(two) == "http://a/"


def test_a_worker_begins_with_few(redis_server, monkeypatch):
    """With nothing to choose from, what is out is chosen blindly."""
    monkeypatch.setattr(prefetch_start, "SECONDS_A_SLOT", 1000.0)
    with opened(redis_server) as frontier:
        frontier.add(links(*((f"http://h{n}/", 0.5) for n in range(20))))
        take(frontier)
        time.sleep(0.1)
        assert frontier.take(1, time.time()) == []
        now = time.time()
        assert frontier.next_ready_at() > now


def test_one_who_comes_later_begins_with_many(redis_server, monkeypatch):
    """There is much to choose from by then."""
    monkeypatch.setattr(prefetch_start, "SECONDS_A_SLOT", 1000.0)  # none is given for the time that goes by
    name = new_name()
    with opened(redis_server, name) as one:
        for n in range(40):
            one.done(f"http://h/{n}")
        one.ack()
    with opened(redis_server, name, "two") as two:
        two.add(links(*((f"http://h{n}/", 0.5) for n in range(6))))
        assert len({take(two) for _ in range(6)}) == 6


def test_hosts_that_are_closed_are_told(redis_server):
    """A moment later, once."""
    with opened(redis_server, host_pages=1) as frontier:
        frontier.add(links(("http://a/1", 0.9), ("http://a/2", 0.5)))
        drained(frontier, take(frontier))
        heard = []
        until(lambda: heard.extend(frontier.closed_hosts()) or heard)
        assert heard == [("a", "host_limit")]


def test_what_the_thread_trips_over_is_raised_in_the_crawl(redis_server):
    """Nothing is lost without a word."""
    notes = {"pages": 0}

    def info():
        return {"pages": 1 / notes["pages"]}

    notes["pages"] = 1
    with opened(redis_server, info=info) as frontier:
        notes["pages"] = 0
        with pytest.raises(CrawlError, match="ZeroDivisionError"):
            take(frontier)
        with pytest.raises(CrawlError, match="ZeroDivisionError"):
            frontier.is_known("http://a/")
        with pytest.raises(CrawlError, match="ZeroDivisionError"):
            frontier.add(links(("http://a/", 0.5)))


class Crawl:
    """A worker that crawls a made-up web by itself, and writes down when it had what."""

    def __init__(self, frontier, web, kept):
        self.frontier, self.web, self._kept = frontier, web, kept
        self.visits = []  # (host, when it was asked, when that was over)

    def run(self):
        while (when := self.frontier.next_ready_at()) is not None:
            for lease in self.frontier.take(2, time.time()):
                self._visit(lease)
            time.sleep(max(0.0, min(when - time.time(), 0.01)))

    def _visit(self, lease):
        began = time.time()
        time.sleep(0.001)
        self.frontier.add(
            Candidate(url, 0.5, lease.depth + 1, lease.url) for url in self.web.get(lease.url, ())
        )
        host = lease.url.split("/")[2]
        self.frontier.asked(host, began)
        self.visits.append((host, began, time.time()))
        self.frontier.done(lease.url)
        self._kept.append(lease.url)
        self.frontier.ack()


def together(server, web, seeds, workers, **rules):
    """Let workers crawl a web, each in a thread; return what was kept, and their visits."""
    name, kept = new_name(), []
    with ExitStack() as stack:
        frontiers = [stack.enter_context(opened(server, name, f"w{n}", **rules)) for n in range(workers)]
        frontiers[0].add([Candidate(url, 1.0) for url in seeds])
        crawls = [Crawl(frontier, web, kept) for frontier in frontiers]
        threads = [threading.Thread(target=crawl.run) for crawl in crawls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)
    return kept, [crawl.visits for crawl in crawls]


def reachable(web, seeds):
    found, queue = set(seeds), list(seeds)
    while queue:
        new = [url for url in web.get(queue.pop(), ()) if url not in found]
        found.update(new)
        queue += new
    return found


@settings(max_examples=12, deadline=None)
@given(
    st.dictionaries(st.integers(0, 30), st.lists(st.integers(0, 30), max_size=6), max_size=20),
    st.integers(1, 3),
    st.integers(1, 8),
)
def test_several_workers_keep_each_page_once(redis_server, graph, workers, prefetch):
    """Whatever the web, and none ends before all is done."""

    def url(number):
        return f"http://h{number % 7}/{number}"

    web = {url(page): [url(link) for link in found] for page, found in graph.items()}
    seeds = [url(0), url(1)]
    kept, _ = together(redis_server, web, seeds, workers, prefetch=prefetch)
    assert sorted(kept) == sorted(reachable(web, seeds))


@pytest.mark.parametrize("per_host", [1, 2])
def test_a_host_belongs_to_one_worker_and_keeps_its_distance(redis_server, per_host):
    """While anybody has a URL of it out nobody else gets one; its delay counts from when it was really asked.

    Where a worker may ask it for several at a time, that worker's downloader keeps them apart.
    """
    delay = 0.05
    seeds = [f"http://h{number % 5}/{number}" for number in range(40)]
    kept, visits = together(redis_server, {}, seeds, 3, delay=delay, per_host=per_host)
    assert sorted(kept) == sorted(seeds)
    by_host = {}
    for worker, each in enumerate(visits):
        for host, began, ended in each:
            by_host.setdefault(host, []).append((began, ended, worker))
    for times in by_host.values():
        times.sort()
        for (before, ended, one), (began, _, other) in pairwise(times):
            assert one == other or ended <= began
            assert per_host > 1 or began - before >= delay - 0.01
