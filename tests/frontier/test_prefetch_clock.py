"""What a step of a worker's wall clock does to its crawl and to others': nothing."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.prefetch import frontier as ahead
from focused_crawler.frontier.prefetch import state as prefetch_state
from focused_crawler.frontier.prefetch import thread as prefetch_thread
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from tests.redis_server import new_name, until

STEPS = pytest.mark.parametrize("step", [30.0, -30.0])


class SteppedTime:
    """The module `time` on a machine whose wall clock is set anew."""

    def __init__(self):
        self.step = 0.0

    def time(self):
        return time.time() + self.step

    def __getattr__(self, name):
        return getattr(time, name)


@pytest.fixture
def clock(monkeypatch):
    clock = SteppedTime()
    for module in (ahead, prefetch_state, prefetch_thread):
        monkeypatch.setattr(module, "time", clock)
    return clock


@contextmanager
def opened(server, *urls, name=None, worker="one", **rules):
    rules = Rules(**rules)
    shared = PipelinedRedis(server.address, name or new_name(), rules, worker=worker)
    frontier = PrefetchFrontier(shared, prefetch=4, lease_seconds=rules.lease_seconds, info=dict)
    frontier.add([Candidate(url, 0.9 - n / 10) for n, url in enumerate(urls)])
    try:
        yield frontier
    finally:
        frontier.close()


def taken(frontier, clock, seconds):
    """Return the next URL, None where none comes for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if leases := frontier.take(1, clock.time()):
            return leases[0].url
        time.sleep(0.005)
    return None


@STEPS
def test_a_host_keeps_its_delay(redis_server, clock, step):
    """It is given neither early nor late."""
    with opened(redis_server, "http://a/1", "http://a/2", delay=1.5) as frontier:
        began = time.monotonic()
        assert taken(frontier, clock, 10) == "http://a/1"
        clock.step = step
        frontier.done("http://a/1")
        assert taken(frontier, clock, 20) == "http://a/2"
        assert time.monotonic() - began > 1.3


@STEPS
def test_a_lease_lasts_as_long_as_it_may(redis_server, clock, step):
    """Here, and in the eyes of another worker, whose clock is stepped as well."""
    name = new_name()
    with (
        opened(redis_server, "http://a/", name=name, lease_seconds=20) as one,
        opened(redis_server, name=name, worker="two", lease_seconds=20) as two,
    ):
        assert taken(one, clock, 10) == "http://a/"
        clock.step = step
        assert one.expire(clock.time()) == 0
        assert taken(two, clock, 0.7) is None
        assert one.expire(clock.time() + 21) == 1
        until(lambda: taken(two, clock, 0.1) == "http://a/")


@STEPS
def test_times_that_are_said_are_those_of_the_stepped_clock(redis_server, clock, step):
    """Of a retry, of a host that was asked, and of one that a redirect leads to."""
    with opened(redis_server, "http://a/1", "http://b/", "http://a/2", delay=1.0) as frontier:
        assert [taken(frontier, clock, 10) for _ in range(2)] == ["http://a/1", "http://b/"]
        clock.step = step
        began, asked = time.monotonic(), clock.time()
        frontier.asked("a", asked)
        frontier.done("http://a/1")
        assert frontier.redirected("http://b/", "a", asked) == pytest.approx(asked + 1.0, abs=0.5)
        frontier.failed("http://b/", asked + 1.2)
        given = {taken(frontier, clock, 20): time.monotonic() - began for _ in range(2)}
        assert given.keys() == {"http://a/2", "http://b/"}
        assert given["http://a/2"] > 0.8
        assert given["http://b/"] > 1.0
