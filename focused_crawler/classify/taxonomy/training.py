"""Examples -> model, with a table of how well each category is told from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.examples import each_once
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.classify.taxonomy.tree import ROOT, Tree, line_of
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Matrix, count_matrix, vocabulary
from focused_crawler.safety.errors import TopicError

FOLDS = 5
FEW_EXAMPLES = 10
LOW_F1 = 0.5

Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """How well a category, with all below it, is told from the rest, on pages held out of training."""

    path: str
    examples: int  # own and below
    held_out: int  # of these; the only example of a category never is
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class TaxonomyReport:
    """What training found out."""

    rows: tuple[CategoryRow, ...]  # every category but the root, in the tree's order
    accuracy: float  # share of the held-out examples of leaves whose best leaf is their own
    left_out: tuple[str, ...]  # categories without an example that could be had
    warnings: tuple[str, ...]


def train_taxonomy(tree: Tree, pages: Mapping[str, Sequence[Page]]) -> tuple[TaxonomyModel, TaxonomyReport]:
    """Learn a tree from the pages of its categories; their order does not matter.

    Categories without a page, of their own or below, are left out of the model. TopicError with fewer than
    two leaves left.
    """
    kept = _with_pages(tree, pages)
    if len(kept.leaves) < 2:
        raise TopicError(
            f"the taxonomy has {len(kept.paths) - 1} categories with examples; a model needs two side"
            " by side: add URLs to examples in their category.toml"
        )
    examples = _Examples.of(kept, pages)
    model = examples.learn(np.arange(len(examples.numbers)))
    rows, accuracy = _judged(kept, examples)
    left_out = tuple(path for path in tree.paths if path not in kept)
    return model, TaxonomyReport(rows, accuracy, left_out, tuple(_warnings(kept, rows, left_out)))


def pages_of(tree: Tree, pages: Mapping[str, Page]) -> dict[str, list[Page]]:
    """Return the pages of each category from those of its examples that could be had."""
    return {
        category.path: [pages[name] for name in category.examples if name in pages]
        for category in tree.categories
    }


@dataclass(frozen=True)
class _Examples:
    """All pages, counted once for all folds: rows are pages, columns are `terms`."""

    tree: Tree
    terms: list[str]
    documents: list[dict[str, float]]  # the counts of each page
    counts: Matrix  # the same
    numbers: Numbers  # of each page's category

    @classmethod
    def of(cls, tree: Tree, pages: Mapping[str, Sequence[Page]]) -> _Examples:
        rows = [
            (number, page_counts(page))
            for number, path in enumerate(tree.paths)
            for page in each_once(sorted(pages.get(path, ()), key=_by_hash))[0]
        ]
        documents = [document for _, document in rows]
        terms = vocabulary(documents)
        numbers = np.array([number for number, _ in rows], dtype=np.intp)
        return cls(tree, terms, documents, count_matrix(documents, terms), numbers)

    def learn(self, rows: Numbers) -> TaxonomyModel:
        """Return the model of some of the pages."""
        numbers = self.numbers[rows]
        size = len(self.tree.categories)
        members = csr_array((np.ones(rows.size), (numbers, rows)), shape=(size, len(self.numbers)))
        own = np.bincount(numbers, minlength=size)
        return TaxonomyModel(self.tree, self.terms, csr_array(members @ self.counts), own)

    def folds(self) -> Numbers:
        """Return the fold of each page, -1 for the only one of its category, which is never held out."""
        place = np.zeros(len(self.numbers), dtype=np.intp)
        for number in np.unique(self.numbers):
            rows = np.flatnonzero(self.numbers == number)
            place[rows] = np.arange(rows.size) % FOLDS if rows.size > 1 else -1
        return place


def _with_pages(tree: Tree, pages: Mapping[str, Sequence[Page]]) -> Tree:
    """Return the tree without the categories of no page."""
    if unknown := next((path for path in pages if path not in tree), None):
        raise ValueError(f"{unknown} is not in the tree")
    full = {path for path in tree.paths if any(pages.get(below) for below in tree.below(path))}
    kept = (category for category in tree.categories if category.path in full | {ROOT})
    return Tree(tuple(kept), tree.language)


def _by_hash(page: Page) -> tuple[bytes, str]:
    return sha256(page.url.encode("utf-8", "surrogatepass")).digest(), page.text


def _judged(tree: Tree, examples: _Examples) -> tuple[tuple[CategoryRow, ...], float]:
    """Return the row of each category and the accuracy over leaves; no model judges a page it learnt from."""
    folds = examples.folds()
    truth: list[str] = []
    judged: list[str] = []
    for fold in range(int(folds.max()) + 1):
        model = examples.learn(np.flatnonzero(folds != fold))
        tested = np.flatnonzero(folds == fold)
        truth += [tree.paths[number] for number in examples.numbers[tested]]
        judged += [model.best_leaf(examples.documents[row]) for row in tested]
    leaves = [best == true for best, true in zip(judged, truth, strict=True) if not tree.children(true)]
    own = Counter(top for number in examples.numbers for top in line_of(tree.paths[number]))
    return tuple(_rows(tree, own, judged, truth)), sum(leaves) / max(len(leaves), 1)


def _rows(
    tree: Tree, examples: Counter[str], judged: Sequence[str], truth: Sequence[str]
) -> Iterator[CategoryRow]:
    """Yield the row of each category; a page belongs to its own and to all above it."""
    held_out = Counter(top for path in truth for top in line_of(path))
    decided = Counter(top for path in judged for top in line_of(path))
    lines = ((line_of(best), line_of(true)) for best, true in zip(judged, truth, strict=True))
    right = Counter(top for best, true in lines for top in {*best} & {*true})
    for path in tree.paths[1:]:
        both = right[path]
        matrix = ConfusionMatrix(both, decided[path] - both, held_out[path] - both)
        figures = (matrix.precision, matrix.recall, matrix.f1)
        yield CategoryRow(path, examples[path], held_out[path], *figures)


def _warnings(tree: Tree, rows: Sequence[CategoryRow], left_out: Sequence[str]) -> Iterator[str]:
    if left_out:
        yield f"left out, as no example of theirs could be had: {', '.join(left_out)}"
    leaves = [row for row in rows if not tree.children(row.path)]
    if few := [row.path for row in leaves if row.examples < FEW_EXAMPLES]:
        yield f"fewer than {FEW_EXAMPLES} examples: {', '.join(few)}"
    if low := [row.path for row in leaves if row.held_out and row.f1 < LOW_F1]:
        yield (
            f"F1 below {LOW_F1}: {', '.join(low)}; give more and clearer examples, or join what is told apart"
            " badly"
        )
