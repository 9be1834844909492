"""N-best-first: so many are chosen at a time, and given out before anything newer is looked at."""

from __future__ import annotations

import random

import pytest

from focused_crawler.frontier.base import Rules
from tests.laws.backends import drain, links, urls


def one_by_one(frontier, n, now=0.0):
    return [url for _ in range(n) for url in urls(frontier.take(1, now))]


def test_newer_ones_wait_for_the_batch(new_frontier):
    """However good: they are looked at when the batch is used up, and then the best come first again."""
    with new_frontier(n_best=3) as frontier:
        frontier.add(links(*((f"http://a.org/{p}", p) for p in (0.5, 0.4, 0.3, 0.2))))
        assert one_by_one(frontier, 1) == ["http://a.org/0.5"]
        frontier.add(links(("http://a.org/best", 1.0), ("http://a.org/0.2", 0.9)))
        assert one_by_one(frontier, 9) == [f"http://a.org/{name}" for name in (0.4, 0.3, "best", 0.2)]


@pytest.mark.parametrize("n_best", [2, 7, 1000])
def test_nothing_added_nothing_changed(new_frontier, n_best):
    """Where nothing new comes, batches of any size give out the order that there is without them."""
    rng = random.Random(4)
    pairs = [(f"http://h{rng.randrange(7)}.org/{i}", rng.randrange(5) / 4) for i in range(300)]
    orders = []
    for size in (1, n_best):
        with new_frontier(n_best=size) as frontier:
            frontier.add(links(*pairs))
            orders.append([*one_by_one(frontier, 150), *drain(frontier)])
    assert orders[0] == orders[1]
    assert len(orders[0]) == 300


def test_a_batch_is_pending(new_frontier):
    """Until it is given out: it counts as pending, and may end, fail or be reprioritised as others may."""
    with new_frontier(n_best=4) as frontier:
        frontier.add(links(*((f"http://a.org/{i}", 1 - i / 10) for i in range(6))))
        frontier.take(1, 0.0)
        assert (len(frontier), frontier.stats().pending, frontier.stats().leased) == (5, 5, 1)
        assert not frontier.is_known("http://a.org/1")
        frontier.done("http://a.org/1")
        frontier.failed("http://a.org/2", 50.0)
        assert frontier.reprioritise(dict.fromkeys(["http://a.org/3", "http://a.org/5"], 0.1)) == 2
        leases = frontier.take(9, 1.0)
        assert [(lease.url[-1], lease.priority) for lease in leases] == [("3", 0.1), ("4", 0.6), ("5", 0.1)]


def test_a_host_that_waits_is_passed_over(new_frontier):
    """The rest of the batch goes on; what waited keeps its place in it."""
    with new_frontier(n_best=4, delay=10.0) as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8), ("http://b.org/", 0.7)))
        assert one_by_one(frontier, 3) == ["http://a.org/1", "http://b.org/"]
        frontier.add(links(("http://a.org/new", 1.0)))
        assert frontier.next_ready_at() == 10.0
        assert one_by_one(frontier, 1, 10.0) == ["http://a.org/2"]


def test_no_host_is_idle_for_a_batch(new_frontier):
    """When all that is left of it waits, the next is chosen of what may be taken."""
    with new_frontier(n_best=2, delay=10.0) as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8), ("http://b.org/", 0.1)))
        assert one_by_one(frontier, 3) == ["http://a.org/1", "http://b.org/"]


def test_a_batch_waits_for_nobody(new_frontier):
    """However much better a URL is whose host may not be asked: what was chosen goes first."""
    with new_frontier(n_best=3, delay=10.0, wait_for_best=1.0) as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8), ("http://b.org/", 0.1)))
        assert one_by_one(frontier, 2) == ["http://a.org/1", "http://b.org/"]


def test_a_host_given_up_takes_its_urls_along(new_frontier):
    """Nothing of a batch is asked of a host that has given all its pages."""
    with new_frontier(n_best=4, host_pages=1) as frontier:
        frontier.add(links(("http://a.org/1", 0.9), ("http://a.org/2", 0.8), ("http://b.org/", 0.1)))
        assert one_by_one(frontier, 1) == ["http://a.org/1"]
        frontier.done("http://a.org/1")
        assert drain(frontier) == ["http://b.org/"]
        assert frontier.stats().dropped == 1


def test_a_batch_dies_with_its_run(lasting):
    """Nothing of it is lost: a new run finds it pending, and chooses anew."""
    rules = Rules(n_best=20)
    frontier = lasting.open(rules)
    frontier.add(links(*((f"http://a.org/{i}", 0.5) for i in range(30))))
    given = one_by_one(frontier, 5)
    for url in given:
        frontier.done(url)
    frontier.add(links(("http://a.org/best", 1.0)))
    lasting.stop()
    left = drain(lasting.open(rules))
    assert left[0] == "http://a.org/best"
    assert len(set(left)) == 26
    assert not set(left) & set(given)


def test_a_large_batch_of_one_host(new_frontier):
    """Far larger than what a host has in memory: all is given out once, the best first."""
    with new_frontier(n_best=500) as frontier:
        frontier.add(links(*((f"http://a.org/{i}", i / 2000) for i in range(2000))))
        first = one_by_one(frontier, 100)
        frontier.release(first[-1])
        order = [*first[:-1], *one_by_one(frontier, 2000)]
        assert len(order) == len(set(order)) == 2000
        assert order[:99] == [f"http://a.org/{i}" for i in range(1999, 1900, -1)]
