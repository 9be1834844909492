"""The page classifier of Lu et al. 2016: MI pruning, ITFIDF weights, Naive Bayes; relevant against rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.naive_bayes import NaiveBayes
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.text.selection import Vector, document_frequencies, keep_highest, mutual_information
from focused_crawler.text.vocabulary import Matrix, count_matrix, vocabulary
from focused_crawler.text.weighting import (
    RAW,
    SectionWeights,
    information_gain,
    inverse_document_frequency,
    itfidf,
    section_counts,
)


@dataclass(frozen=True)
class ExamplePages:
    """Labelled pages, counted once for all folds: rows are pages, columns are `terms`."""

    tf: Matrix  # section-weighted
    raw: Matrix
    is_relevant: NDArray[np.bool_]
    terms: NDArray[np.str_]

    @classmethod
    def of(cls, pages: Sequence[Page], is_relevant: Sequence[bool], weights: SectionWeights) -> Self:
        """Count the terms of pages."""
        raw = [section_counts(page.sections, RAW) for page in pages]
        tf = [section_counts(page.sections, weights) for page in pages]
        terms = vocabulary(raw)
        matrices = count_matrix(tf, terms), count_matrix(raw, terms)
        return cls(*matrices, np.array(is_relevant, dtype=np.bool_), np.array(terms, dtype=np.str_))

    def rows(self, rows: NDArray[np.intp]) -> Self:
        """Return some of the pages."""
        return type(self)(self.tf[rows], self.raw[rows], self.is_relevant[rows], self.terms)

    def term_counts(self) -> Iterator[dict[str, float]]:
        """Yield the section-weighted term counts of each page."""
        for row in range(self.tf.shape[0]):
            entries = slice(self.tf.indptr[row], self.tf.indptr[row + 1])
            terms = self.terms[self.tf.indices[entries]].tolist()
            yield dict(zip(terms, self.tf.data[entries].tolist(), strict=True))

    def columns(self, columns: NDArray[np.intp]) -> Self:
        """Return the pages without the other terms."""
        return type(self)(self.tf[:, columns], self.raw[:, columns], self.is_relevant, self.terms[columns])


@dataclass(frozen=True)
class LuClassifier:
    """What was learnt, a value a kept term; it scores a page in plain Python, over the page's own terms."""

    settings: ClassifierSettings
    terms: Sequence[str]
    idf: Vector
    gain: Vector
    log_prior_ratio: float  # log P(relevant) / P(other)
    log_ratio: Vector  # log P(t | relevant) / P(t | other)
    _rows: dict[str, tuple[float, float]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        measured = self.idf * self.gain if self.settings.ig_in_norm else self.idf
        is_one = self.settings.exponent == "one"
        evidence = self.log_ratio if is_one else self.idf * self.gain * self.log_ratio
        rows = dict(zip(self.terms, zip(measured.tolist(), evidence.tolist(), strict=True), strict=True))
        self._rows.update(rows)

    @classmethod
    def fit(cls, examples: ExamplePages, settings: ClassifierSettings) -> Self:
        """Learn from labelled pages of both kinds."""
        frequencies = document_frequencies(examples.raw)
        information = mutual_information(examples.raw, examples.is_relevant)
        kept = keep_highest(information, frequencies, settings.mi_terms, settings.mi_min_df)
        pages = examples.columns(kept)
        idf = inverse_document_frequency(pages.raw)
        gain = information_gain(pages.raw, pages.is_relevant, settings.information_gain)
        weights = itfidf(pages.tf, idf, gain, ig_in_norm=settings.ig_in_norm)
        prior, ratio = NaiveBayes.fit(weights, pages.is_relevant).log_ratio(True)
        return cls(settings, pages.terms.tolist(), idf, gain, prior, ratio)

    def knows_any(self, terms: Iterable[str]) -> bool:
        """Tell whether at least one of the terms was learnt."""
        return not self._rows.keys().isdisjoint(terms)

    def log_odds(self, page: Page) -> float:
        """Return log P(relevant | page) / P(other | page), uncalibrated, any real number."""
        return self.log_odds_of_counts(section_counts(page.sections, self.settings.section_weights))

    def log_odds_of_counts(self, tf: Mapping[str, float]) -> float:
        """Return the same for section-weighted term counts; the prior alone if no term is known."""
        rows = self._rows
        is_one = self.settings.exponent == "one"
        total = squares = 0.0
        for term, count in tf.items():
            row = rows.get(term)
            if row is not None:
                measured, evidence = row
                squares += (count * measured) ** 2
                total += evidence if is_one else count * evidence
        if is_one:
            return self.log_prior_ratio + total
        return self.log_prior_ratio + (total / math.sqrt(squares) if squares > 0 else 0.0)
