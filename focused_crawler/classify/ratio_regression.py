"""Logistic regression on terms weighed by how they divide the examples (NBSVM: Wang and Manning 2012)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from operator import mul
from sys import intern
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import NOTHING_TYPICAL, Evidence, ExamplePages, MethodState, Typical
from focused_crawler.classify.linear import REGULARISATION
from focused_crawler.classify.model_file import number, numbers, words
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.site_words import Counts, Furniture, Usual, furniture_of, usual_of, without
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Matrix, SectionWeights, Vector, count_matrix, count_terms
from focused_crawler.page.url import site_of

SMOOTHING = 1.0
"""Pages of each kind that are added to those that hold a term."""

FEW = 30
"""Relevant examples up to which terms are weighed in full by how they divide the examples: more of them tell
the regression by themselves (docs/research/judge.md)."""


@dataclass(frozen=True)
class RatioText:
    """log odds = intercept + sum over terms of weight * value, apart for a page's text and for its anchors.

    Menus and lists of links tell on some sites, and mislead on others; as a vector of its own they neither
    drown the text nor are drowned by it. What stands in the headlines and keywords of all examples of a
    site is left out of each page of it: else any page of a site with two examples looks like them.

    Where a site's relevant examples are known, what its page says beside the site's usual words counts more,
    less what it comes to for these examples: usual words tell that site from others, and nothing of
    which of its pages are relevant.
    """

    uses_background: ClassVar[bool] = True

    terms: Sequence[str]
    text: Vector  # weight of each term outside anchors
    anchors: Vector  # and within
    intercept: float
    sites: Mapping[str, Furniture]
    usual: Mapping[str, Usual]
    section_weights: SectionWeights
    typical: Typical = NOTHING_TYPICAL
    _weights: tuple[dict[str, float], dict[str, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        terms = list(map(intern, self.terms))
        both = (dict(zip(terms, part.tolist(), strict=True)) for part in (self.text, self.anchors))
        object.__setattr__(self, "_weights", tuple(both))

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        from scipy.sparse import csr_array, hstack  # noqa: PLC0415  (only training needs them)
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

        sites = furniture_of(examples.pages)
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
        usual = usual_of(examples, rows, kept)
        return cls(examples.terms[kept].tolist(), text[kept], anchors[kept], intercept, sites, usual, weights)

    def knowing(self, typical: Typical) -> Self:
        """Return it with what `particular` comes to for relevant pages of some sites, and of no other."""
        usual = {site: words for site, words in self.usual.items() if site in typical.of_site}
        return replace(self, usual=usual, typical=typical)

    @classmethod
    def restore(cls, state: MethodState, settings: ClassifierSettings) -> Self:
        arrays = state.arrays
        terms = words(arrays["terms"])
        text, anchors = (numbers(arrays[name], len(terms)) for name in ("text", "anchors"))
        intercept, weights = number(state.values["intercept"]), settings.section_weights
        of_site = {str(site): number(value) for site, value in state.values.get("typical", {}).items()}
        known = Typical(of_site, number(state.values.get("trust", 0.0), 0, 1))
        sites, usual = Furniture.restored(arrays), Usual.restored(arrays, of_site)
        return cls(terms, text, anchors, intercept, sites, usual, weights, known)

    def state(self) -> MethodState:
        arrays: dict[str, NDArray[Any]] = {
            "terms": np.array(self.terms, np.str_),
            "text": self.text,
            "anchors": self.anchors,
            **Furniture.arrays(self.sites),
            **Usual.arrays(self.usual),
        }
        values = {"intercept": self.intercept, "typical": self.typical.of_site, "trust": self.typical.trust}
        return MethodState(values, arrays)

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
        site = self._known_site(page)
        if site is not None:
            beside = sum(self._beside_usual(page, site)) - self.typical.of_site[site]
            total += self.typical.trust * beside
        return total

    def particular(self, page: Page) -> float | None:
        """Return what a page says beside the usual words of its site; None if nothing is known of these."""
        site = site_of(page.url)
        return sum(self._beside_usual(page, site)) if site in self.usual else None

    def _known_site(self, page: Page) -> str | None:
        site = site_of(page.url) if self.typical.of_site else ""
        return site if site in self.typical.of_site else None

    def _beside_usual(self, page: Page, site: str) -> Iterator[float]:
        both = _values(page, self.sites, self.section_weights)
        for known, values, usual in zip(self._weights, both, self.usual[site], strict=True):
            for term, value in values.items():
                if term in known and term not in usual:
                    yield value * known[term]

    def evidence(self, page: Page) -> Evidence:
        terms: dict[str, float] = {}
        both, site = _values(page, self.sites, self.section_weights), self._known_site(page)
        all_usual = (None, None) if site is None else self.usual[site]
        for known, values, usual in zip(self._weights, both, all_usual, strict=True):
            for term, value in values.items():
                if term in known:
                    times = 1.0 if usual is None or term in usual else 1.0 + self.typical.trust
                    terms[term] = terms.get(term, 0.0) + times * value * known[term]
        bias = self.intercept
        if site is not None:
            bias -= self.typical.trust * self.typical.of_site[site]
        return Evidence(terms, bias, "log odds")


def log_count_ratio(rows: Matrix, is_relevant: NDArray[np.bool_], weights: Vector) -> Vector:
    """Return |ln P(t | relevant) - ln P(t | other)| of each term, by pages that hold it, of mean square 1.

    A regression on values times this takes a term that divides the examples for longer, so it is free to
    give it more of the weight; which side it speaks for is left to the regression. Where more than `FEW`
    examples are relevant it is raised to the power of sqrt(FEW / examples).
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - loads slowly

    holding = csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
    ratio = np.zeros(rows.shape[1])
    for sign, kind in ((1.0, is_relevant), (-1.0, ~is_relevant)):
        counts = np.where(kind, weights, 0.0)
        pages = np.asarray(counts @ holding).ravel() + SMOOTHING
        ratio += sign * np.log(pages / (counts.sum() + 2 * SMOOTHING))
    ratio = np.where(np.asarray(holding.sum(axis=0)).ravel() > 0, np.abs(ratio), 0.0)
    ratio **= min(1.0, math.sqrt(FEW / max(int(is_relevant.sum()), 1)))
    return np.asarray(ratio / (math.sqrt((ratio[ratio > 0] ** 2).mean()) if ratio.any() else 1.0))


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
        headline, keywords = without(headline, here.headline), without(keywords, here.keywords)
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
