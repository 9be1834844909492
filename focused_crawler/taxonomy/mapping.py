"""A user's example pages -> the categories to mark (Chakrabarti et al. 1999, section 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from focused_crawler.page.model import Page
from focused_crawler.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.taxonomy.tree import Tree, is_within

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
    """Return the categories that hold all these leaves, those of most pages first.

    A category stands for the leaves below it if that costs less, where each mark costs one and each leaf that
    comes with it though no page is there costs one, too. So two of three siblings stay apart if the third was
    not asked for, and three of four are marked by their parent. The root is never marked.
    """
    counts = Counter(best_leaves)
    top = [_cheapest(tree, child, counts)[1] for child in tree.children("")]
    marks = [_mark(tree, path, counts) for paths in top for path in paths]
    return sorted(marks, key=lambda mark: (-mark.pages, mark.path))


def _cheapest(tree: Tree, path: str, counts: Counter[str]) -> tuple[int, list[str]]:
    """Return the cost of the best marks within a category, and the marks."""
    children = tree.children(path)
    if not children:
        return (1, [path]) if counts[path] else (0, [])
    parts = [_cheapest(tree, child, counts) for child in children]
    apart = sum(cost for cost, _ in parts), [mark for _, marks in parts for mark in marks]
    leaves = [leaf for leaf in tree.leaves if is_within(leaf, path)]
    whole = 1 + sum(not counts[leaf] for leaf in leaves)
    return (whole, [path]) if whole < apart[0] else apart


def _mark(tree: Tree, path: str, counts: Counter[str]) -> Mark:
    leaves = [leaf for leaf in tree.leaves if is_within(leaf, path)]
    return Mark(
        path, sum(counts[leaf] for leaf in leaves), len(leaves), sum(counts[leaf] > 0 for leaf in leaves)
    )
