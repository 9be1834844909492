"""TFIDF against ITFIDF under Naive Bayes (Lu et al. 2016), all else equal and tuned alike for both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.naive_bayes import MultinomialNB

from benchmarks.meter import Meter
from benchmarks.studies.text_sets import Decisions, Outcome, TextSet, macro_f1
from focused_crawler.page.model import Sections
from focused_crawler.page.text import weighting as formulas
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import RAW, SECTION_WEIGHTS, Gain, Matrix, SectionWeights

Scores = NDArray[np.float64]
"""Documents x topics: log odds of each topic; where a document has one topic, its log joint probability."""

SCALES = (1.0, 3.0, 10.0, 30.0, 100.0)  # of the weights; the 1 that smooths is added to what they sum to
FOLDS = 3
INFORMATION = {"pointwise": formulas.mutual_information, "expected": formulas.class_information_gain}
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
    terms = formulas.vocabulary(formulas.section_counts(one, RAW) for one in train)

    def counted(part: list[Sections], topics: Decisions) -> Counts:
        kinds = (RAW, SECTION_WEIGHTS)
        counts = ([formulas.section_counts(one, weights) for one in part] for weights in kinds)
        return Counts(*(formulas.count_matrix(one, terms) for one in counts), topics)

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
        clocks, scales = (Meter(), Meter()), (choice.scale,)
        (scores,) = score(self.train, self.test, choice.weighting, self.is_single, scales, clocks)
        return Outcome(self.decide(scores, choice.thresholds), *(clock.cpu for clock in clocks))

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
    clocks: tuple[Meter, Meter] | None = None,
) -> list[Scores]:
    """Learn from some documents and score others, at each scale; `clocks`: of learning, of scoring."""
    learning, scoring = clocks or (Meter(), Meter())
    topics, columns = train.topics, []
    for target in [topics.argmax(axis=1)] if is_single else topics.T:
        with learning.running():
            kept = _kept(train.raw, target, weighting)
            raw = train.raw[:, kept]
            idf = formulas.inverse_document_frequency(raw)
            gain = formulas.information_gain(raw, target, weighting.gain)
            if weighting.is_scaled:
                gain = gain / (gain.mean() or 1.0)
            weigh = partial(formulas.itfidf, idf=idf, gain=gain, ig_in_norm=weighting.in_norm)
            learnt = weigh(train.tf(weighting.sections)[:, kept])
            models = [MultinomialNB().fit(learnt * scale, target) for scale in scales]
        with scoring.running():
            asked = weigh(test.tf(weighting.sections)[:, kept])
            pairs = zip(models, scales, strict=True)
            columns.append([_joint(model, asked * scale) for model, scale in pairs])
    return [np.column_stack(at_scale) for at_scale in zip(*columns, strict=True)]


def _joint(model: MultinomialNB, weights: Matrix) -> Scores:
    joint: Scores = model.predict_joint_log_proba(weights)
    return joint[:, 1] - joint[:, 0] if len(model.classes_) == 2 else joint


def _kept(raw: Matrix, target: NDArray[Any], weighting: Weighting) -> NDArray[np.intp]:
    frequencies = formulas.document_frequencies(raw)
    if weighting.terms is None:
        return np.flatnonzero(frequencies > 0)
    information = INFORMATION[weighting.selection](raw, target)
    return formulas.keep_highest(information, frequencies, weighting.terms, FEWEST)


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
