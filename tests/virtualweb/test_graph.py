from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.virtualweb.graph import LinkGraph

webs = st.integers(0, 8).flatmap(
    lambda pages: st.lists(
        st.lists(st.integers(0, max(pages - 1, 0)), max_size=6), min_size=pages, max_size=pages
    )
)


def edges(graph: LinkGraph) -> set[tuple[int, int]]:
    return {(page, target) for page in range(len(graph)) for target in graph.out(page).tolist()}


@given(webs)
def test_rows_are_distinct_targets_in_page_order(rows: list[list[int]]) -> None:
    """A page that links to itself, or twice to another, has one link less."""
    graph = LinkGraph.of(rows)
    assert [graph.out(page).tolist() for page in range(len(graph))] == [
        [target for target in dict.fromkeys(row) if target != page] for page, row in enumerate(rows)
    ]


@given(webs)
def test_reversed_twice_it_is_the_same(rows: list[list[int]]) -> None:
    """Each link turned round, and back; rows come out in ascending order."""
    graph = LinkGraph.of(rows)
    back = graph.reverse()
    assert edges(back) == {(target, page) for page, target in edges(graph)}
    assert edges(back.reverse()) == edges(graph)
    assert all(sorted(back.out(page)) == back.out(page).tolist() for page in range(len(back)))
