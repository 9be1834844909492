"""Cross-validation: each example judged by a classifier that was not trained from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from focused_crawler.classify.base import ExamplePages, Method
from focused_crawler.classify.calibration import PlattScaling, fit_platt, for_share, sigmoid
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Vector
from focused_crawler.page.url import site_of

Rows = NDArray[np.intp]

FEWEST_FOLDS = 2


class HeldOutPage(NamedTuple):
    """An example, and its relevance by a classifier that was not trained from it."""

    url: str
    is_relevant: bool
    relevance: float  # [0, 1], with a calibration that has not seen it either
    share: float  # of all pages to be judged that it represents
    is_background: bool


class Beside(NamedTuple):
    """What a calibration goes by beside what a classifier says of the pages."""

    words: Vector | None = None  # what the topic's words add to each page's log odds; None: nothing
    standing: Vector | None = None  # weight of each page; None: as in training


_NOTHING = Beside()


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Each example's score by a classifier that was trained from the other folds."""

    scores: Vector  # log odds
    is_known: NDArray[np.bool_]  # has the page a term that its classifier knows? Else its relevance is 0
    examples: ExamplePages
    folds: tuple[Rows, ...]
    methods: tuple[Method, ...]  # of each fold, trained from all others
    words: Vector  # what the topic's words add to the calibrated log odds of each page
    standing: Vector  # weight of each page where relevances are calibrated

    @classmethod
    def judge(
        cls,
        examples: ExamplePages,
        method: type[Method],
        settings: ClassifierSettings,
        beside: Beside = _NOTHING,
    ) -> Self:
        """Train once a fold; each fold has pages of both kinds."""
        truth = examples.is_relevant
        count = min(settings.folds, int(truth.sum()), int((~truth).sum()))
        folds = StratifiedKFold(count).split(truth, truth)
        return cls._of(examples, method, settings, folds, beside)

    @classmethod
    def sites_apart(
        cls,
        examples: ExamplePages,
        method: type[Method],
        settings: ClassifierSettings,
        beside: Beside = _NOTHING,
    ) -> Self | None:
        """Train once a fold, no two of which share a site; None if all pages of a kind are of one site."""
        truth, sites = examples.is_relevant, sites_of(examples.pages)
        count = min(settings.folds, *(len(set(sites[kind])) for kind in (truth, ~truth)))
        if count < FEWEST_FOLDS:
            return None
        splits = list(StratifiedGroupKFold(count).split(truth, truth, sites))
        can_learn = all(0 < truth[learning].sum() < len(learning) for learning, _ in splits)
        if not can_learn:
            return None
        return cls._of(examples, method, settings, splits, beside)

    @classmethod
    def _of(
        cls,
        examples: ExamplePages,
        method: type[Method],
        settings: ClassifierSettings,
        splits: Iterable[tuple[Rows, Rows]],
        beside: Beside,
    ) -> Self:
        count = len(examples)
        scores, is_known = np.empty(count), np.empty(count, dtype=np.bool_)
        folds, methods = [], []
        for learning, tested in splits:
            fitted = method.fit(examples.rows(learning), settings)
            for row in tested.tolist():
                log_odds = fitted.log_odds(examples.pages[row])
                is_known[row] = log_odds is not None
                scores[row] = fitted.evidence(examples.pages[row]).bias if log_odds is None else log_odds
            folds.append(tested)
            methods.append(fitted)
        added = np.zeros(count) if beside.words is None else beside.words
        weights = examples.weights if beside.standing is None else beside.standing
        return cls(scores, is_known, examples, tuple(folds), tuple(methods), added, weights)

    def calibrated(self, rows: Rows, relevant_share: float) -> PlattScaling:
        """Fit a scaling to some of the pages, for the expected share of relevant pages."""
        truth, weights = self.examples.is_relevant[rows], self.standing[rows]
        scaling = fit_platt(self.scores[rows], truth, weights)
        return for_share(scaling, float(weights[truth].sum() / weights.sum()), relevant_share)

    def relevances(self, scaling: PlattScaling, rows: Rows) -> Vector:
        """Return the relevances of some of the pages by a scaling, as a crawl would judge them."""
        log_odds = scaling.slope * self.scores[rows] + scaling.intercept + self.words[rows]
        judged = zip(log_odds.tolist(), self.is_known[rows].tolist(), strict=True)
        return np.array([sigmoid(value) if is_known else 0.0 for value, is_known in judged])

    def terms(self, row: int) -> Mapping[str, float]:
        """Return what each term adds to the log odds of a page, by the classifier that has not seen it."""
        fold = next(number for number, rows in enumerate(self.folds) if row in rows)
        return self.methods[fold].evidence(self.examples.pages[row]).terms


def sites_of(pages: Sequence[Page]) -> NDArray[np.str_]:
    """Return the site of each page; a saved page, which has none, is one for itself."""
    return np.array([site_of(page.url) or page.url for page in pages], dtype=np.str_)
