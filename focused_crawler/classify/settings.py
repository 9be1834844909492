"""How a classifier is trained; each reading of Lu et al. 2016 that the paper leaves open has a name here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from focused_crawler.page.text.weighting import SECTION_WEIGHTS, Gain, SectionWeights
from focused_crawler.safety.errors import ConfigError

DEFAULT_THRESHOLD = 0.5
"""A page of at least this relevance is relevant, where neither topic nor training says otherwise."""

METHOD_NAMES = ("logistic_regression", "linear_svm", "naive_bayes", "naive_bayes_by_word")
"""The methods of `classify/registry.py`, which loads what they are made of."""

Exponent = Literal["weight", "one"]
"""What a term's log P(t|C) is multiplied by: its ITFIDF weight (the paper's) or one."""

Aim = Literal["cost", "f1"]
"""What the threshold is chosen by: the least cost of mistakes, or the best F1 to be expected."""


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """What the paper leaves open has its reading as default; the rest is as measured (docs/classifier.md)."""

    classifier: str = "logistic_regression"
    classifiers: Mapping[str, str] = field(default_factory=dict)  # a user's own: name -> import path
    background: int = 100  # pages of other topics to learn from as well, at most
    relevant_share: float = 0.1  # (0, 1): of the pages that will be judged, so many are taken to be relevant
    threshold_by: Aim = "cost"
    false_positive_cost: float = 1.0  # > 0: of taking a page for relevant that is not; 1 = of missing one
    section_weights: SectionWeights = SECTION_WEIGHTS
    mi_terms: int = 5000  # terms kept by mutual information
    mi_min_df: int = 3  # training pages that must hold a term: pointwise MI favours rare ones
    information_gain: Gain = "document"
    ig_in_norm: bool = False  # does the gain count in the length of a page's weights?
    exponent: Exponent = "weight"
    folds: int = 5  # of cross-validation
    topic_terms: int = 200  # heaviest terms of the relevant examples that make the topic's vector

    def __post_init__(self) -> None:
        numbers = (("mi_terms", 1), ("mi_min_df", 1), ("folds", 2), ("topic_terms", 1), ("background", 0))
        for name, least in numbers:
            value = getattr(self, name)
            if value < least:
                raise ConfigError(f"{name} is {value}; use a whole number from {least}")
        choices = {"information_gain": Gain, "exponent": Exponent, "threshold_by": Aim}
        for name, choice in choices.items():
            value = getattr(self, name)
            if value not in get_args(choice):
                raise ConfigError(f"{name} is {value!r}; use one of {', '.join(get_args(choice))}")
        weights = self.section_weights
        if len(weights) != 4 or not all(math.isfinite(weight) and weight > 0 for weight in weights):
            raise ConfigError(
                f"section_weights is {weights}; use four numbers above 0, such as {SECTION_WEIGHTS}"
            )
        if not 0 < self.relevant_share < 1:
            raise ConfigError(
                f"relevant_share is {self.relevant_share}; use a number between 0 and 1, as 0.1"
            )
        if not 0 < self.false_positive_cost < math.inf:
            raise ConfigError(
                f"false_positive_cost is {self.false_positive_cost}; use a number above 0, as 1"
            )
