"""What of ITFIDF helps, by how much, and why: its parts against TFIDF on one set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from benchmarks.classifier_paired import Difference, macro_f1, paired_difference
from benchmarks.classifier_reference import Outcome
from benchmarks.classifier_sets import TextSet
from benchmarks.classifier_weighting import FEWEST, Choice, Counts, Tuner, Weighting, count
from focused_crawler.page.text.selection import (
    class_information_gain,
    document_frequencies,
    document_information_gain,
)
from focused_crawler.page.text.weighting import (
    RAW,
    SECTION_WEIGHTS,
    Gain,
    SectionWeights,
    inverse_document_frequency,
    itfidf,
)

SIZES = (500, 2000, 5000)
ALL_SIZES: tuple[int | None, ...] = (*SIZES, None)
BEST = 50
PAPER = {"reuters21578": 5.3, "rcv1": 2.0, "20ng": 5.6, "odp_meta": 1.1}
"""ITFIDF less TFIDF in points of F1, as Lu et al. have it."""

NONE: tuple[tuple[Gain, bool], ...] = (("none", False),)
DOCUMENT: tuple[tuple[Gain, bool], ...] = (("document", False),)
DOCUMENT_IN_NORM: tuple[tuple[Gain, bool], ...] = (("document", True),)
CLASS: tuple[tuple[Gain, bool], ...] = (("class", False), ("class", True))
FLAT, WEIGHTED = (RAW,), (SECTION_WEIGHTS,)

TFIDF = Weighting(terms=5000)
ITFIDF = Weighting("document", sections=SECTION_WEIGHTS, terms=5000, is_scaled=False)

PARTS = {
    "sections": ("section weights", "tfidf", "tfidf_sections"),
    "document": ("document gain", "no_gain", "document_gain"),
    "document_in_norm": ("document gain, in the norm", "no_gain", "document_gain_in_norm"),
    "class": ("class gain", "no_gain", "class_gain"),
}
"""Part of ITFIDF -> its title, the side without it, the side with it."""


class Against(NamedTuple):
    """ITFIDF against TFIDF: macro F1 of both, and the difference."""

    tfidf: float
    itfidf: float
    difference: Difference


class Cause(NamedTuple):
    """What the document gain does to terms; shares and correlations."""

    once: float  # terms that one training document holds: all have the highest gain there is
    with_idf: float  # rank correlation of document gain and idf over terms
    with_class: float  # of document gain and class gain
    best_place: float  # where the best terms by class gain lie by document gain: 0 first, 1 last
    rare_tfidf: float  # share that rare terms have in the squares of a test document's weights
    rare_itfidf: float


@dataclass(frozen=True)
class Comparison:
    """All that was measured of one set."""

    text_set: TextSet
    sides: dict[str, Outcome]  # tuned
    printed: Against  # nothing tuned: Laplace's 1, so many terms by pointwise MI, no threshold
    larger: Against  # the same, but the weights of TFIDF are multiplied by the mean document gain
    tuned: Against
    parts: dict[str, Difference]
    pruned: dict[str, float]  # macro F1 of TFIDF by selection and size
    cause: Cause

    @classmethod
    def of(cls, text_set: TextSet) -> Comparison:
        """Tune and measure each side."""
        train, test, _ = count(text_set)
        tuner = Tuner(train, test, text_set.is_single)
        sides = {name: tuner.outcome(tuner.best(side)) for name, side in _sides().items()}
        itfidf = _as_printed(tuner, ITFIDF)
        mean_gain = float(document_information_gain(train.raw).mean())
        truth = test.topics
        parts = {
            name: paired_difference(truth, sides[without].decided, sides[having].decided)
            for name, (_, without, having) in PARTS.items()
        }
        return cls(
            text_set,
            sides,
            printed=_against(tuner, _as_printed(tuner, TFIDF), itfidf),
            larger=_against(tuner, _as_printed(tuner, TFIDF, mean_gain), itfidf),
            tuned=_against(tuner, sides["tfidf"], sides["itfidf"]),
            parts=parts,
            pruned=dict(_pruned(tuner)),
            cause=_cause(train, test),
        )


def one_against_rest(text_set: TextSet) -> dict[str, Against]:
    """Compare TFIDF with both gains where each topic is judged alone, as a crawler does."""
    train, test, _ = count(text_set)
    tuner = Tuner(train, test, is_single=False)
    sizes = (5000, None)
    tfidf = tuner.outcome(tuner.best(_side(NONE, FLAT, sizes)))
    others = {
        "itfidf": _side((*DOCUMENT, *DOCUMENT_IN_NORM), WEIGHTED, sizes),
        "class_gain": _side(CLASS, WEIGHTED, sizes),
    }
    return {name: _against(tuner, tfidf, tuner.outcome(tuner.best(side))) for name, side in others.items()}


def _sides() -> dict[str, list[Weighting]]:
    both = (*FLAT, *WEIGHTED)
    return {
        "tfidf": _side(NONE, FLAT),
        "itfidf": _side((*DOCUMENT, *DOCUMENT_IN_NORM), WEIGHTED),
        "tfidf_sections": _side(NONE, WEIGHTED),
        "no_gain": _side(NONE, both),
        "document_gain": _side(DOCUMENT, both),
        "document_gain_in_norm": _side(DOCUMENT_IN_NORM, both),
        "class_gain": _side(CLASS, both),
    }


def _side(
    gains: Sequence[tuple[Gain, bool]],
    sections: Sequence[SectionWeights],
    sizes: Sequence[int | None] = ALL_SIZES,
) -> list[Weighting]:
    """Return all that tuning may choose from."""
    return [
        Weighting(gain, in_norm, weights, size)
        for gain, in_norm in gains
        for weights in sections
        for size in sizes
    ]


def _as_printed(tuner: Tuner, weighting: Weighting, scale: float = 1.0) -> Outcome:
    return tuner.outcome(Choice(0.0, weighting, scale, np.zeros(tuner.train.topics.shape[1])))


def _against(tuner: Tuner, tfidf: Outcome, itfidf: Outcome) -> Against:
    truth = tuner.test.topics
    return Against(
        macro_f1(truth, tfidf.decided),
        macro_f1(truth, itfidf.decided),
        paired_difference(truth, tfidf.decided, itfidf.decided),
    )


def _pruned(tuner: Tuner) -> Iterator[tuple[str, float]]:
    """Yield what is left of TFIDF when terms are pruned; smoothing and thresholds are tuned."""
    for selection in ("pointwise", "expected"):
        for size in SIZES:
            choice = tuner.best([Weighting(terms=size, selection=selection)])
            yield f"{selection} {size}", macro_f1(tuner.test.topics, tuner.outcome(choice).decided)
    choice = tuner.best([Weighting()])
    yield "all", macro_f1(tuner.test.topics, tuner.outcome(choice).decided)


def _cause(train: Counts, test: Counts) -> Cause:
    frequencies = document_frequencies(train.raw)
    idf = inverse_document_frequency(train.raw)
    document = document_information_gain(train.raw)
    by_class = np.mean([class_information_gain(train.raw, topic) for topic in train.topics.T], axis=0)
    place = np.argsort(np.argsort(-document, kind="stable")) / len(document)
    is_rare = frequencies < FEWEST
    ones = np.ones(len(idf))
    rare = []
    for gain in (ones, document):
        squares = itfidf(test.raw, idf, gain, ig_in_norm=True).power(2)
        rare.append(float(squares[:, is_rare].sum() / squares.sum()))
    return Cause(
        once=float((frequencies == 1).mean()),
        with_idf=float(spearmanr(document, idf).statistic),
        with_class=float(spearmanr(document, by_class).statistic),
        best_place=float(np.median(place[np.argsort(-by_class)[:BEST]])),
        rare_tfidf=rare[0],
        rare_itfidf=rare[1],
    )
