"""Cross-validation: each example judged by a classifier that was not trained from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from focused_crawler.classify.base import ExamplePages, Method
from focused_crawler.classify.calibration import PlattScaling, fit_platt, for_share
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.text.weighting import Vector

Rows = NDArray[np.intp]


class HeldOutPage(NamedTuple):
    """An example, and its relevance by a classifier that was not trained from it."""

    url: str
    is_relevant: bool
    relevance: float  # [0, 1], with a calibration that has not seen it either
    share: float  # of all pages to be judged that it represents
    is_background: bool


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Each example's score by a classifier that was trained from the other folds."""

    scores: Vector  # log odds
    is_known: NDArray[np.bool_]  # has the page a term that its classifier knows? Else its relevance is 0
    examples: ExamplePages
    folds: tuple[Rows, ...]
    methods: tuple[Method, ...]  # of each fold, trained from all others

    @classmethod
    def judge(cls, examples: ExamplePages, method: type[Method], settings: ClassifierSettings) -> Self:
        """Train once a fold; each fold has pages of both kinds."""
        truth = examples.is_relevant
        count = min(settings.folds, int(truth.sum()), int((~truth).sum()))
        scores, is_known = np.empty(len(truth)), np.empty(len(truth), dtype=np.bool_)
        folds, methods = [], []
        for learning, tested in StratifiedKFold(count).split(truth, truth):
            fitted = method.fit(examples.rows(learning), settings)
            for row in tested.tolist():
                log_odds = fitted.log_odds(examples.pages[row])
                is_known[row] = log_odds is not None
                scores[row] = fitted.evidence(examples.pages[row]).bias if log_odds is None else log_odds
            folds.append(tested)
            methods.append(fitted)
        return cls(scores, is_known, examples, tuple(folds), tuple(methods))

    def calibrated(self, rows: Rows, relevant_share: float) -> PlattScaling:
        """Fit a scaling to some of the pages, for the expected share of relevant pages."""
        truth, weights = self.examples.is_relevant[rows], self.examples.weights[rows]
        scaling = fit_platt(self.scores[rows], truth, weights)
        return for_share(scaling, float(weights[truth].sum() / weights.sum()), relevant_share)

    def relevances(self, scaling: PlattScaling, rows: Rows) -> Vector:
        """Return the relevances of some of the pages by a scaling, as a crawl would judge them."""
        judged = zip(self.scores[rows].tolist(), self.is_known[rows].tolist(), strict=True)
        return np.array([scaling(score) if is_known else 0.0 for score, is_known in judged])

    def terms(self, row: int) -> Mapping[str, float]:
        """Return what each term adds to the log odds of a page, by the classifier that has not seen it."""
        fold = next(number for number, rows in enumerate(self.folds) if row in rows)
        return self.methods[fold].evidence(self.examples.pages[row]).terms
