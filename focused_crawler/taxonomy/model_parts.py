"""The parts of a taxonomy model out of its two files, each checked: a hostile file is refused, not used."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from focused_crawler.classify.model_file import Arrays, Header
from focused_crawler.taxonomy.tree import ROOT, Category, Tree
from focused_crawler.text.vocabulary import Matrix
from focused_crawler.topic_rules import language_problem

UNREADABLE = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
_PATH = re.compile("[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*")


def read_parts(header: Header, arrays: Arrays) -> dict[str, Any]:
    """Return the parts of a model; what was not written by `save` may raise any of `UNREADABLE`."""
    tree = _tree(header)
    terms = arrays["terms"]
    examples = [header["examples"][path] for path in tree.paths]
    _check(terms.ndim == 1 and terms.dtype.kind == "U", "terms are no list of texts")
    _check(np.unique(terms).size == terms.size, "a term comes twice")
    _check(all(type(number) is int and number >= 0 for number in examples), "examples are no numbers")
    return {
        "tree": tree,
        "terms": terms.tolist(),
        "counts": _counts(arrays, (len(tree.categories), len(terms))),
        "examples": np.array(examples, dtype=np.int64),
    }


def _tree(header: Header) -> Tree:
    titles, topics, language = header["titles"], header["topics"], header["language"]
    _check(all(path == ROOT or _PATH.fullmatch(path) for path in titles), "a category's path is none")
    names = [*titles.values(), *chain.from_iterable(topics.values())]
    _check(isinstance(language, str) and language_problem(language) is None, "its language is none")
    _check(all(isinstance(name, str) for name in names), "a title or topic is no text")
    _check(all(isinstance(some, list) for some in topics.values()), "topics are no lists")
    categories = (Category(path, title, topics=tuple(topics.get(path, ()))) for path, title in titles.items())
    return Tree.of(categories, language)


def _counts(arrays: Arrays, shape: tuple[int, int]) -> Matrix:
    """Return the matrix; numbers outside it would make SciPy read and write foreign memory."""
    data, indices, indptr = arrays["data"], arrays["indices"], arrays["indptr"]
    _check(data.dtype.kind == "f" and indices.dtype.kind == indptr.dtype.kind == "i", "counts are no numbers")
    _check(bool(np.isfinite(data.sum())) and not (data < 0).any(), "counts are not finite, or below 0")
    counts = csr_array((data, indices, indptr), shape=shape)
    counts.check_format(full_check=True)
    return counts


def _check(is_right: bool, problem: str) -> None:
    if not is_right:
        raise ValueError(problem)
