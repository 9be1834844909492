"""The tree: who is above whom, and what marks mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.taxonomy.tree import Category, Tree, line_of
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic

PATHS = ("b/y", "a", "b/x/p", "b/x/q", "a-1", "b/x")
TREE = Tree.of(map(Category, PATHS))
SUBSETS = st.sets(st.sampled_from(TREE.paths))


def topic(name: str, **values: object) -> Topic:
    return Topic(name, Path("/topics") / name, **values)


def test_categories_come_level_by_level_with_siblings_together():
    """The root first; what is missing above a category is added."""
    assert TREE.paths == ("", "a", "a-1", "b", "b/x", "b/y", "b/x/p", "b/x/q")
    assert TREE["b"].title == "B"
    assert TREE.children("b") == ("b/x", "b/y")
    assert TREE.below("b/x") == ("b/x", "b/x/p", "b/x/q")
    assert TREE.below("") == TREE.paths
    assert TREE.leaves == ("a", "a-1", "b/y", "b/x/p", "b/x/q")


@given(SUBSETS)
def test_goodness_is_inherited_and_only_the_topmost_count(marked):
    """What is at or below a mark is good, with or without further marks below it."""
    good = TREE.good_nodes(marked)
    assert good <= marked
    for path in TREE.paths:
        assert marked.isdisjoint(line_of(path)) == good.isdisjoint(line_of(path))
        assert len(good & set(line_of(path))) <= 1


@pytest.mark.parametrize(
    ("path", "cure"),
    [
        ("x", "'x'; did you mean b/x"),
        ("b/xx", "'b/xx'; did you mean b/x or"),
        ("zebra", "'zebra'; scrapy taxonomy show prints all"),
    ],
)
def test_an_unknown_category_is_answered_with_the_nearest(path, cure):
    """By its last name, then by its spelling."""
    with pytest.raises(TopicError, match=f"no category {cure}"):
        TREE.good_nodes([path])


def test_topics_make_a_flat_tree():
    """A leaf each; `other` has what none of them calls relevant, each page once."""
    tea = topic(
        "tea",
        title="Tea",
        relevant_examples=("http://t.example/", "examples/relevant/a.html"),
        other_examples=("http://o.example/", "https://www.C.example"),
    )
    coffee = topic("coffee", relevant_examples=("http://c.example/",), other_examples=("http://o.example/",))
    tree = Tree.of_topics([tea, coffee])
    assert tree.paths == ("", "coffee", "other", "tea")
    assert tree["tea"].examples == ("http://t.example/", "/topics/tea/examples/relevant/a.html")
    assert tree["other"].examples == ("http://o.example/",)
    assert tree.good_for(tea) == {"tea"}


def test_a_topic_has_what_it_marks_or_where_it_stands():
    """Marks come first; a topic with neither is told what to type."""
    tree = Tree.of([Category("drinks/tea", topics=("tea",)), Category("drinks/coffee")])
    assert tree.good_for(topic("tea")) == {"drinks/tea"}
    assert tree.good_for(topic("tea", good_categories=("drinks", "drinks/tea"))) == {"drinks"}
    with pytest.raises(TopicError, match="then scrapy taxonomy mark bees CATEGORY"):
        tree.good_for(topic("bees"))


def test_topics_that_make_no_tree():
    """Two languages in one model, or a topic that is called as the rest is."""
    with pytest.raises(TopicError, match="topics in de and en make no taxonomy"):
        Tree.of_topics([topic("tee", language="de"), topic("tea")])
    with pytest.raises(TopicError, match="the topic in /topics/other is called other"):
        Tree.of_topics([topic("tea"), topic("other")])
