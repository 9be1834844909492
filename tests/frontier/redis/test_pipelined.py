from __future__ import annotations

from contextlib import contextmanager, suppress

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from focused_crawler.safety.errors import CrawlError
from tests.redis_server import new_name

PARTITIONS = (1, 3)
URLS = [f"http://h{number % 4}/{number}" for number in range(8)]


@contextmanager
def opened(server, partitions=1, **rules):
    frontier = PipelinedRedis(server.address, new_name(), Rules(**rules), worker="one", partitions=partitions)
    try:
        yield frontier
    finally:
        frontier.forget()
        frontier.close()


def said(frontier, what, url):
    calls = {
        "add": lambda: frontier.add([Candidate(url, 0.5)]),
        "better": lambda: frontier.add([Candidate(url, 0.9)]),
        "done": lambda: frontier.done(url),
        "moved": lambda: frontier.done(url, URLS[0]),
        "failed": lambda: frontier.failed(url, None),
        "retry": lambda: frontier.failed(url, 5.0),
        "release": lambda: frontier.release(url),
        "again": lambda: frontier.again([Candidate(url, 0.4)]),
        "worse": lambda: frontier.reprioritise({url: 0.1}),
        "pace": lambda: frontier.pace(url.split("/")[2], 2.0),
        "asked": lambda: frontier.asked(url.split("/")[2], 1.0),
        "ack": frontier.ack,
    }
    calls[what]()


NAMES = (
    "add",
    "better",
    "done",
    "moved",
    "failed",
    "retry",
    "release",
    "again",
    "worse",
    "pace",
    "asked",
    "ack",
)
SAID = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(URLS)), max_size=20)


@pytest.mark.parametrize("partitions", PARTITIONS)
@settings(max_examples=25, deadline=None)
@given(SAID)
def test_what_is_said_together_is_what_is_said_one_after_the_other(redis_server, partitions, calls):
    """The same frontier comes of it, and the same hosts are closed."""
    with (
        opened(redis_server, partitions, host_pages=3) as one,
        opened(redis_server, partitions, host_pages=3) as other,
    ):
        for frontier in (one, other):
            frontier.add(Candidate(url, 0.5) for url in URLS[:5])
            frontier.take(3, 1.0)
        for call in calls:
            said(one, *call)
        with other.pipelined():
            for call in calls:
                said(other, *call)
        assert other.stats() == one.stats()
        assert sorted(other.closed_hosts()) == sorted(one.closed_hosts())
        other.close(), one.close()
        assert other.take(99, 10.0) == one.take(99, 10.0)


def test_saying_it_twice_is_saying_it_once(redis_server):
    """An answer that is lost makes no difference."""
    with opened(redis_server) as frontier:
        frontier.add(Candidate(url, 0.5) for url in URLS)
        one, two, three, *_ = (lease.url for lease in frontier.take(4, 1.0))
        for _ in range(2):
            with frontier.pipelined():
                frontier.add([Candidate("http://new/", 0.5)])
                frontier.done(one)
                frontier.failed(two, None)
                frontier.release(three)
        stats = frontier.stats()
        assert (stats.pending, stats.leased, stats.done, stats.failed) == (6, 1, 1, 1)


def test_a_server_that_has_forgotten_the_scripts_is_sent_them(redis_server):
    """As after it was started anew."""
    with opened(redis_server) as frontier, redis.Redis.from_url(redis_server.address) as client:
        frontier.add(Candidate(url, 0.5) for url in URLS[:2])
        url = frontier.take(1, 1.0)[0].url
        client.script_flush()
        with frontier.pipelined():
            frontier.add([Candidate(URLS[5], 0.5)])
            frontier.done(url)
            frontier.ack()
        assert (frontier.stats().pending, frontier.stats().done) == (2, 1)


def test_what_fails_inside_is_not_sent_and_may_be_said_again(redis_server):
    """Nothing of it is left over for the next time."""
    with opened(redis_server) as frontier:
        frontier.add(Candidate(url, 0.5) for url in URLS[:2])
        url = frontier.take(1, 1.0)[0].url
        with suppress(CrawlError), frontier.pipelined():
            frontier.failed(url, 5.0)
            raise CrawlError("the crawl ends")
        assert frontier.stats().leased == 1
        with frontier.pipelined():
            frontier.failed(url, 5.0)
        assert frontier.stats().leased == 0
        assert {lease.url: lease.tries for lease in frontier.take(9, 6.0)}[url] == 1


def test_a_cluster_is_told_as_well(redis_cluster):
    """One after the other."""
    with opened(redis_cluster, None) as frontier:
        with frontier.pipelined():
            frontier.add(Candidate(url, 0.5) for url in URLS)
        assert len(frontier) == len(URLS)
