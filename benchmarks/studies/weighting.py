"""TFIDF against ITFIDF under Naive Bayes (Lu et al. 2016), all else equal and tuned alike for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import MultinomialNB

from benchmarks.studies.text_sets import Decisions, Outcome, TextSet, macro_f1
from focused_crawler.page.model import Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import (
    RAW,
    SECTION_WEIGHTS,
    Gain,
    Matrix,
    SectionWeights,
    class_information_gain,
    count_matrix,
    document_frequencies,
    information_gain,
    inverse_document_frequency,
    itfidf,
    keep_highest,
    mutual_information,
    section_counts,
    vocabulary,
)

Scores = NDArray[np.float64]
"""Documents x topics: log odds of each topic; where a document has one topic, its log joint probability."""

SCALES = (1.0, 3.0, 10.0, 30.0, 100.0)  # of the weights; the 1 that smooths is added to what they sum to
FOLDS = 3
FEWEST = 3  # documents that must hold a term that is to be kept


@dataclass(frozen=True)
class Weighting:
    """What a term weighs."""

    gain: Gain = "none"
    in_norm: bool = False
    sections: SectionWeights = RAW
    terms: int | None = None  # so many are kept, None: all
    selection: Literal["pointwise", "expected"] = "pointwise"
    is_scaled: bool = True  # the gain is divided by its mean, which leaves it the scale of TFIDF


@dataclass(frozen=True)
class Counts:
    """Documents counted: rows are documents, columns terms."""

    raw: Matrix
    by_section: Matrix
    topics: Decisions

    def rows(self, rows: NDArray[Any]) -> Counts:
        """Return some of the documents."""
        return Counts(self.raw[rows], self.by_section[rows], self.topics[rows])

    def tf(self, sections: SectionWeights) -> Matrix:
        """Return the counts that weigh words by section, or do not."""
        return self.raw if sections == RAW else self.by_section


class Choice(NamedTuple):
    """What tuning found best: macro F1 on held-out training documents, and how it is had."""

    held_out: float
    weighting: Weighting
    scale: float
    thresholds: NDArray[np.float64]  # a topic each, of log odds


def count(documents: TextSet) -> tuple[Counts, Counts]:
    """Return training and test documents counted by the terms of the training documents."""
    analyzer, parts = Analyzer("en"), (documents.train, documents.test)
    train, test = ([Sections(*map(analyzer.terms, texts)) for texts in part.sections] for part in parts)
    terms = vocabulary(section_counts(one, RAW) for one in train)

    def counted(part: list[Sections], topics: Decisions) -> Counts:
        counts = ([section_counts(one, weights) for one in part] for weights in (RAW, SECTION_WEIGHTS))
        return Counts(*(count_matrix(one, terms) for one in counts), topics)

    return counted(train, parts[0].topics), counted(test, parts[1].topics)


@dataclass
class Tuner:
    """Finds what is best for one set, on its training documents."""

    train: Counts
    test: Counts
    is_single: bool
    _held_out: dict[Weighting, list[Scores]] = field(default_factory=dict)

    def best(self, weightings: Iterable[Weighting]) -> Choice:
        """Return the weighting and scale with the highest macro F1 on held-out training documents."""
        choices = []
        for weighting in weightings:
            for scale, scores in zip(SCALES, self._scores(weighting), strict=True):
                thresholds = self._thresholds(scores)
                f1 = macro_f1(self.train.topics, self.decide(scores, thresholds))
                choices.append(Choice(f1, weighting, scale, thresholds))
        return max(choices, key=lambda choice: choice.held_out)

    def outcome(self, choice: Choice) -> Outcome:
        """Learn from all training documents, and decide on the test documents."""
        times = [0.0, 0.0]
        (scores,) = score(
            self.train, self.test, choice.weighting, self.is_single, (choice.scale,), times=times
        )
        return Outcome(self.decide(scores, choice.thresholds), *times)

    def decide(self, scores: Scores, thresholds: NDArray[np.float64]) -> Decisions:
        """Say which topics the documents have."""
        if self.is_single:
            return np.asarray(scores.argmax(axis=1)[:, np.newaxis] == np.arange(scores.shape[1]))
        return np.asarray(scores >= thresholds)

    def _thresholds(self, scores: Scores) -> NDArray[np.float64]:
        if self.is_single:
            return np.zeros(scores.shape[1])
        columns = zip(scores.T, self.train.topics.T, strict=True)
        return np.array([best_threshold(column, truth) for column, truth in columns])

    def _scores(self, weighting: Weighting) -> list[Scores]:
        """Score each training document by what was learnt from the other folds, at each scale."""
        if weighting not in self._held_out:
            fold = np.random.default_rng(0).permutation(len(self.train.topics)) % FOLDS
            found = [np.empty(self.train.topics.shape) for _ in SCALES]
            for number in range(FOLDS):
                learning, tested = self.train.rows(fold != number), self.train.rows(fold == number)
                parts = score(learning, tested, weighting, self.is_single, SCALES)
                for whole, part in zip(found, parts, strict=True):
                    whole[fold == number] = part
            self._held_out[weighting] = found
        return self._held_out[weighting]


def score(
    train: Counts,
    test: Counts,
    weighting: Weighting,
    is_single: bool,
    scales: Sequence[float],
    times: list[float] | None = None,
) -> list[Scores]:
    """Learn from some documents and score others, at each scale; `times`: add seconds to learn, to score."""
    topics = train.topics
    targets = [topics.argmax(axis=1)] if is_single else list(topics.T)
    columns = [_score(train, test, target, weighting, scales, times) for target in targets]
    return [np.column_stack(at_scale) for at_scale in zip(*columns, strict=True)]


def _score(
    train: Counts,
    test: Counts,
    target: NDArray[Any],
    weighting: Weighting,
    scales: Sequence[float],
    times: list[float] | None,
) -> list[Scores]:
    began = process_time()
    kept = _kept(train.raw, target, weighting)
    raw = train.raw[:, kept]
    idf = inverse_document_frequency(raw)
    gain = information_gain(raw, target, weighting.gain)
    if weighting.is_scaled:
        gain = gain / (gain.mean() or 1.0)
    tf = train.tf(weighting.sections)[:, kept]
    learnt = itfidf(tf, idf, gain, ig_in_norm=weighting.in_norm)
    models = [MultinomialNB().fit(learnt * scale, target) for scale in scales]
    trained = process_time()
    asked = itfidf(test.tf(weighting.sections)[:, kept], idf, gain, ig_in_norm=weighting.in_norm)
    found = [_joint(model, asked * scale) for model, scale in zip(models, scales, strict=True)]
    if times is not None:
        times[0] += trained - began
        times[1] += process_time() - trained
    return found


def _joint(model: MultinomialNB, weights: Matrix) -> Scores:
    joint: Scores = model.predict_joint_log_proba(weights)
    return joint[:, 1] - joint[:, 0] if len(model.classes_) == 2 else joint


def _kept(raw: Matrix, target: NDArray[Any], weighting: Weighting) -> NDArray[np.intp]:
    frequencies = document_frequencies(raw)
    if weighting.terms is None:
        return np.flatnonzero(frequencies > 0)
    information = mutual_information if weighting.selection == "pointwise" else class_information_gain
    return keep_highest(information(raw, target), frequencies, weighting.terms, FEWEST)


def best_threshold(scores: Scores, truth: NDArray[np.bool_]) -> float:
    """Return the score from which on a yes gives the highest F1, half-way to the next score below.

    >>> best_threshold(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, False, True, False]))
    1.5
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], truth[order]
    f1 = 2 * np.cumsum(right) / (np.arange(1, len(right) + 1) + right.sum())
    below = np.append(ranked[1:], ranked[-1])
    f1[:-1][ranked[:-1] == ranked[1:]] = 0.0  # equal scores are not parted
    place = int(np.argmax(f1))
    return float((ranked[place] + below[place]) / 2)
