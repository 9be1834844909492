"""Pages of a user -> the categories to mark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.taxonomy.marked import LEAST_SHARE, cover, match_pages
from focused_crawler.classify.taxonomy.tree import Category, Tree, is_within
from tests.small_taxonomy import small_page, small_taxonomy

TREE = Tree.of(map(Category, ("a/b/1", "a/b/2", "a/b/3", "a/b/4", "a/c", "d", "e/1", "e/2")))


@pytest.mark.parametrize(
    ("leaves", "marks"),
    [
        (["a/b/1"], {"a/b/1": 1}),
        (["a/b/1", "a/b/1", "d"], {"a/b/1": 2, "d": 1}),
        (["a/b/1", "a/b/2"], {"a/b/1": 1, "a/b/2": 1}),
        (["a/b/1", "a/b/2", "a/b/3"], {"a/b": 3}),
        (["a/b/1", "a/b/2", "a/b/3", "d"], {"a/b": 3, "d": 1}),
        (["a/b/1", "a/b/2", "a/b/3", "a/b/4", "a/c"], {"a": 5}),
        (["e/1", "e/2", "d"], {"e": 2, "d": 1}),
        ([], {}),
    ],
)
def test_few_marks_that_take_in_little_else(leaves, marks):
    """Most siblings are marked by their parent, few one by one; those of most pages come first."""
    found = cover(TREE, leaves)
    assert {mark.path: mark.pages for mark in found} == marks
    assert [mark.pages for mark in found] == sorted(marks.values(), reverse=True)


@pytest.mark.parametrize(
    ("leaves", "marks"),
    [
        (["e/1"] * 97 + ["e/2"], {"e/1": 97, "e/2": 1}),
        (["a/b/1"] * 90 + ["a/b/2", "a/b/3", "a/b/4", "a/c"] * 2, {"a/b/1": 90}),
        (["a/b/1", "a/b/2", "a/b/3"] * 10 + ["a/b/4"], {"a/b": 31}),
    ],
)
def test_strays_call_for_no_mark_above_them(leaves, marks):
    """Leaves of less than a tenth of the pages stand alone, or under a mark that is there without them."""
    found = {mark.path: mark.pages for mark in cover(TREE, leaves)}
    assert sum(found.values()) == len(leaves)
    assert found.items() >= marks.items()
    assert all(pages < LEAST_SHARE * len(leaves) for path, pages in found.items() if path not in marks)


def test_a_broad_wish_is_no_heap_of_strays():
    """Twelve leaves with a twelfth of the pages each: all of them count."""
    tree = Tree.of(Category(f"a/{number}") for number in range(13))
    assert [mark.path for mark in cover(tree, tree.leaves[:12])] == ["a"]


@given(st.lists(st.sampled_from(TREE.leaves)))
def test_every_page_is_covered_once(leaves):
    """Whatever the pages, their best leaves lie in one mark each, and each mark has a page."""
    found = cover(TREE, leaves)
    for leaf in leaves:
        assert sum(is_within(leaf, mark.path) for mark in found) == 1
    assert all(mark.pages and mark.hit <= mark.leaves for mark in found)
    assert sum(mark.pages for mark in found) == len(leaves)


def test_the_best_leaves_of_each_page():
    """The most probable first; a page of two kinds shows both."""
    model = small_taxonomy()
    pages = {"one": small_page("star galaxy"), "two": small_page("match planet goal moon orbit")}
    one, two = match_pages(model, pages)
    assert (one.name, one.leaves[0][0]) == ("one", "sky/stars")
    assert [path for path, _ in two.leaves[:2]] == ["sky/planets", "sports/football"]
    assert [share for _, share in two.leaves] == sorted((share for _, share in two.leaves), reverse=True)
