"""Cross-validation: each example judged by a classifier that was not trained from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import ExamplePages, Method, SiteMethod, Typical
from focused_crawler.classify.calibration import STRAIGHT, Bend, PlattScaling, fit_platt, for_share
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Vector
from focused_crawler.page.url import site_of

Rows = NDArray[np.intp]

FEWEST_FOLDS = 2

TELLING = 8.0
"""Variance of what pages of a site say in particular, relevant and others together."""


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
    bend: Bend = STRAIGHT  # of log odds


_NOTHING = Beside()


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Each example's score by a classifier that was trained from the other folds."""

    scores: Vector  # log odds, beside what is typical of the other relevant examples of the page's site
    is_known: NDArray[np.bool_]  # has the page a term that its classifier knows? Else its relevance is 0
    examples: ExamplePages
    folds: tuple[Rows, ...]
    methods: tuple[Method, ...]  # of each fold, trained from all others
    words: Vector  # what the topic's words add to the calibrated log odds of each page
    standing: Vector  # weight of each page where relevances are calibrated
    bend: Bend
    typical: Typical  # as a method of sites says

    @classmethod
    def judge(
        cls,
        examples: ExamplePages,
        method: type[Method],
        settings: ClassifierSettings,
        beside: Beside = _NOTHING,
    ) -> Self:
        """Train once a fold; each fold has pages of both kinds."""
        from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415  (only training needs it)

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
        from sklearn.model_selection import StratifiedGroupKFold  # noqa: PLC0415  (as above)

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
        particular = np.full(count, np.nan)
        folds, methods = [], []
        for learning, tested in splits:
            fitted = method.fit(examples.rows(learning), settings)
            for row in tested.tolist():
                log_odds = fitted.log_odds(examples.pages[row])
                is_known[row] = log_odds is not None
                scores[row] = fitted.evidence(examples.pages[row]).bias if log_odds is None else log_odds
                if (
                    isinstance(fitted, SiteMethod)
                    and (said := fitted.particular(examples.pages[row])) is not None
                ):
                    particular[row] = said
            folds.append(tested)
            methods.append(fitted)
        added = np.zeros(count) if beside.words is None else beside.words
        weights = examples.weights if beside.standing is None else beside.standing
        more, typical = _beside_typical(particular, examples)
        return cls(
            scores + more,
            is_known,
            examples,
            tuple(folds),
            tuple(methods),
            added,
            weights,
            beside.bend,
            typical,
        )

    def calibrated(self, rows: Rows, relevant_share: float) -> PlattScaling:
        """Fit a scaling to some of the pages, for the expected share of relevant pages."""
        truth, weights = self.examples.is_relevant[rows], self.standing[rows]
        scaling = replace(fit_platt(self.scores[rows], truth, weights), bend=self.bend)
        return for_share(scaling, float(weights[truth].sum() / weights.sum()), relevant_share)

    def relevances(self, scaling: PlattScaling, rows: Rows) -> Vector:
        """Return the relevances of some of the pages by a scaling, as a crawl would judge them."""
        log_odds = scaling.slope * self.scores[rows] + scaling.intercept + self.words[rows]
        judged = zip(log_odds.tolist(), self.is_known[rows].tolist(), strict=True)
        return np.array([scaling.bend.relevance(value) if is_known else 0.0 for value, is_known in judged])

    def terms(self, row: int) -> Mapping[str, float]:
        """Return what each term adds to the log odds of a page, by the classifier that has not seen it."""
        fold = next(number for number, rows in enumerate(self.folds) if row in rows)
        return self.methods[fold].evidence(self.examples.pages[row]).terms


def _beside_typical(particular: Vector, examples: ExamplePages) -> tuple[Vector, Typical]:
    """Return what is typical, and how far each page is from what the other relevant examples of its site say;
    0 for pages of which nothing is said.

    The more these differ from each other, the less that tells: it is shrunk by their variance.
    """
    more, typical, squares = np.zeros(len(examples)), {}, [0.0]
    sites, is_said = sites_of(examples.pages), ~np.isnan(particular)
    for site in np.unique(sites[is_said]).tolist():
        here = (sites == site) & is_said
        relevant = np.flatnonzero(here & examples.is_relevant)
        for row in np.flatnonzero(here).tolist():
            others = relevant[relevant != row]
            more[row] = particular[row] - particular[others].mean() if len(others) else 0.0
        if len(relevant):
            typical[site] = float(particular[relevant].mean())
        if len(relevant) > 1:
            count = len(relevant)
            squares += ((particular[relevant] - typical[site]) ** 2 * count / (count - 1)).tolist()
    variance = sum(squares) / max(len(squares) - 1, 1)
    trust = TELLING / (TELLING + variance)
    return trust * more, Typical(typical, trust)


def sites_of(pages: Sequence[Page]) -> NDArray[np.str_]:
    """Return the site of each page; a saved page, which has none, is one for itself."""
    return np.array([site_of(page.url) or page.url for page in pages], dtype=np.str_)
