"""Logistic regression on terms weighed by how they divide the examples (NBSVM: Wang and Manning 2012)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import repeat
from operator import mul
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from focused_crawler.classify.base import Evidence, ExamplePages, MethodState
from focused_crawler.classify.linear import REGULARISATION
from focused_crawler.classify.model_file import number, numbers, words
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Matrix, SectionWeights, Vector, count_matrix, count_terms
from focused_crawler.page.url import site_of

SMOOTHING = 1.0
"""Pages of each kind that are added to those that hold a term."""

Counts = Mapping[str, float]


class Furniture(NamedTuple):
    """What the title, headlines and meta keywords of all pages of a site say: they name the site."""

    headline: Counts
    keywords: Counts

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """Find what is the same on each of some pages of a site, as often as it is on all of them."""
        return cls(
            reduce(_least, (count_terms(page.sections.headline) for page in pages)),
            reduce(_least, (count_terms(page.sections.keywords) for page in pages)),
        )


def _least(one: Counts, other: Counts) -> Counts:
    return {term: min(count, other[term]) for term, count in one.items() if term in other}


def _without(counts: Counts, known: Counts) -> Counts:
    return {term: count - known.get(term, 0) for term, count in counts.items() if count > known.get(term, 0)}


@dataclass(frozen=True)
class RatioText:
    """log odds = intercept + sum over terms of weight * value, apart for a page's text and for its anchors.

    Menus and lists of links tell on some sites, and mislead on others; as a vector of its own they neither
    drown the text nor are drowned by it. What stands in the headlines and keywords of all examples of a
    site is left out of each page of it: else any page of a site with two examples looks like them.
    """

    uses_background: ClassVar[bool] = True

    terms: Sequence[str]
    text: Vector  # weight of each term outside anchors
    anchors: Vector  # and within
    intercept: float
    sites: Mapping[str, Furniture]
    section_weights: SectionWeights
    _weights: tuple[dict[str, float], dict[str, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        both = (dict(zip(self.terms, part.tolist(), strict=True)) for part in (self.text, self.anchors))
        object.__setattr__(self, "_weights", tuple(both))

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (only training needs it)

        sites = _sites(examples.pages)
        weights, terms = settings.section_weights, examples.terms.tolist()
        values = [_values(page, sites, weights) for page in examples.pages]
        parts = (count_matrix([pair[part] for pair in values], terms) for part in (0, 1))
        rows = csr_array(hstack(list(parts), format="csr"))
        ratio = log_count_ratio(rows, examples.is_relevant, examples.weights)
        model = LogisticRegression(C=REGULARISATION, solver="newton-cg", tol=1e-6)
        model.fit(csr_array(rows.multiply(ratio)), examples.is_relevant, sample_weight=examples.weights)
        text, anchors = np.split(np.asarray(model.coef_[0] * ratio, dtype=np.float64), 2)
        kept = np.flatnonzero((text != 0) | (anchors != 0))  # a fold lacks the terms of other folds
        intercept = float(model.intercept_[0])
        return cls(examples.terms[kept].tolist(), text[kept], anchors[kept], intercept, sites, weights)

    @classmethod
    def restore(cls, state: MethodState, settings: ClassifierSettings) -> Self:
        arrays = state.arrays
        terms = words(arrays["terms"])
        text, anchors = (numbers(arrays[name], len(terms)) for name in ("text", "anchors"))
        sites = _restored(arrays)
        return cls(terms, text, anchors, number(state.values["intercept"]), sites, settings.section_weights)

    def state(self) -> MethodState:
        rows = [
            (site, term, here.headline.get(term, 0), here.keywords.get(term, 0))
            for site, here in sorted(self.sites.items())
            for term in sorted({*here.headline, *here.keywords})
        ]
        arrays: dict[str, NDArray[Any]] = {
            "terms": np.array(self.terms, np.str_),
            "text": self.text,
            "anchors": self.anchors,
            "sites": np.array([row[0] for row in rows], np.str_),
            "site_terms": np.array([row[1] for row in rows], np.str_),
            "site_headline": np.array([row[2] for row in rows], np.float64),
            "site_keywords": np.array([row[3] for row in rows], np.float64),
        }
        return MethodState({"intercept": self.intercept}, arrays)

    def log_odds(self, page: Page) -> float | None:
        # what evidence() adds up, without a number of its own for each word: twice as fast
        parts = list(zip(self._weights, _counts(page, self.sites, self.section_weights), strict=True))
        if all(known.keys().isdisjoint(part.counts) for known, part in parts):
            return None
        total = self.intercept
        for known, (counts, length) in parts:
            values = list(map(math.log1p, counts.values()))
            products = map(mul, values, map(known.get, counts, repeat(0.0)))
            total += _scale(values, length) * sum(products)
        return total

    def evidence(self, page: Page) -> Evidence:
        terms: dict[str, float] = {}
        both = _values(page, self.sites, self.section_weights)
        for known, values in zip(self._weights, both, strict=True):
            for term, value in values.items():
                if term in known:
                    terms[term] = terms.get(term, 0.0) + value * known[term]
        return Evidence(terms, self.intercept, "log odds")


def log_count_ratio(rows: Matrix, is_relevant: NDArray[np.bool_], weights: Vector) -> Vector:
    """Return |ln P(t | relevant) - ln P(t | other)| of each term, by pages that hold it, of mean square 1.

    A regression on values times this takes a term that divides the examples for longer, so it is free to
    give it more of the weight; which side it speaks for is left to the regression.
    """
    holding = csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
    ratio = np.zeros(rows.shape[1])
    for sign, kind in ((1.0, is_relevant), (-1.0, ~is_relevant)):
        counts = np.where(kind, weights, 0.0)
        pages = np.asarray(counts @ holding).ravel() + SMOOTHING
        ratio += sign * np.log(pages / (counts.sum() + 2 * SMOOTHING))
    ratio = np.where(np.asarray(holding.sum(axis=0)).ravel() > 0, np.abs(ratio), 0.0)
    return np.asarray(ratio / (math.sqrt((ratio[ratio > 0] ** 2).mean()) if ratio.any() else 1.0))


def _sites(pages: Iterable[Page]) -> dict[str, Furniture]:
    """Return what the pages of each site have in common that has at least two."""
    by_site: dict[str, list[Page]] = {}
    for page in pages:
        by_site.setdefault(site_of(page.url), []).append(page)
    found = {site: Furniture.of(some) for site, some in by_site.items() if site and len(some) > 1}
    return {site: here for site, here in found.items() if any(here)}


def _restored(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Furniture]:
    columns = (words(arrays[name]) for name in ("sites", "site_terms"))
    counts = (numbers(arrays[name]).tolist() for name in ("site_headline", "site_keywords"))
    found: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
    for site, term, *both in zip(*columns, *counts, strict=True):
        for known, count in zip(found.setdefault(site, ({}, {})), both, strict=True):
            known[term] = count
    return {site: Furniture(*known) for site, known in found.items()}


class _Part(NamedTuple):
    """The words of a part of a page, as often as they count, and how long it is as a vector."""

    counts: Counts
    length: float


def _counts(
    page: Page, sites: Mapping[str, Furniture], section_weights: SectionWeights
) -> tuple[_Part, _Part]:
    """Return the words outside and within anchors.

    Anchors are as long, beside the rest, as one of them weighs beside a headline.
    """
    sections = page.sections
    headline, keywords = count_terms(sections.headline), count_terms(sections.keywords)
    here = sites.get(site_of(page.url)) if sites else None
    if here is not None:
        headline, keywords = dict(_without(headline, here.headline)), dict(_without(keywords, here.keywords))
    of_headline, of_keywords, of_anchor, of_body = section_weights
    text = count_terms(sections.body)
    if of_body != 1:
        text = {term: of_body * count for term, count in text.items()}
    for counts, weight in ((headline, of_headline), (keywords, of_keywords)):
        for term, count in counts.items():
            text[term] = text.get(term, 0.0) + weight * count
    return _Part(text, 1.0), _Part(count_terms(sections.anchor), of_anchor / of_headline)


def _values(
    page: Page, sites: Mapping[str, Furniture], section_weights: SectionWeights
) -> tuple[dict[str, float], dict[str, float]]:
    """Return ln(1 + tf) of the terms outside and within anchors, each of a length of its own."""
    text, anchors = _counts(page, sites, section_weights)
    return _scaled(*text), _scaled(*anchors)


def _scaled(counts: Counts, length: float) -> dict[str, float]:
    values = list(map(math.log1p, counts.values()))
    scale = _scale(values, length)
    return {term: scale * value for term, value in zip(counts, values, strict=True)}


def _scale(values: Sequence[float], length: float) -> float:
    """Return the factor that gives the values this length."""
    squares = sum(map(mul, values, values))
    return length / math.sqrt(squares) if squares > 0 else 0.0
