"""How good a trained classifier is: measured on pages held out of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import numpy as np

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.calibration import Bend, PlattScaling, log_odds, shares, sigmoid
from focused_crawler.classify.evaluation import ReportRow, cost_threshold, f1_threshold
from focused_crawler.classify.held_out import HeldOut, HeldOutPage
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.text.weighting import Vector
from focused_crawler.safety.formats import plural
from focused_crawler.topic.topic import Topic

MOST_SUSPECTS = 5
LEAST_DOUBT = 0.8
"""Held-out probability of the other label, where both are as likely as not, that makes a suspect."""

_SUSPECT_TERMS = 5


class Suspect(NamedTuple):
    """An example that looks mislabelled."""

    url: str
    is_relevant: bool  # by its label
    doubt: float  # held-out probability of the other label, at even odds
    terms: tuple[str, ...]  # that speak most against the label, strongest first


def suspects(pages: Sequence[HeldOutPage], held_out: HeldOut, relevant_share: float) -> tuple[Suspect, ...]:
    """Return the own examples that contradict their label most, the strongest first.

    `pages` in the order of `held_out`. Their relevances are for pages of which `relevant_share` is relevant,
    where hardly anything would contradict the label "other": labels are judged at even odds.
    """
    found = [
        (doubt, row, page)
        for row, page in enumerate(pages)
        if not page.is_background and (doubt := _doubt(page, held_out.bend, relevant_share)) >= LEAST_DOUBT
    ]
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        Suspect(page.url, page.is_relevant, doubt, _against(held_out, row, page.is_relevant))
        for doubt, row, page in found[:MOST_SUSPECTS]
    )


def _doubt(page: HeldOutPage, bend: Bend, relevant_share: float) -> float:
    odds = bend.log_odds(page.relevance) - log_odds(relevant_share)
    return sigmoid(-odds if page.is_relevant else odds)


def _against(held_out: HeldOut, row: int, is_relevant: bool) -> tuple[str, ...]:
    sign = -1.0 if is_relevant else 1.0
    terms = held_out.terms(row)
    strongest = sorted(terms, key=lambda term: (-sign * terms[term], term))[:_SUSPECT_TERMS]
    return tuple(term for term in strongest if sign * terms[term] > 0)


FEW_EXAMPLES = 10
LOW_F1 = 0.6
FEW_HOSTS = 3


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The quality of a classifier. Every figure is measured on pages that its classifier, calibration and
    threshold have not seen, weighted as if `relevant_share` of the pages were relevant.
    """

    rows: tuple[ReportRow, ...]  # one a fold, then "all": the held-out pages of all folds together
    other_sites: ReportRow | None  # each page by a classifier of pages of other sites; None: too few sites
    threshold: float
    threshold_source: str  # "topic.toml", or what it was chosen by
    relevant_share: float
    held_out: tuple[HeldOutPage, ...]
    suspects: tuple[Suspect, ...]  # own examples that look mislabelled
    warnings: tuple[str, ...]

    @property
    def overall(self) -> ReportRow:
        """Return the row of all held-out pages."""
        return self.rows[-1]

    @property
    def metrics(self) -> dict[str, float]:
        """Return the figures of all held-out pages, by the names of the model file."""
        row = self.overall
        return {name: getattr(row, name) for name in ("precision", "recall", "f1", "calibration_error")}

    @classmethod
    def of(
        cls,
        topic: Topic,
        held_out: HeldOut,
        scaling: PlattScaling,
        settings: ClassifierSettings,
        apart: HeldOut | None = None,
    ) -> Self:
        """Measure a classifier, calibrated by all its examples as `scaling`; `apart` keeps sites apart."""
        examples = held_out.examples
        weights = shares(examples.is_relevant, examples.weights, settings.relevant_share)
        rows, relevances = _rows(topic, held_out, weights, settings)
        columns = (
            (page.url for page in examples.pages),
            examples.is_relevant.tolist(),
            relevances.tolist(),
            weights.tolist(),
            (examples.weights < 1.0).tolist(),
        )
        pages = tuple(map(HeldOutPage, *columns))
        every = held_out.relevances(scaling, np.arange(len(examples)))
        threshold, source = _threshold(every, weights, topic, settings)
        return cls(
            rows=rows,
            other_sites=_other_sites(apart, scaling, threshold, weights) if apart else None,
            threshold=threshold,
            threshold_source=source,
            relevant_share=settings.relevant_share,
            held_out=pages,
            suspects=suspects(pages, held_out, settings.relevant_share),
            warnings=tuple(_warnings(rows[-1], examples)),
        )


def _other_sites(apart: HeldOut, scaling: PlattScaling, threshold: float, weights: Vector) -> ReportRow:
    relevances = apart.relevances(scaling, np.arange(len(apart.examples)))
    truth = apart.examples.is_relevant
    return ReportRow.of("other sites", truth, relevances >= threshold, relevances, weights)


def _threshold(
    relevances: Vector, weights: Vector, topic: Topic, settings: ClassifierSettings
) -> tuple[float, str]:
    """Return the threshold, and what it comes from."""
    if topic.relevance_threshold is not None:
        return topic.relevance_threshold, "topic.toml"
    if settings.threshold_by == "f1":
        return f1_threshold(relevances, weights), "best expected F1"
    cost = settings.false_positive_cost
    factor = "" if cost == 1 else f" {cost:g} times"
    return cost_threshold(cost), f"a false positive costs{factor} as much as a false negative"


def _rows(
    topic: Topic, held_out: HeldOut, weights: Vector, settings: ClassifierSettings
) -> tuple[tuple[ReportRow, ...], Vector]:
    """Measure each fold with a calibration and a threshold that come from the other folds."""
    truth = held_out.examples.is_relevant
    relevances = np.empty(len(truth))
    decided = np.empty(len(truth), dtype=np.bool_)
    rows = []
    for number, fold in enumerate(held_out.folds, start=1):
        rest = np.setdiff1d(np.arange(len(truth)), fold)
        scaling = held_out.calibrated(rest, settings.relevant_share)
        relevances[fold] = held_out.relevances(scaling, fold)
        known = held_out.relevances(scaling, rest)
        threshold, _ = _threshold(known, weights[rest], topic, settings)
        decided[fold] = relevances[fold] >= threshold
        in_fold = shares(truth[fold], weights[fold], settings.relevant_share)
        rows.append(ReportRow.of(f"fold {number}", truth[fold], decided[fold], relevances[fold], in_fold))
    return (*rows, ReportRow.of("all", truth, decided, relevances, weights)), relevances


def _warnings(row: ReportRow, examples: ExamplePages) -> list[str]:
    own = examples.own()
    relevant = int(own.is_relevant.sum())
    warnings = [
        f"only {plural(count, kind)}: give at least {FEW_EXAMPLES}, better 30, for figures to trust"
        for count, kind in ((relevant, "relevant example"), (len(own) - relevant, "other example"))
        if count < FEW_EXAMPLES
    ]
    if row.f1 < LOW_F1:
        warnings.append(f"F1 is {row.f1:.2f}, below {LOW_F1}: look for wrong, empty or too varied examples")
    pages = zip(own.pages, own.is_relevant.tolist(), strict=True)
    hosts = {urlsplit(page.url).hostname for page, is_relevant in pages if is_relevant}
    if len(hosts) < FEW_HOSTS:
        named = plural(len(hosts), "host")
        warnings.append(f"all relevant examples are of {named}: the model may know the site, not the topic")
    return warnings
