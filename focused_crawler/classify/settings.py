"""How classifiers and the HMM are trained; each reading that a paper leaves open has a name here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from focused_crawler.page.text.weighting import SECTION_WEIGHTS, Gain, SectionWeights
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import (
    check,
    choice,
    flag,
    mapping,
    number,
    random_seed,
    text,
    weights,
    whole,
)

DEFAULT_THRESHOLD = 0.5
"""A page of at least this relevance is relevant, where neither topic nor training says otherwise."""

METHOD_NAMES = (
    "ratio_regression",
    "logistic_regression",
    "linear_svm",
    "naive_bayes",
    "naive_bayes_by_word",
)
"""The methods of `classify/registry.py`, which loads what they are made of."""

Exponent = Literal["weight", "one"]
"""What a term's log P(t|C) is multiplied by: its ITFIDF weight (the paper's) or one."""

Aim = Literal["cost", "f1"]
"""What the threshold is chosen by: the least cost of mistakes, or the best F1 to be expected."""


@dataclass(frozen=True, slots=True)
class ClassifierName:
    """The method that judges pages, or is trained to."""

    classifier: str = text("FOCUSED_CLASSIFIER", "ratio_regression")
    classifiers: Mapping[str, str] = mapping(
        "FOCUSED_CLASSIFIERS", "focused_crawler.classifiers"
    )  # a user's own: name -> import path


@dataclass(frozen=True, slots=True)
class ClassifierSettings(ClassifierName):
    """Defaults: our reading where the paper leaves it open, else measured (docs/research/classifier.md)."""

    background: int = whole("FOCUSED_BACKGROUND", 100)  # pages of other topics to learn from as well, at most
    relevant_share: float = number("FOCUSED_RELEVANT_SHARE", 0.1, 0.001, 0.999)
    """Of the pages that will be judged, so many are taken to be relevant."""
    threshold_by: Aim = choice("FOCUSED_THRESHOLD_BY", "cost", get_args(Aim))
    false_positive_cost: float = number("FOCUSED_FALSE_POSITIVE_COST", 1.0, 0.001, 1000)
    """1: a false positive costs as much as a false negative."""
    section_weights: SectionWeights = weights(
        "FOCUSED_SECTION_WEIGHTS", list(SECTION_WEIGHTS), "headline", "keywords", "anchor", "body"
    )
    mi_terms: int = whole("FOCUSED_MI_TERMS", 5000, 1)  # terms selected by mutual information
    mi_min_df: int = whole("FOCUSED_MI_MIN_DF", 3, 1)
    """Training pages that must hold a term: pointwise MI favours rare ones."""
    information_gain: Gain = choice("FOCUSED_INFORMATION_GAIN", "document", get_args(Gain))
    ig_in_norm: bool = flag("FOCUSED_IG_IN_NORM", False)
    """Does the gain count in the length of a page's weights?"""
    exponent: Exponent = choice("FOCUSED_NB_EXPONENT", "weight", get_args(Exponent))
    folds: int = 5  # of cross-validation
    topic_terms: int = whole("FOCUSED_TOPIC_TERMS", 200, 1)
    """Heaviest terms of the relevant examples that make the topic's vector."""

    def __post_init__(self) -> None:
        check(self)
        if not isinstance(self.folds, int) or self.folds < 2:
            raise ConfigError(f"folds is {self.folds}; use a whole number of 2 or more")
        if 0 in self.section_weights:
            raise ConfigError(
                f"section_weights is {self.section_weights}; use four numbers above 0,"
                f" such as {SECTION_WEIGHTS}"
            )


MOST_LEVELS = 128
"""Every URL carries eight bytes a level, of the `LONGEST_PATH` that a strategy may note."""


@dataclass(frozen=True, slots=True)
class HmmSettings:
    """What Batsakis et al. 2009 leave to the user, but for the levels."""

    levels: int = whole("FOCUSED_HMM_LEVELS", 4, 2, MOST_LEVELS)
    """L0 to L3: links to a relevant page, the last one is "so many or more"."""
    clusters: int = whole("FOCUSED_HMM_CLUSTERS", 5, 1)  # K of K-means, besides C0
    random_seed: int = random_seed()

    def __post_init__(self) -> None:
        check(self)
