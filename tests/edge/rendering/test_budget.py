from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.edge.rendering.ledger import ADVANCE, RenderBudget


@given(st.floats(0, 1), st.lists(st.none() | st.floats(0, 1), max_size=400))
def test_no_more_than_the_share_is_rendered(share: float, pages: list[float | None]) -> None:
    """And what is granted in advance; whatever pages promise, and in whatever order they come."""
    budget, granted = RenderBudget(share), 0
    for number, promise in enumerate(pages, start=1):
        if promise is None:
            budget.pass_over()
        else:
            granted += budget.grants(promise)
        assert granted <= share * number + ADVANCE + 1e-6


def test_all_that_need_it_are_rendered_where_they_are_few() -> None:
    """Whatever they promise."""
    budget = RenderBudget(0.25)
    for _ in range(500):
        assert budget.grants(0.01)
        for _ in range(4):
            budget.pass_over()


def test_those_that_promise_most_are_rendered_where_too_many_need_it() -> None:
    """With every other page granted, it is the better half."""
    budget, granted = RenderBudget(0.5), {0.1: 0, 0.9: 0}
    for _ in range(500):
        for promise in granted:
            granted[promise] += budget.grants(promise)
    assert granted[0.9] > 480
    assert granted[0.1] < 40


def test_a_share_of_nothing_renders_nothing() -> None:
    """Not even in advance."""
    assert not RenderBudget(0.0).grants(1.0)


def test_a_share_of_all_renders_all() -> None:
    """Without end."""
    budget = RenderBudget(1.0)
    assert all(budget.grants(0.1) for _ in range(1000))
