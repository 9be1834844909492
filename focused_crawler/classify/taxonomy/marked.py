"""A trained taxonomy in which some categories are good for a topic: by it hard and soft focus judge pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from focused_crawler.classify.taxonomy.classifier import FILES, TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.tree import Tree, is_within
from focused_crawler.page.model import Focus, Page
from focused_crawler.safety.errors import TopicError
from focused_crawler.store.judges import TAXONOMY, judge_named
from focused_crawler.topic.topic import Topic


@dataclass(frozen=True, slots=True)
class MarkedTaxonomy:
    """Says of a page in which category it is best, and how probably in a good one."""

    model: TaxonomyModel
    good: frozenset[str]  # topmost good categories; none: no page is good, but each has its category

    @classmethod
    def load(
        cls, folder: Path, topic: Topic, to_train: str = FILES.command, *, must_be_good: bool = True
    ) -> Self:
        """Read the model in `folder`; raises ModelError, and TopicError if it can be of no use to the topic.

        `to_train`: the command for it; `must_be_good`: it is of no use without a good category.
        """
        model = TaxonomyModel.load(folder, to_train)
        if model.tree.language != topic.language:
            raise TopicError(
                f"{topic.name} is in {topic.language!r}, the taxonomy in {model.tree.language!r};"
                " name one in its language with FOCUSED_TAXONOMY, or use another strategy"
            )
        try:
            return cls(model, model.tree.good_for(topic))
        except TopicError:
            if must_be_good or topic.good_categories:
                raise
            return cls(model, frozenset())

    @property
    def judge_name(self) -> str:
        """Return its name, which its good categories are a part of: see `store.judges`."""
        content = self.model.content
        return judge_named(TAXONOMY, content and content + " ".join(sorted(self.good)).encode())

    def leaves(self) -> dict[str, bool]:
        """Return whether each leaf is good, or below a good category."""
        tree = self.model.tree
        good = {leaf for path in self.good for leaf in tree.leaves_below(path)}
        return {leaf: leaf in good for leaf in tree.leaves}

    def judge(self, page: Page) -> Focus:
        """Return where a page stands."""
        return self.model.judge(page, self.good)


BEST = 3
"""So many leaves are shown of a page."""
LEAST_SHARE = 0.1
"""A category of a smaller share of a user's pages is rather a mistake than a wish."""


@dataclass(frozen=True, slots=True)
class PageMatch:
    """Where a page belongs: its best leaves, the most probable first."""

    name: str
    leaves: tuple[tuple[str, float], ...]  # path, Pr[c|d]


@dataclass(frozen=True, slots=True)
class Mark:
    """A category to mark, and for how many of the pages."""

    path: str
    pages: int
    leaves: int  # of the category
    hit: int  # leaves that are the best of a page


def match_pages(model: TaxonomyModel, pages: Mapping[str, Page]) -> list[PageMatch]:
    """Return the best leaves of each page, in the order of the pages."""
    found = []
    for name, page in pages.items():
        shares = model.probabilities(page_counts(page))
        best = model.best_leaf(page_counts(page))
        rest = sorted((leaf for leaf in model.tree.leaves if leaf != best), key=lambda leaf: -shares[leaf])
        found.append(PageMatch(name, tuple((leaf, shares[leaf]) for leaf in [best, *rest][:BEST])))
    return found


def cover(tree: Tree, best_leaves: Sequence[str]) -> list[Mark]:
    """Return the categories that hold the best leaves of a user's pages, those of most pages first.

    Leaves of less than `LEAST_SHARE` of the pages stand for themselves and call for no mark above them,
    unless the others hold less than half of the pages: the wish is broad then, and all leaves count.
    """
    counts = Counter(best_leaves)
    common = {leaf for leaf, pages in counts.items() if pages >= LEAST_SHARE * len(best_leaves)}
    if 2 * sum(counts[leaf] for leaf in common) < len(best_leaves):
        common = set(counts)
    paths = covering(tree, common)
    alone = [leaf for leaf in counts if not any(is_within(leaf, path) for path in paths)]
    marks = [_mark(tree, path, counts) for path in (*paths, *alone)]
    return sorted(marks, key=lambda mark: (-mark.pages, mark.path))


def covering(tree: Tree, leaves: Collection[str]) -> list[str]:
    """Return the categories that hold all these leaves.

    A category stands for the leaves below it if that costs less, where each mark costs one and each leaf that
    comes with it though it was not asked for costs one, too. So two of three siblings stay apart if the third
    was not asked for, and three of four are marked by their parent. The root is never marked.
    """
    asked = frozenset(leaves)
    return [path for child in tree.children("") for path in _cheapest(tree, child, asked).marks]


class _Cheapest(NamedTuple):
    marks: list[str]  # within a category
    cost: int
    idle: int  # leaves of it that were not asked for


def _cheapest(tree: Tree, path: str, asked: frozenset[str]) -> _Cheapest:
    children = tree.children(path)
    if not children:
        return _Cheapest([path], 1, 0) if path in asked else _Cheapest([], 0, 1)
    parts = [_cheapest(tree, child, asked) for child in children]
    apart, idle = sum(part.cost for part in parts), sum(part.idle for part in parts)
    if 1 + idle < apart:
        return _Cheapest([path], 1 + idle, idle)
    return _Cheapest([mark for part in parts for mark in part.marks], apart, idle)


def _mark(tree: Tree, path: str, counts: Counter[str]) -> Mark:
    leaves = tree.leaves_below(path)
    return Mark(
        path, sum(counts[leaf] for leaf in leaves), len(leaves), sum(counts[leaf] > 0 for leaf in leaves)
    )
