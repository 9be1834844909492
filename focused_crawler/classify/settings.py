"""How a classifier is trained: each reading of Lu et al. 2016 that the paper leaves open has a name here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from focused_crawler.errors import ConfigError
from focused_crawler.text.weighting import SECTION_WEIGHTS, Gain, SectionWeights

DEFAULT_THRESHOLD = 0.5
"""A page of at least this relevance is relevant, where neither topic nor training says otherwise."""

Exponent = Literal["weight", "one"]
"""What a term's log P(t|C) is multiplied by: its ITFIDF weight (the paper's) or one."""


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """The paper's readings are the defaults."""

    section_weights: SectionWeights = SECTION_WEIGHTS
    mi_terms: int = 5000  # terms kept by mutual information
    mi_min_df: int = 3  # training pages that must hold a term: pointwise MI favours rare ones
    information_gain: Gain = "document"
    ig_in_norm: bool = False  # does the gain count in the length of a page's weights?
    exponent: Exponent = "weight"
    folds: int = 5  # of cross-validation
    topic_terms: int = 200  # heaviest terms of the relevant examples that make the topic's vector

    def __post_init__(self) -> None:
        for name, least in (("mi_terms", 1), ("mi_min_df", 1), ("folds", 2), ("topic_terms", 1)):
            value = getattr(self, name)
            if value < least:
                raise ConfigError(f"{name} is {value}; use a whole number from {least}")
        for name, choices in (("information_gain", get_args(Gain)), ("exponent", get_args(Exponent))):
            value = getattr(self, name)
            if value not in choices:
                raise ConfigError(f"{name} is {value!r}; use one of {', '.join(choices)}")
        weights = self.section_weights
        if len(weights) != 4 or not all(math.isfinite(weight) and weight > 0 for weight in weights):
            raise ConfigError(
                f"section_weights is {weights}; use four numbers above 0, such as {SECTION_WEIGHTS}"
            )
