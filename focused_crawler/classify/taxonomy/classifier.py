"""Hierarchical Naive Bayes over a category tree (Chakrabarti et al. 1999, section 3.1).

    Pr[root|d] = 1
    Pr[c|d] = Pr[parent(c)|d] * Pr[c|parent] Pr[d|c] / sum over siblings c' of Pr[c'|parent] Pr[d|c']
    Pr[d|c] ~ prod over terms t of theta(c,t)^n(d,t),  theta(c,t) = (1 + n(c,t)) / (|V_parent| + sum_t n(c,t))

Our readings: the examples of a category are its own and all below it, both in n(c,t) and in Pr[c|parent], its
share of its parent's examples that lie below the parent. V_parent holds the terms of those; another term says
nothing among the parent's children. Counts are plain: every word counts once, wherever on the page it stands.

Every word multiplies: a page of some hundred words has posteriors near 0 or 1. They are kept as they are, and
summed in logarithms, so that R(d) tells two pages apart down to 1e-308, and log R(d) below; above 1 - 1e-16
R(d) is 1.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from focused_crawler.classify.model_file import (
    Arrays,
    Files,
    Header,
    matrix_arrays,
    matrix_of,
    read_model,
    write_model,
)
from focused_crawler.classify.taxonomy.tree import ROOT, Category, Tree, line_of, parent_of
from focused_crawler.page.model import Focus, Page
from focused_crawler.page.text.weighting import Matrix, Vector, count_terms
from focused_crawler.safety.errors import ModelError
from focused_crawler.topic.rules import language_problem

_PATH = re.compile("[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*")


def _tree(header: Header) -> Tree:
    titles, topics, language = header["titles"], header["topics"], header["language"]
    _check(all(path == ROOT or _PATH.fullmatch(path) for path in titles), "a category's path is none")
    names = [*titles.values(), *chain.from_iterable(topics.values())]
    _check(isinstance(language, str) and language_problem(language) is None, "its language is none")
    _check(all(isinstance(name, str) for name in names), "a title or topic is no text")
    _check(all(isinstance(some, list) for some in topics.values()), "topics are no lists")
    categories = (Category(path, title, topics=tuple(topics.get(path, ()))) for path, title in titles.items())
    return Tree.of(categories, language)


def _check(is_right: bool, problem: str) -> None:
    if not is_right:
        raise ValueError(problem)


FILES = Files("taxonomy.json", "taxonomy.npz", "scrapy taxonomy train")


@dataclass(frozen=True, eq=False)
class TaxonomyModel:
    """What was learnt of a tree. Every category but the root has an example, of its own or below it."""

    tree: Tree
    terms: Sequence[str]
    counts: Matrix  # categories, in the tree's order, by terms: raw counts in a category's own examples
    examples: NDArray[np.int64]  # a category's own
    content: bytes = b""  # what tells it from others; empty: it lies in no file

    def __post_init__(self) -> None:
        sizes = (len(self.tree.categories), len(self.terms))
        if self.counts.shape != sizes or self.examples.shape != sizes[:1]:
            raise ValueError("categories, terms and their numbers are not of one model")
        if len(self.tree.categories) < 2 or not self._all_examples[1:].all():
            raise ValueError("a category has no example")

    def judge(self, page: Page, good: Collection[str]) -> Focus:
        """Return how probably a page belongs to a good category, and which leaf is its best.

        `good`: the topmost good categories, as `Tree.good_nodes` gives them. The best leaf is the most
        probable one of all, the first of equals. A page without one known word is judged by the numbers of
        examples alone.
        """
        return self.focus(self.log_probabilities(page_counts(page)), good)

    def focus(self, logs: Vector, good: Collection[str]) -> Focus:
        """Return what `judge` does for log Pr[c|d] of every category."""
        numbers = [self.tree.numbers[path] for path in good]
        path = self._best(logs)
        relevance = min(math.fsum(np.exp(logs[numbers]).tolist()), 1.0)
        log_rd = min(float(np.logaddexp.reduce(logs[numbers])), 0.0) if numbers else None
        return Focus(relevance, path, any(line in good for line in line_of(path)), log_rd)

    def probabilities(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Return Pr[c|d] of every category for a document's raw term counts."""
        values = np.exp(self.log_probabilities(counts)).tolist()
        return dict(zip(self.tree.paths, values, strict=True))

    def best_leaf(self, counts: Mapping[str, float]) -> str:
        """Return the path of the most probable leaf for a document's raw term counts."""
        return self._best(self.log_probabilities(counts))

    def likeness(self, path: str) -> tuple[Vector, Matrix]:
        """Return the cosine of every category's terms with those of one, and what each term adds to it.

        A term counts the less, the more leaves have it; categories above and below have terms in common.
        """
        inner = np.flatnonzero(np.bincount(self._parents[1:], minlength=self._parents.size))
        leaves = np.setdiff1d(np.arange(self._parents.size), inner)
        held = np.asarray((self._all_counts[leaves] > 0).sum(axis=0)).ravel()
        weights = self._all_counts.copy()
        weights.data = np.log1p(weights.data)
        weights = csr_array(weights.multiply(np.log((1 + leaves.size) / (1 + held))))
        lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        weights = csr_array(weights.multiply(1 / np.maximum(lengths, 1e-12)[:, np.newaxis]))
        parts = csr_array(weights.multiply(weights[[self.tree.numbers[path]]].toarray()))
        return np.asarray(parts.sum(axis=1), dtype=np.float64).ravel(), parts

    def _best(self, logs: Vector) -> str:
        return self.tree.paths[int(self._leaves[np.argmax(logs[self._leaves])])]

    def log_probabilities(self, counts: Mapping[str, float]) -> Vector:
        """Return log Pr[c|d] of every category, in the tree's order."""
        column = self._columns.get
        known = {number: count for term, count in counts.items() if (number := column(term)) is not None}
        columns, values = np.fromiter(known, np.intp), np.fromiter(known.values(), np.float64)
        sums = self._table[columns].T @ values
        nodes = self._parents.size
        words = sums[nodes:][self._groups[1]]  # of the document that are in V_parent
        joint = self._log_priors + sums[1:nodes] - words * self._log_sizes
        return self._down_the_tree(joint)

    def _down_the_tree(self, joint: Vector) -> Vector:
        """Return log Pr[c|d] from log Pr[c|parent] Pr[d|c] of all categories but the root."""
        firsts, groups = self._groups
        joint = joint - np.maximum.reduceat(joint, firsts)[groups]
        logs = np.zeros(self._parents.size)
        logs[1:] = joint - np.log(np.add.reduceat(np.exp(joint), firsts))[groups]
        for level in self._levels:
            logs[level] += logs[self._parents[level]]
        return logs

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.terms)}

    @cached_property
    def _parents(self) -> NDArray[np.intp]:
        """Number of each category's parent, the root's its own."""
        numbers = self.tree.numbers
        return np.array([numbers[parent_of(path) or ROOT] for path in self.tree.paths], dtype=np.intp)

    @cached_property
    def _leaves(self) -> NDArray[np.intp]:
        return np.array([self.tree.numbers[path] for path in self.tree.leaves], dtype=np.intp)

    @cached_property
    def _groups(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where, the root left out, the children of each parent begin; and the group of each category."""
        changes = np.diff(self._parents[1:], prepend=-1) != 0
        return np.flatnonzero(changes), np.cumsum(changes) - 1

    @cached_property
    def _levels(self) -> list[slice]:
        """The categories of each depth, from those below the root's children on."""
        depths = [len(line_of(path)) for path in self.tree.paths]
        ends = [depths.index(depth) for depth in range(3, max(depths) + 1)] + [len(depths)]
        return [slice(first, last) for first, last in pairwise(ends)]

    @cached_property
    def _within(self) -> Matrix:
        """Row c holds a 1 for c and for each category below it."""
        numbers = self.tree.numbers
        pairs = [(numbers[top], numbers[path]) for path in self.tree.paths for top in line_of(path)]
        rows, columns = zip(*pairs, strict=True)
        return csr_array((np.ones(len(pairs)), (rows, columns)), shape=(len(numbers), len(numbers)))

    @cached_property
    def _all_counts(self) -> Matrix:
        """n(c,t)."""
        return csr_array(self._within @ self.counts)

    @cached_property
    def _all_examples(self) -> Vector:
        return np.asarray(self._within @ self.examples, dtype=np.float64)

    @cached_property
    def _vocabularies(self) -> Matrix:
        """V_parent: a row a group of siblings with a 1 for each term of theirs."""
        groups = self._groups[1]
        members = csr_array((np.ones(groups.size), (groups, np.arange(1, groups.size + 1))))
        found = csr_array(members @ self._all_counts)
        found.data = np.ones_like(found.data)
        return found

    @cached_property
    def _log_priors(self) -> Vector:
        firsts, groups = self._groups
        numbers = self._all_examples[1:]
        return np.asarray(np.log(numbers / np.add.reduceat(numbers, firsts)[groups]))

    @cached_property
    def _log_sizes(self) -> Vector:
        """log(|V_parent| + sum_t n(c,t)) of all categories but the root."""
        terms = np.asarray(self._vocabularies.sum(axis=1)).ravel()[self._groups[1]]
        return np.asarray(np.log(np.maximum(terms + np.asarray(self._all_counts.sum(axis=1)).ravel()[1:], 1)))

    @cached_property
    def _table(self) -> Matrix:
        """A row a term: log(1 + n(c,t)) of each category, then whether each group's vocabulary holds it.

        Both are mostly 0, so that thousands of categories take no more room than their examples.
        """
        numerators = self._all_counts.copy()
        numerators.data = np.log1p(numerators.data)
        return csr_array(hstack([numerators.T, self._vocabularies.T]))

    def save(self, folder: Path) -> None:
        """Write taxonomy.json and taxonomy.npz; raises ModelError."""
        header = {
            "language": self.tree.language,
            "examples": dict(zip(self.tree.paths, self.examples.tolist(), strict=True)),
            "titles": {category.path: category.title for category in self.tree.categories},
            "topics": {
                category.path: category.topics for category in self.tree.categories if category.topics
            },
        }
        arrays = {"terms": np.array(list(self.terms), dtype=np.str_)}
        write_model(folder, header, arrays | matrix_arrays(self.counts), FILES)

    @classmethod
    def load(cls, folder: Path, to_train: str = FILES.command) -> Self:
        """Read them back; raises ModelError, with what to type, for files that cannot be used."""
        if not _exists(folder / FILES.header):
            raise ModelError(f"no taxonomy model in {folder}; make it with: {to_train}")
        return read_model(folder, cls._of, FILES._replace(command=to_train))

    @classmethod
    def _of(cls, header: Header, arrays: Arrays) -> Self:
        tree = _tree(header)
        terms = arrays["terms"]
        examples = [header["examples"][path] for path in tree.paths]
        _check(terms.ndim == 1 and terms.dtype.kind == "U", "terms are no list of texts")
        _check(np.unique(terms).size == terms.size, "a term comes twice")
        _check(all(type(number) is int and number >= 0 for number in examples), "examples are no numbers")
        counts = matrix_of(arrays, (len(tree.categories), len(terms)))
        content = json.dumps(header, sort_keys=True).encode()
        return cls(tree, terms.tolist(), counts, np.array(examples, dtype=np.int64), content)


def page_counts(page: Page) -> dict[str, float]:
    """Return the raw term counts of all of a page."""
    parts = page.sections
    return count_terms(chain(parts.headline, parts.keywords, parts.anchor, parts.body))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, a folder that may not be read
        return False
