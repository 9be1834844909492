from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from focused_crawler.virtualweb.bounds import area_share, bounds, greedy, one_step
from tests.virtualweb.small_webs import SmallWeb, large_web, small_webs

Oracle = Callable[..., list[int]]


@pytest.fixture(params=[greedy, one_step], ids=["greedy", "one_step"], scope="module")
def oracle(request: pytest.FixtureRequest) -> Oracle:
    found: Oracle = request.param
    return found


def order_of(oracle: Oracle, web: SmallWeb, budget: int) -> list[int]:
    return oracle(web.graph, np.array(web.seeds, dtype=np.int64), web.mask, budget)


@given(web=small_webs())
def test_an_oracle_is_a_crawl(oracle: Oracle, web: SmallWeb) -> None:
    """It fetches each page once, seeds or pages that one before links to, and stops at its budget."""
    order = order_of(oracle, web, 5)
    assert len(order) == len(set(order)) <= 5
    for place, page in enumerate(order):
        assert web.may_follow(page, order[:place])


@given(web=small_webs())
def test_an_oracle_takes_relevant_pages_first(oracle: Oracle, web: SmallWeb) -> None:
    """No irrelevant page is fetched while a relevant one is known."""
    order = order_of(oracle, web, 9)
    for place, page in enumerate(order):
        fetched = order[:place]
        known = [p for p in set(range(len(web.links))) - {*fetched} if web.may_follow(p, fetched)]
        assert web.relevant[page] or not any(web.relevant[other] for other in known)


@pytest.mark.parametrize("number", range(5))
def test_an_oracle_is_a_crawl_on_larger_webs(oracle: Oracle, number: int) -> None:
    """Where paths change while they are walked, pages are still fetched once and after those before them."""
    web = large_web(number)
    order = order_of(oracle, web, 400)
    known = {*web.seeds}
    for page in order:
        assert page in known
        known.update(web.links[page])
    assert len(order) == len(set(order)) > 30


def test_greedy_takes_the_path_that_pays_best() -> None:
    """Two irrelevant pages for five relevant ones are better than one for two; half as many are not."""
    far = [[1, 2], [5, 6], [3], [7, 8, 9, 10, 11], *[[]] * 8]
    web = SmallWeb(far, [0], [page >= 5 for page in range(12)])
    assert order_of(greedy, web, 3) == [0, 2, 3]
    assert order_of(greedy, SmallWeb([*far[:3], [7, 8, 9], *far[4:]], [0], web.relevant), 3)[1] == 1


def test_greedy_goes_down_a_long_list_in_reasonable_time() -> None:
    """A list of many parts, each with a relevant page: no part is looked at from all that lie behind it."""
    parts = 200
    links = [[part + 1, parts + part] for part in range(parts - 1)] + [[2 * parts - 1]] + [[]] * parts
    web = SmallWeb(links, [0], [page >= parts for page in range(2 * parts)])
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        order = order_of(greedy, web, 2 * parts)
    finally:
        sys.setprofile(None)
    assert len(order) == 2 * parts
    assert calls < 40 * parts**2


def test_greedy_counts_what_lies_behind_relevant_pages() -> None:
    """One link to a page that leads on to others is worth more than two links to dead ends."""
    web = SmallWeb([[1, 2], [3, 4], [5], [], [], [6], [7], [5]], [0], [page >= 3 for page in range(8)])
    assert order_of(greedy, web, 9) == [0, 2, 5, 6, 7, 1, 3, 4]


def test_greedy_counts_what_lies_beside_the_path() -> None:
    """A path's worth is that of all its pages, each relevant page counted once."""
    links = [[1, 2], [4, 5, 6], [3, 7], [4, 5, 8, 9, 10, 11], *[[]] * 8]
    web = SmallWeb(links, [0], [page >= 4 for page in range(12)])
    assert order_of(greedy, web, 3) == [0, 2, 7]  # seven for two pages, three for one


def test_one_step_goes_breadth_first_among_irrelevant_pages() -> None:
    """A page near the seeds comes before one that is farther, whichever was seen last."""
    web = SmallWeb([[1, 2], [3], [4], [], []], [0], [False] * 5)
    assert {*order_of(one_step, web, 3)} == {0, 1, 2}


@pytest.mark.parametrize("number", range(6))
def test_greedy_is_near_the_upper_bound_and_above_one_step(number: int) -> None:
    """Looking ahead pays: of what can be reached at most, it reaches nearly all."""
    web = large_web(number)
    limit = bounds(web.graph, web.seeds, web.targets, 120)
    assert area_share(limit.greedy, limit.upper, 120) > 0.94
    assert area_share(limit.one_step, limit.greedy, 120) < 0.9
