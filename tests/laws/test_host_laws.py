"""How every frontier treats hosts: pace, refusals, caps, redirects, strict order, lost leases."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from itertools import pairwise

import pytest

from focused_crawler.frontier.base import LONGEST_WAIT, MAX_REFUSALS, Rules
from focused_crawler.frontier.host import LONGEST_HOLD, MOST_MISSES
from focused_crawler.page.url import host_of
from tests.laws.backends import drain, links, opened, urls

A1, A2, A3, B1 = "http://a.org/1", "http://a.org/2", "http://a.org/3", "http://b.org/1"
FOUR = links((A1, 0.9), (A2, 0.8), (A3, 0.7), (B1, 0.1))


def times(frontier, host, start=1000.0, step=0.25, steps=90):
    """Ask every quarter of a second, end every lease at once; return when a host was asked."""
    found = []
    for n in range(steps):
        now = start + n * step
        for lease in frontier.take(9, now):
            frontier.failed(lease.url, None)
            if host_of(lease.url) == host:
                found.append(now)
    return found


@pytest.mark.parametrize(("own", "gap"), [(5.0, 5.0), (0.5, 2.0), (0.0, 2.0), (float("nan"), 2.0)])
def test_a_host_may_ask_for_a_longer_delay(new_frontier, own, gap):
    """Not for a shorter one than everybody's; others are not slowed down by it."""
    with new_frontier(delay=2.0) as frontier:
        frontier.add(links(*((f"http://{host}.org/{i}", 0.5) for host in "ab" for i in range(5))))
        frontier.pace("a.org", own)
        asked = times(frontier, "a.org")
        assert [later - earlier for earlier, later in pairwise(asked)] == [gap] * 4


def test_a_delay_counts_from_the_last_url_on(new_frontier):
    """When a host's wish is heard its first URL is out already."""
    with new_frontier(delay=1.0) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.pace("a.org", 30.0)
        assert urls(frontier.take(9, 1029.9)) == [B1]
        assert frontier.next_ready_at() == 1030.0
        assert urls(frontier.take(9, 1030.0)) == [A2]


@pytest.mark.parametrize("own", [0.0, 7.0])
@pytest.mark.parametrize("asked", [999.0, 1000.0, 1003.5, 1030.0])
def test_a_delay_counts_from_when_a_host_was_really_asked(new_frontier, own, asked):
    """However late that was, or told twice; a time before the last one changes nothing, nor does its end."""
    with new_frontier(delay=5.0) as frontier:
        frontier.add(FOUR)
        frontier.pace("a.org", own)
        frontier.take(1, 1000.0)
        frontier.asked("a.org", asked)
        frontier.asked("a.org", asked - 1.0)
        frontier.done(A1)
        free = max(1000.0, asked) + max(5.0, own)
        assert urls(frontier.take(9, free - 0.01)) == [B1]
        assert frontier.next_ready_at() == free
        assert urls(frontier.take(9, free)) == [A2]


def test_no_host_is_taken_too_early_after_it_was_asked(new_frontier):
    """Whatever is taken and asked in between."""
    rng, free, out = random.Random(5), Counter(), []
    with new_frontier(delay=2.0, per_host=2) as frontier:
        frontier.add(links(*((f"http://h{i % 4}.org/{i}", rng.random()) for i in range(60))))
        for step in range(120):
            now = 1000.0 + step / 2
            for lease in frontier.take(2, now):
                host = host_of(lease.url)
                assert now >= free[host]
                free[host] = max(free[host], now + 2.0)
                out.append(lease.url)
            if out and rng.random() < 0.7:
                url = out.pop(rng.randrange(len(out)))
                frontier.asked(host_of(url), now)
                free[host_of(url)] = max(free[host_of(url)], now + 2.0)
                frontier.done(url)


def test_no_host_makes_us_wait_for_more_than_an_hour(new_frontier):
    """Whatever it says, in whatever way."""
    with new_frontier() as frontier:
        frontier.add(FOUR)
        frontier.pace("a.org", 1e9)
        frontier.take(1, 1000.0)
        assert frontier.refused(A1, "a.org", 1000.0, 1e9)
        drain(frontier, 1000.0)
        frontier.failed(B1, None)
        assert frontier.next_ready_at() == 1000.0 + LONGEST_WAIT


def test_refusals_hold_a_host_longer_each_time(new_frontier):
    """Twice as long each time, from the retry delay on; Retry-After wins; a page ends the row."""
    with new_frontier(retry_delay=10.0, max_tries=9) as frontier:
        frontier.add(links(*((f"http://a.org/{i}", 0.5) for i in range(9))))
        now = 1000.0
        for seconds, wait in ((None, 10.0), (None, 20.0), (7.0, 7.0), (None, 80.0)):
            (lease,) = frontier.take(1, now)
            assert frontier.refused(lease.url, "a.org", now, seconds)
            assert frontier.next_ready_at() == now + wait
            now += wait
        (lease,) = frontier.take(1, now)
        frontier.done(lease.url)
        (lease,) = frontier.take(1, now)
        frontier.refused(lease.url, "a.org", now)
        assert frontier.next_ready_at() == now + 10.0


def test_a_host_that_refuses_holds_up_nobody_else(new_frontier):
    """While it is left alone, the best URLs of all others leave at once."""
    with new_frontier() as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.refused(A1, "a.org", 1000.0)
        assert drain(frontier, 1000.0) == [B1]


def test_a_held_host_costs_a_url_no_tries(new_frontier):
    """However often its host refuses, the only URL keeps its last try until the host is given up."""
    with new_frontier(max_tries=2, retry_delay=1.0) as frontier:
        frontier.add(links((A1, 0.5)))
        now = 1000.0
        for _ in range(MAX_REFUSALS - 1):
            (lease,) = frontier.take(1, now)
            assert frontier.refused(A1, "a.org", now)
            now = frontier.next_ready_at()
        assert frontier.take(1, now)[0].tries == lease.tries == 1
        frontier.failed(A1, now)
        assert frontier.take(1, now)[0].tries == 2


def test_a_url_that_alone_is_refused_is_given_up(new_frontier):
    """When its host serves others in between, the fault is its own; it goes behind them."""
    with new_frontier(max_tries=2, retry_delay=1.0) as frontier:
        frontier.add(FOUR[:3])
        assert urls(frontier.take(1, 1000.0)) == [A1]
        assert frontier.refused(A1, "a.org", 1000.0)
        for url in (A2, A3):
            assert urls(frontier.take(1, 1001.0)) == [url]
            frontier.done(url)
        assert urls(frontier.take(1, 1001.0)) == [A1]
        assert not frontier.refused(A1, "a.org", 1001.0)
        assert frontier.stats().failed == 1


def test_a_host_that_always_refuses_is_given_up(new_frontier):
    """So the crawl ends: its URLs are dropped, and so is what is offered later."""
    with new_frontier(retry_delay=1.0) as frontier:
        frontier.add(FOUR[:3])
        now = 1000.0
        for number in range(1, MAX_REFUSALS + 1):
            (lease,) = frontier.take(1, now)
            assert frontier.refused(lease.url, "a.org", now) == (number < MAX_REFUSALS)
            now = frontier.next_ready_at() or now
        assert (len(frontier), frontier.next_ready_at(), frontier.stats().dropped) == (0, None, 3)
        assert frontier.add(links(("http://a.org/4", 1.0))) == 0
        assert frontier.stats().dropped == 4
        assert drain(frontier, now + 1e6) == []


def test_a_refusal_behind_a_redirect_holds_the_host_that_refused(new_frontier):
    """The URL waits for that host; its own goes on."""
    with new_frontier(retry_delay=50.0) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.redirected(A1, "b.org", 1000.0)
        assert frontier.refused(A1, "b.org", 1000.0)
        assert drain(frontier, 1000.0) == [A2, A3]
        assert drain(frontier, 1049.0) == []
        assert drain(frontier, 1050.0) == [B1, A1]


def test_a_cap_counts_pages(new_frontier):
    """Not what is queued or fails; what is out might be pages, so that the cap is never passed."""
    with new_frontier(host_pages=2) as frontier:
        frontier.add(FOUR)
        assert drain(frontier, 1000.0) == [A1, A2, B1]
        frontier.failed(A2, None)
        assert drain(frontier, 1000.0) == [A3]
        frontier.done(A1)
        frontier.failed(A3, 1001.0)
        assert len(frontier) == 1
        assert drain(frontier, 1001.0) == [A3]
        frontier.done(A3)
        frontier.add(links(("http://a.org/4", 0.9)))
        assert (len(frontier), frontier.stats().dropped) == (0, 1)


def test_a_page_counts_once(new_frontier):
    """However often it is said to be done, under whatever spelling."""
    with new_frontier(host_pages=2) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        for _ in range(3):
            frontier.done(A1, A1.replace("http:", "https:"))
        assert drain(frontier, 1000.0) == [A2, B1]


def test_at_the_cap_the_rest_is_dropped(new_frontier):
    """What is pending, what waits and what is offered later is counted, and taken never: the crawl ends."""
    with new_frontier(host_pages=1) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.failed(A1, 9999.0)
        frontier.take(1, 1000.0)
        frontier.done(A2)
        assert frontier.add(links((A3, 1.0), ("http://a.org/4", 0.9))) == 0
        assert frontier.stats().dropped == 3
        assert drain(frontier, 1e6) == [B1]
        assert len(frontier) == 0


@pytest.mark.parametrize("per_host", [None, 1, 2])
def test_the_cap_is_never_passed(new_frontier, per_host):
    """Whatever gives a page and whatever does not, and wherever it redirects to."""
    rng, pages, out, now = random.Random(1), Counter(), [], 1000.0
    with new_frontier(host_pages=5, per_host=per_host) as frontier:
        frontier.add(links(*((f"http://h{rng.randrange(4)}.org/{i}", rng.random()) for i in range(200))))
        while len(frontier) or out:
            now += 1.0
            out += [(lease.url, lease.url) for lease in frontier.take(rng.randrange(5), now)]
            if out:
                url, at = out.pop(rng.randrange(len(out)))
                target = f"http://h{rng.randrange(4)}.org/{rng.randrange(10**6)}"
                if rng.random() < 0.3:
                    if frontier.redirected(url, host_of(target), now) is None:
                        frontier.failed(url, None)
                    else:
                        out.append((url, target))
                elif rng.random() < 0.6:
                    frontier.done(url, at)
                    pages[host_of(at)] += 1
                else:
                    frontier.failed(url, now + 1 if rng.random() < 0.5 else None)
        assert set(pages.values()) == {5}


def test_a_later_run_with_a_higher_cap_gets_the_dropped_ones(lasting):
    """With the same cap it does not; with none it gets all."""
    frontier = lasting.open(Rules(host_pages=1))
    frontier.add(FOUR)
    frontier.take(9, 1000.0)
    frontier.done(A1)
    frontier.done(B1)
    assert frontier.stats().dropped == 2
    frontier.add(links(("http://a.org/4", 0.3)))
    for cap, left in ((1, 0), (2, 3), (0, 3), (1, 0), (0, 3)):
        lasting.stop()
        frontier = lasting.open(Rules(host_pages=cap))
        assert (len(frontier), frontier.stats().dropped) == (left, 3 - left)
    assert drain(frontier, 1000.0) == [A2, A3, "http://a.org/4"]


def test_a_later_run_asks_a_host_once_more_that_was_given_up(lasting):
    """After one more wait; if it refuses again it is given up again."""
    frontier, now = lasting.open(Rules(retry_delay=1.0)), 1000.0
    frontier.add(FOUR[:3])
    while len(frontier):
        frontier.refused(frontier.take(1, now)[0].url, "a.org", now)
        asked, now = now, frontier.next_ready_at() or now
    lasting.stop()
    frontier = lasting.open(Rules(retry_delay=1.0))
    assert len(frontier) == 3
    assert frontier.take(1, asked) == []
    now = frontier.next_ready_at()
    assert now == asked + 2.0 ** (MAX_REFUSALS - 2)
    assert not frontier.refused(frontier.take(1, now)[0].url, "a.org", now)
    assert len(frontier) == 0


def test_what_is_known_of_hosts_survives(lasting):
    """The delay it asked for, how often it refused, and until when it is left alone."""
    rules = Rules(retry_delay=10.0)
    frontier = lasting.open(rules)
    frontier.add(FOUR)
    frontier.pace("a.org", 7.0)
    frontier.take(1, 1000.0)
    frontier.refused(A1, "a.org", 1000.0)
    lasting.stop()
    frontier = lasting.open(rules)
    assert frontier.take(9, 1009.0)[0].url == B1
    assert frontier.next_ready_at() == 1010.0
    assert urls(frontier.take(9, 1010.0)) == [A2]
    assert frontier.take(9, 1016.9) == []
    frontier.refused(A2, "a.org", 1017.0)
    assert frontier.take(9, 1036.9) == []
    assert urls(frontier.take(1, 1037.0)) == [A3]


def test_a_redirect_waits_for_the_host_it_leads_to(new_frontier):
    """And that host is asked no more than if the URL had been its own."""
    with new_frontier(delay=5.0) as frontier:
        frontier.add(FOUR)
        assert urls(frontier.take(9, 1000.0)) == [A1, B1]
        frontier.failed(B1, None)
        assert frontier.redirected(A1, "b.org", 1001.0) == 1005.0
        assert frontier.redirected(A1, "b.org", 1005.0) <= 1005.0
        frontier.add(links(("http://b.org/2", 1.0)))
        assert urls(frontier.take(9, 1009.0)) == [A2]
        assert urls(frontier.take(9, 1010.0)) == ["http://b.org/2"]


def test_a_redirect_to_where_no_more_pages_are_wanted(new_frontier):
    """It ends there: its target's host has given all it may, or would with what is out."""
    with new_frontier(host_pages=1) as frontier:
        frontier.add(FOUR)
        assert drain(frontier, 1000.0) == [A1, B1]
        assert frontier.redirected(A1, "b.org", 1000.0) is None
        frontier.failed(B1, None)
        assert frontier.redirected(A1, "b.org", 1000.0) <= 1000.0
        assert drain(frontier, 1000.0) == [A2]
        frontier.done(A1, "http://b.org/2")
        assert frontier.redirected(A2, "b.org", 1000.0) is None


def test_a_redirect_begins_a_lease_anew(new_frontier):
    """A long chain of slow hosts is not lost on the way."""
    with new_frontier(lease_seconds=10.0) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.redirected(A1, "c.org", 1009.0)
        assert frontier.expire(1018.9) == 0
        assert frontier.expire(1019.0) == 1


def test_slots_wait_for_the_best(new_frontier):
    """A URL with less than its share of the best pending priority waits for the best one's host."""
    with new_frontier(delay=5.0, wait_for_best=0.8) as frontier:
        best, near, far = "http://a.org/best", "http://b.org/near", "http://c.org/far"
        frontier.add(links(("http://a.org/first", 1.0), (best, 0.9), (near, 0.75), (far, 0.7)))
        assert not frontier.stats().is_held_back
        assert drain(frontier, 1000.0) == ["http://a.org/first", near]
        assert frontier.stats().is_held_back
        assert frontier.next_ready_at() == 1005.0
        assert drain(frontier, 1005.0) == [best, far]


def test_nobody_waits_for_a_host_that_does_not_answer(new_frontier):
    """Six seconds at most, and not again before a page of it comes."""
    with new_frontier(per_host=1, wait_for_best=1.0) as frontier:
        frontier.add(FOUR)
        assert drain(frontier, 1000.0) == [A1]
        assert frontier.next_ready_at() == 1000.0 + LONGEST_HOLD
        assert drain(frontier, 999.9 + LONGEST_HOLD) == []
        assert drain(frontier, 1000.0 + LONGEST_HOLD) == [B1]
        frontier.failed(A1, None)
        frontier.add(links(("http://b.org/more", 0.1)))
        assert drain(frontier, 1020.0) == [A2]
        frontier.done(B1)
        assert drain(frontier, 1020.0) == ["http://b.org/more"]
        frontier.add(links(("http://c.org/", 0.1)))
        frontier.done(A2)
        assert drain(frontier, 1020.0) == [A3, "http://c.org/"]


def test_nobody_waits_for_a_host_without_pages(new_frontier):
    """After eight answers in a row that were none, until one is."""
    with new_frontier(per_host=1, wait_for_best=1.0) as frontier:
        dead = [f"http://a.org/{i}" for i in range(MOST_MISSES + 3)]
        frontier.add(links(*((url, 1.0) for url in dead), *((f"http://b.org/{i}", 0.1) for i in range(3))))
        for _ in range(MOST_MISSES):
            (url,) = drain(frontier, 1000.0)
            frontier.failed(url, None)
        page, other = drain(frontier, 1000.0)
        assert (host_of(page), host_of(other)) == ("a.org", "b.org")
        frontier.done(page)
        frontier.done(other)
        assert [host_of(url) for url in drain(frontier, 1000.0)] == ["a.org"]


def test_nobody_waits_for_a_host_that_refuses_or_asks_for_long(new_frontier):
    """After a refusal, or with a delay of more than six seconds."""
    with new_frontier(wait_for_best=1.0) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        frontier.refused(A1, "a.org", 1000.0, 5.0)
        assert drain(frontier, 1000.0) == [B1]
    with new_frontier(wait_for_best=1.0) as frontier:
        frontier.add(FOUR)
        frontier.pace("a.org", LONGEST_HOLD + 1)
        assert drain(frontier, 1000.0) == [A1, B1]
        frontier.add(links(("http://a.org/more", 0.9), ("http://c.org/", 0.1)))
        assert drain(frontier, 1000.0 + LONGEST_HOLD) == ["http://c.org/"]  # not in the end of it, either


def test_a_lost_lease_is_noticed_without_a_take(new_frontier):
    """`expire` finds it, and the next time to look tells when."""
    with new_frontier(lease_seconds=60.0) as frontier:
        frontier.add(FOUR[:1])
        frontier.take(1, 1000.0)
        assert frontier.next_ready_at() == 1060.0
        assert (frontier.expire(1059.0), len(frontier)) == (0, 0)
        assert (frontier.expire(1060.0), len(frontier)) == (1, 1)
        assert not frontier.is_known(A1)


def test_leases_are_prolonged(new_frontier):
    """All of them, in their order, those of redirects and what a full host waits for as well."""
    with new_frontier(lease_seconds=60.0, per_host=2) as frontier:
        frontier.add(FOUR)
        assert drain(frontier, 1000.0) == [A1, A2, B1]
        frontier.redirected(B1, "c.org", 1010.0)
        frontier.prolong(5000.0)
        assert frontier.expire(6059.0) == 0
        assert frontier.next_ready_at() == 6060.0
        assert (frontier.expire(6060.0), frontier.holds(B1)) == (2, True)
        assert (frontier.expire(6069.0), frontier.expire(6070.0)) == (0, 1)


def test_a_take_of_nothing_ends_leases(new_frontier):
    """As any other take does."""
    with new_frontier(lease_seconds=60.0) as frontier:
        frontier.add(FOUR)
        frontier.take(1, 1000.0)
        assert (frontier.take(0, 1060.0), len(frontier)) == ([], 4)


# A row that is written often in one transaction costs PostgreSQL a look at all that it was.
@pytest.mark.parametrize(
    ("backend", "number"), [("memory", 10_000), ("sqlite", 10_000), ("postgresql", 500), ("partitioned", 500)]
)
def test_many_waiting_urls_of_one_host(new_backend, backend, number):
    """They end one by one in a moment: no URL costs a look at all others."""
    with opened(partial(new_backend, backend)) as frontier:
        pages = [f"http://a.org/{i}" for i in range(number)]
        frontier.add(links(*((url, 0.5) for url in pages)))
        frontier.take(len(pages), 1000.0)
        for url in pages:
            frontier.failed(url, 2000.0)
        for url in pages:
            frontier.done(url)
        assert (len(frontier), frontier.stats().done) == (0, len(pages))
