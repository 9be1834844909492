from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.frontier.base import Lease
from focused_crawler.frontier.prefetch.buffer import FRESH_SECONDS, STALE_SECONDS, Buffer


def lease(url="http://a/", priority=0.5, tries=0):
    return Lease(url, priority, 0, None, tries)


def leases(n):
    return [lease(f"http://h{i}/") for i in range(n)]


def test_nothing_is_taken_ahead_before_somebody_asks():
    """A crawl that never asks, as its budget is spent, keeps no URL from others."""
    assert Buffer(8).room == 0


def test_the_best_one_leaves_first_however_they_came():
    """Fewest tries, then highest priority, then order of arrival."""
    buffer = Buffer(8)
    came = [lease("http://c/", 0.9, 1), lease("http://b/", 0.2), lease("http://a/", 0.7)]
    for one in came:
        buffer.fill([one], 0.0, is_all=True)
    assert [buffer.pop(0.0).url for _ in came] == ["http://a/", "http://b/", "http://c/"]


def test_it_asks_for_twice_as_many_when_it_was_found_empty_and_there_are_more():
    """One, two, four, and never more than it may."""
    buffer, rooms = Buffer(3), []
    for _ in range(4):
        while buffer.pop(0.0):
            pass
        rooms.append(buffer.room)
        buffer.fill(leases(buffer.room), 0.0, is_all=True)
    assert rooms == [1, 2, 3, 3]


def test_it_does_not_ask_for_more_where_there_are_no_more():
    """That the crawl finds nothing, since nothing is ready, is no reason to hold more next time."""
    buffer = Buffer(8)
    for _ in range(10):
        buffer.pop(0.0)
        buffer.fill([], 0.0, is_all=False)
    assert buffer.room == 1


def test_it_asks_for_less_when_leases_have_to_wait():
    """A crawl with all its hands full takes late: what lies here is older than it need be."""
    buffer = Buffer(8)
    for _ in range(4):
        while buffer.pop(0.0):
            pass
        buffer.fill(leases(buffer.room), 0.0, is_all=True)
    for taken in range(8):
        buffer.pop(2 * FRESH_SECONDS * (taken + 1))
    assert buffer.room == 1


def test_what_waits_too_long_is_given_back_and_nothing_is_taken_until_somebody_asks():
    """A crawl that has stopped asking holds nothing up for more than a few seconds."""
    buffer = Buffer(8)
    buffer.pop(0.0)
    buffer.fill(leases(1), 10.0, is_all=True)
    assert buffer.stale_at() == 10.0 + STALE_SECONDS
    assert buffer.drop_stale(10.0 + STALE_SECONDS / 2) == []
    assert buffer.drop_stale(10.0 + STALE_SECONDS) == ["http://h0/"]
    assert (len(buffer), buffer.room, buffer.stale_at()) == (0, 0, None)
    buffer.pop(20.0)
    assert buffer.room > 0


@given(st.integers(1, 20), st.lists(st.integers(0, 5), max_size=50))
def test_it_never_holds_more_than_it_may(most, takes):
    """However the crawl asks, and what it asks for is never more than there is room for."""
    buffer = Buffer(most)
    for now, n in enumerate(takes):
        for _ in range(n):
            buffer.pop(float(now))
        buffer.fill(leases(buffer.room), float(now), is_all=True)
        assert len(buffer) <= most
