"""Marks of a topic: which categories are good. None lies below another one (Chakrabarti et al. 1999, 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from focused_crawler.classify.taxonomy.tree import Tree, is_within, line_of, parent_of
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic
from focused_crawler.topic.writer import mark_categories


def mark(tree: Tree, topic: Topic, good: Iterable[str] = (), not_good: Iterable[str] = ()) -> Topic:
    """Write other marks into the topic's file and return it as it reads now; TopicError."""
    new = marked(tree, topic, good, not_good)
    old = topic.good_categories
    return mark_categories(
        topic, [path for path in new if path not in old], [path for path in old if path not in new]
    )


def marked(tree: Tree, topic: Topic, good: Iterable[str] = (), not_good: Iterable[str] = ()) -> list[str]:
    """Return a topic's marks after some were added and some taken away.

    A mark covers those below it, which go. Where a category above one that is not good is marked, the mark
    goes to all beside that one instead. A topic without marks begins with the category that names it.
    TopicError for what is good already, or was not.
    """
    marks = list(topic.good_categories) or standing(tree, topic)
    for path in not_good:
        marks = _without(tree, topic, marks, path)
    for path in _topmost(tree, good):
        above = next((other for other in marks if path != other and is_within(path, other)), None)
        if above is not None:
            raise TopicError(f"{above} is good for {topic.name}, and {path} with it")
        if path not in marks:
            marks = [*(other for other in marks if not is_within(other, path)), path]
    return marks


def standing(tree: Tree, topic: Topic) -> list[str]:
    """Return the categories that name a topic: they are good for one that marks none."""
    return sorted(tree.good_nodes(one.path for one in tree.categories if topic.name in one.topics))


def known_marks(tree: Tree, topic: Topic) -> list[str]:
    """Return the marks that a topic has in a tree, those of categories that are not there left out."""
    return [path for path in topic.good_categories if path in tree] or standing(tree, topic)


def _topmost(tree: Tree, paths: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(paths))
    nodes = tree.good_nodes(found)
    if "" in nodes:
        raise TopicError("the top of the tree holds every page; mark a category, such as health/asthma")
    return [path for path in found if path in nodes]


def _without(tree: Tree, topic: Topic, marks: Sequence[str], path: str) -> list[str]:
    above = next((other for other in marks if is_within(path, other)), None)
    if above is None or (above != path and path not in tree):
        raise TopicError(
            f"{topic.name} does not mark {path}; its good categories: {', '.join(marks) or 'none'}"
        )
    if above not in topic.good_categories and above == path:
        raise TopicError(
            f"{path} is good for {topic.name} as it names the topic; mark another category, and then take"
            " this one away"
        )
    rest = [other for other in marks if other != above]
    line = [node for node in line_of(path) if node != above and is_within(node, above)]
    beside = [child for node in line for child in tree.children(parent_of(node) or "") if child != node]
    return [*rest, *sorted(beside)]
