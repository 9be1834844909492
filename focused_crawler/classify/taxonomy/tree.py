"""The category tree: plain data, changed by nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Self

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.file import shown
from focused_crawler.topic.rules import identity
from focused_crawler.topic.topic import Topic, title_of

ROOT = ""
"""Path of the category that every page belongs to."""
OTHER = "other"
"""The leaf of `Tree.of_topics` for pages of no topic."""
MOST_LEVELS = 20
"""Below the root; directories of the whole web had fewer."""


@dataclass(frozen=True, slots=True)
class Category:
    """A node of the tree."""

    path: str  # names from the top, joined by "/"; the root's is empty
    title: str = ""
    description: str = ""
    topics: tuple[str, ...] = ()  # names of the topics whose relevant examples are among its examples
    examples: tuple[str, ...] = ()  # URLs, or absolute paths of saved pages; none of categories below


@dataclass(frozen=True)
class Tree:
    """Categories breadth first, siblings side by side and by name: the root is number 0."""

    categories: tuple[Category, ...]
    language: str = "en"  # ISO 639, of its examples

    @classmethod
    def of(cls, categories: Iterable[Category], language: str = "en") -> Self:
        """Order the categories and add those above them that are missing; each path may come once only."""
        known = {category.path: category for category in categories}
        above = (line for path in tuple(known) for line in line_of(path))
        full = {path: known.get(path) or Category(path, title_of(path.rpartition("/")[2])) for path in above}
        full.setdefault(ROOT, known.get(ROOT) or Category(ROOT))
        return cls(tuple(full[path] for path in sorted(full, key=_place)), language)

    @classmethod
    def of_topics(cls, topics: Sequence[Topic]) -> Self:
        """Return a flat tree: a leaf a topic, and `other` for what no topic calls relevant.

        Raises TopicError for topics of several languages, or one that is called "other".
        """
        languages = sorted({topic.language for topic in topics})
        if len(languages) > 1:
            raise TopicError(
                f"topics in {' and '.join(languages)} make no taxonomy; choose topics of one language"
            )
        if clash := next((topic for topic in topics if topic.name == OTHER), None):
            raise TopicError(f"the topic in {clash.folder} is called {OTHER}, as what no topic is about is")
        leaves = [
            Category(topic.name, topic.title, topic.description, (topic.name,), relevant_examples(topic))
            for topic in topics
        ]
        mine = {identity(example) for leaf in leaves for example in leaf.examples}
        named = [_located(topic, name) for topic in topics for name in topic.other_examples]
        others: dict[int | str, str] = {}
        for name in named:
            others.setdefault(identity(name), name)
        rest = tuple(name for key, name in others.items() if key not in mine)
        if rest:
            leaves.append(Category(OTHER, "Other", examples=rest))
        return cls.of(leaves, *languages)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        return {category.path: number for number, category in enumerate(self.categories)}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All paths, the root's first."""
        return tuple(category.path for category in self.categories)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Paths of the categories that nothing is below."""
        inner = {parent_of(path) for path in self.paths}
        return tuple(path for path in self.paths if path not in inner)

    @cached_property
    def _children(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {path: [] for path in self.paths}
        for path in self.paths:
            if (parent := parent_of(path)) is not None:
                found[parent].append(path)
        return {path: tuple(children) for path, children in found.items()}

    def __contains__(self, path: object) -> bool:
        return path in self.numbers

    def __getitem__(self, path: str) -> Category:
        return self.categories[self.numbers[path]]

    def children(self, path: str) -> tuple[str, ...]:
        """Return the paths right below one."""
        return self._children[path]

    def below(self, path: str) -> tuple[str, ...]:
        """Return a path and all below it, level by level."""
        found = [path]
        for above in found:
            found.extend(self.children(above))
        return tuple(found)

    def leaves_below(self, path: str) -> tuple[str, ...]:
        """Return the leaves among a path and all below it."""
        return tuple(other for other in self.below(path) if not self.children(other))

    def good_nodes(self, marked: Iterable[str]) -> frozenset[str]:
        """Return the topmost of the marked categories; what is below them is good with them.

        TopicError, which names the nearest, for one that is not in the tree.
        """
        paths = set(marked)
        for path in paths:
            if path not in self:
                raise TopicError(self._unknown(path))
        return frozenset(path for path in paths if paths.isdisjoint(line_of(path)[1:]))

    def good_for(self, topic: Topic) -> frozenset[str]:
        """Return the good nodes of a topic: what it marks, or else the category that it stands in.

        TopicError, with what to type, if there are neither.
        """
        if topic.good_categories:
            return self.good_nodes(topic.good_categories)
        own = [category.path for category in self.categories if topic.name in category.topics]
        if not own:
            raise TopicError(
                f"{topic.name} marks no category of the taxonomy as good; find one with"
                f" scrapy taxonomy map --topic {topic.name}, then scrapy taxonomy mark {topic.name} CATEGORY"
            )
        return self.good_nodes(own)

    def _unknown(self, path: str) -> str:
        last = path.rpartition("/")[2]
        same = [known for known in self.paths if known.rpartition("/")[2] == last]
        close = same or get_close_matches(path, self.paths[1:], n=3)
        nearest = f"did you mean {' or '.join(close)}" if close else "scrapy taxonomy show prints all"
        return f"the taxonomy has no category {shown(path)}; {nearest}"


def relevant_examples(topic: Topic) -> tuple[str, ...]:
    """Return a topic's relevant examples as a category has them."""
    return tuple(_located(topic, name) for name in topic.relevant_examples)


def parent_of(path: str) -> str | None:
    """Return the path above one, None for the root's.

    >>> parent_of("health/asthma"), parent_of("health"), parent_of("")
    ('health', '', None)
    """
    return path.rpartition("/")[0] if path else None


def line_of(path: str) -> tuple[str, ...]:
    """Return a path and all above it, up to the root's.

    >>> line_of("health/asthma")
    ('health/asthma', 'health', '')
    """
    parent = parent_of(path)
    return (path,) if parent is None else (path, *line_of(parent))


def is_within(path: str, top: str) -> bool:
    """Tell whether a category is `top` or below it."""
    return not top or path == top or path.startswith(f"{top}/")


def _place(path: str) -> tuple[int, list[str]]:
    names = path.split("/") if path else []
    return len(names), names


def _located(topic: Topic, name: str) -> str:
    return name if "://" in name else str(topic.folder / name)
