"""Marks of a topic follow the paper's rule: no good category lies below another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.taxonomy.marking import known_marks, mark, marked
from focused_crawler.classify.taxonomy.tree import Category, Tree, is_within
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic, load_topic
from tests.classify.taxonomy.editable import tree_of, write_tree

PATHS = ("arts", "arts/film", "arts/film/short", "arts/music", "life", "life/film", "life/pets")
TREE = Tree.of(Category(path, topics=("tea",) if path == "life/pets" else ()) for path in PATHS)


def topic(*good: str, name: str = "tea") -> Topic:
    return Topic(name, Path(name), good_categories=good)


def test_a_mark_covers_those_below_it() -> None:
    """They go; beside it nothing changes."""
    marks = marked(TREE, topic("arts/film/short", "life", "arts/music"), ["arts"])
    assert marks == ["life", "arts"]
    assert marked(TREE, topic("life"), ["arts/film", "arts"]) == ["life", "arts"]


def test_what_is_good_already_is_not_marked_again() -> None:
    """By itself, silently; below another one, with a word."""
    assert marked(TREE, topic("arts"), ["arts"]) == ["arts"]
    with pytest.raises(TopicError, match="arts is good for tea, and arts/film with it"):
        marked(TREE, topic("arts"), ["arts/film"])


def test_what_is_not_good_below_a_good_one_leaves_all_beside_it_good() -> None:
    """On each level in between."""
    assert marked(TREE, topic("arts", "life"), not_good=["arts/film/short"]) == ["life", "arts/music"]
    assert marked(TREE, topic("arts"), not_good=["arts/music"]) == ["arts/film"]
    assert marked(TREE, topic("arts", "life"), not_good=["arts"]) == ["life"]


def test_a_topic_without_marks_keeps_the_category_that_names_it() -> None:
    """With its first mark; it cannot be taken away while it is the only one."""
    assert known_marks(TREE, topic()) == ["life/pets"]
    assert marked(TREE, topic(), ["arts"]) == ["life/pets", "arts"]
    with pytest.raises(TopicError, match="life/pets is good for tea as it names the topic; mark another cat"):
        marked(TREE, topic(), not_good=["life/pets"])
    assert marked(TREE, topic("life/pets", "arts"), not_good=["life/pets"]) == ["arts"]


def test_a_mark_of_a_category_that_is_gone_can_be_taken_away() -> None:
    """And counts for nothing until then."""
    assert known_marks(TREE, topic("gone/since", "arts")) == ["arts"]
    assert marked(TREE, topic("gone/since", "arts"), not_good=["gone/since"]) == ["arts"]


@pytest.mark.parametrize(
    ("good", "not_good", "message"),
    [
        ([""], [], "the top of the tree holds every page; mark a category"),
        (["art"], [], "has no category 'art'; did you mean arts"),
        ([], ["life"], "tea does not mark life; its good categories: arts"),
        ([], ["arts/opera"], "tea does not mark arts/opera; its good categories: arts"),
    ],
)
def test_wrong_marks(good: list[str], not_good: list[str], message: str) -> None:
    """What would be right is said."""
    with pytest.raises(TopicError) as caught:
        marked(TREE, topic("arts"), good, not_good)
    assert message in str(caught.value)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(PATHS)), max_size=12))
def test_no_good_category_ever_lies_below_another(changes: list[tuple[bool, str]]) -> None:
    """And each change holds: what was marked is good, what was taken away is not."""
    marks = ["life"]
    for is_good, path in changes:
        try:
            marks = marked(TREE, topic(*marks), *([path], []) if is_good else ([], [path]))
        except TopicError:
            continue
        assert all(not is_within(one, other) for one in marks for other in marks if one != other)
        assert any(is_within(path, one) for one in marks) == is_good or not marks
        if not marks:
            break


def test_marks_are_written(tmp_path: Path) -> None:
    """Into the topic's file, the rest of which stays."""
    write_tree(tmp_path)
    tea = load_topic("tea", tmp_path / "topics")
    before = (tea.folder / "topic.toml").read_text()
    tea = mark(tree_of(tmp_path), tea, ["life"])
    assert tea.good_categories == ("arts", "life")
    assert mark(tree_of(tmp_path), tea, not_good=["life/film/short"]).good_categories == ("arts", "life/pets")
    assert (tea.folder / "topic.toml").read_text().splitlines()[:4] == before.splitlines()[:4]
