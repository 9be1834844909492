from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from focused_crawler.virtualweb.bounds import Bounds, bounds, greedy, target_costs, upper
from focused_crawler.virtualweb.graph import UNREACHED, LinkGraph
from tests.virtualweb.small_webs import SmallWeb, small_webs

# The web of docs/explanation/bounds.md: a seed that leads by A to one target, and by B and C to three.
SEED, A, B, C, T, U1, U2, U3 = range(8)
WORKED = SmallWeb(
    [[A, B], [T], [C], [U1, U2, U3], [], [], [], []],
    [SEED],
    [False, False, False, False, True, True, True, True],
)


def bounds_of(web: SmallWeb, budget: int) -> Bounds:
    return bounds(web.graph, web.seeds, web.targets, budget)


def test_the_worked_example() -> None:
    """It is what docs/explanation/bounds.md says, number by number."""
    limit = bounds_of(WORKED, 9)
    assert limit.targets == 4
    assert limit.upper.tolist() == [0, 0, 0, 1, 1, 2, 3, 4, 4, 4]
    assert limit.greedy.tolist() == [0, 0, 0, 0, 1, 2, 3, 3, 4, 4]
    assert limit.one_step.tolist() == [0, 0, 0, 1, 1, 1, 2, 3, 4, 4]


@given(small_webs())
def test_costs_are_those_of_the_best_crawl(web: SmallWeb) -> None:
    """c(t) is the least number of irrelevant pages that any crawl has fetched when it has t."""
    costs = target_costs(web.graph, np.array(web.seeds, dtype=np.int64), web.targets)
    crawls = web.crawls()
    for target, cost in zip(np.flatnonzero(web.mask), costs, strict=True):
        assert cost == min((len(c) - web.hits(c) for c in crawls if target in c), default=UNREACHED)


@given(small_webs())
def test_no_crawl_is_above_the_upper_bound(web: SmallWeb) -> None:
    """Nor is any set of pages that can be fetched at all, in whatever order."""
    limit = bounds_of(web, len(web.links))
    for crawl in web.crawls():
        assert web.hits(crawl) <= limit.upper[len(crawl)]


@given(small_webs())
def test_oracles_are_no_better_than_the_best_crawl(web: SmallWeb) -> None:
    """What the oracles reach, some crawl of as many pages or fewer reaches."""
    limit = bounds_of(web, len(web.links) + 2)
    best = np.zeros(len(limit.upper), dtype=int)
    for crawl in web.crawls():
        best[len(crawl) :] = np.maximum(best[len(crawl) :], web.hits(crawl))
    assert (limit.greedy <= best).all()
    assert (limit.one_step <= best).all()
    assert limit.greedy[-1] == best[-1]


@given(small_webs())
def test_bounds_never_fall_and_rise_by_one_at_most(web: SmallWeb) -> None:
    """They begin at 0, with no page fetched."""
    limit = bounds_of(web, 12)
    for counts in (limit.upper, limit.greedy, limit.one_step):
        assert (len(counts), counts[0]) == (13, 0)
        assert set(np.diff(counts)) <= {0, 1}


@given(small_webs())
def test_a_smaller_budget_cuts_the_bounds_off(web: SmallWeb) -> None:
    """What can be reached by n pages does not depend on the pages that come after."""
    small, large = bounds_of(web, 3), bounds_of(web, 9)
    assert np.array_equal(small.upper, large.upper[:4])
    assert np.array_equal(small.greedy, large.greedy[:4])
    assert np.array_equal(small.one_step, large.one_step[:4])


def test_two_spellings_of_a_page_are_one_target() -> None:
    """Found by the cheaper one; the other brings nothing more."""
    graph, targets = LinkGraph.of([[1, 2], [3], [], []]), np.array([-1, -1, 7, 7])
    limit = bounds(graph, [0], targets, 4)
    assert limit.targets == 1
    assert limit.upper.tolist() == limit.one_step.tolist() == [0, 0, 1, 1, 1]
    assert limit.greedy.tolist() == [0, 0, 1, 1, 1]


def test_a_seed_that_the_web_lacks_is_left_out() -> None:
    """Bounds are those of the other seeds; without any, nothing is reached."""
    graph, targets = LinkGraph.of([[1], [0]]), np.array([-1, 0])
    assert bounds(graph, [None, 1, None, 1], targets, 2).greedy.tolist() == [0, 1, 1]
    nothing = bounds(graph, [None], targets, 2)
    assert nothing.targets == 1
    assert nothing.upper.tolist() == nothing.greedy.tolist() == nothing.one_step.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([], [0, 0, 0, 0]),
        ([UNREACHED], [0, 0, 0, 0]),
        ([0, 0], [0, 1, 2, 2]),
        ([1], [0, 0, 1, 1]),
        ([0, 1, UNREACHED], [0, 1, 1, 2]),
        ([2, 2], [0, 0, 0, 1]),
    ],
)
def test_upper_bound_of_costs(costs: list[int], expected: list[int]) -> None:
    """An irrelevant page on the way costs a page; what is never reached costs nothing."""
    assert upper(np.array(costs, dtype=np.int64), 3).tolist() == expected


def test_of_equal_paths_the_one_that_ends_at_the_lower_number() -> None:
    """Whatever the numbers of the pages that they unlock."""
    seed, b, a, of_a, of_b = range(5)
    web = SmallWeb([[b, a], [of_b], [of_a], [], []], [seed], [False, False, False, True, True])
    assert greedy(web.graph, np.array([seed]), web.mask, 9) == [seed, b, of_b, a, of_a]
