"""Examples -> model, with an honest table of its quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from focused_crawler.classify.calibration import fit_platt
from focused_crawler.classify.evaluation import ReportRow, best_f1_threshold
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.lu import ExamplePages, LuClassifier
from focused_crawler.classify.midpoint import block_midpoint
from focused_crawler.classify.model import TopicModel, TrainedClassifier
from focused_crawler.classify.platt import PlattScaling
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.topic_vector import topic_vector
from focused_crawler.errors import TopicError
from focused_crawler.page.model import Page
from focused_crawler.text.selection import Vector
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic

FEW_EXAMPLES = 10
LOW_F1 = 0.7
FEW_HOSTS = 3

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training found out. Every row was measured on pages that its classifier, calibration and threshold
    had not seen.
    """

    rows: tuple[ReportRow, ...]  # one a fold, then "all": the held-out pages of all folds together
    threshold: float
    threshold_source: str  # "topic.toml", or "best F1 on held-out pages"
    warnings: tuple[str, ...]

    @property
    def overall(self) -> ReportRow:
        """Return the row of all held-out pages."""
        return self.rows[-1]


@dataclass(frozen=True, slots=True)
class _HeldOut:
    """Each example's score by a classifier that did not learn from it."""

    scores: Vector
    is_relevant: NDArray[np.bool_]
    folds: tuple[Rows, ...]


def train(
    topic: Topic,
    relevant: Sequence[Page],
    other: Sequence[Page],
    settings: ClassifierSettings,
    analyzer: Analyzer,
) -> tuple[TopicModel, TrainingReport]:
    """Learn a topic from pages about it and others; the order of the pages does not matter.

    Raises TopicError when there are fewer than two pages of a kind.
    """
    relevant, other = _in_fixed_order(relevant), _in_fixed_order(other)
    _check_number(topic, relevant, other)
    examples = ExamplePages.of(
        [*relevant, *other], [True] * len(relevant) + [False] * len(other), settings.section_weights
    )
    held_out = _hold_out(examples, settings)
    scaling = fit_platt(held_out.scores, held_out.is_relevant)
    report = _report(topic, relevant, held_out, scaling)
    model = TopicModel(
        topic=topic.name,
        language=topic.language,
        classifier=TrainedClassifier(LuClassifier.fit(examples, settings), scaling),
        vector=topic_vector(topic, relevant, other, analyzer, settings.topic_terms),
        threshold=report.threshold,
        trained=True,
        midpoint=block_midpoint(topic, relevant, other, analyzer, settings.topic_terms),
        metrics=_metrics(report.overall),
        examples={"relevant": len(relevant), "other": len(other)},
        links=LinkModel.fit(
            [page.url for page in (*relevant, *other)],
            [analyzer.terms(page.title) for page in (*relevant, *other)],
            examples.is_relevant.tolist(),
        ),
    )
    return model, report


def _in_fixed_order(pages: Sequence[Page]) -> list[Page]:
    """Sort pages by a hash of their URLs, which also spreads the pages of a host over the folds."""
    return sorted(pages, key=lambda page: (sha256(page.url.encode()).digest(), page.text))


def _check_number(topic: Topic, relevant: Sequence[Page], other: Sequence[Page]) -> None:
    for pages, kind in ((relevant, "relevant"), (other, "other")):
        if len(pages) < 2:
            raise TopicError(
                f"{topic.name} has {len(pages)} usable {kind} example(s); training needs 2, better 30:"
                f" add URLs to {kind} under [examples] in topic.toml"
            )


def _hold_out(examples: ExamplePages, settings: ClassifierSettings) -> _HeldOut:
    """Score each example by a classifier trained on the other folds; each fold has both kinds."""
    truth = examples.is_relevant
    count = min(settings.folds, int(truth.sum()), int((~truth).sum()))
    scores = np.empty(len(truth))
    folds = []
    for learning, tested in StratifiedKFold(count).split(truth, truth):
        classifier = LuClassifier.fit(examples.rows(learning), settings)
        scores[tested] = [classifier.log_odds_of_counts(tf) for tf in examples.rows(tested).term_counts()]
        folds.append(tested)
    return _HeldOut(scores, truth, tuple(folds))


def _report(
    topic: Topic, relevant: Sequence[Page], held_out: _HeldOut, scaling: PlattScaling
) -> TrainingReport:
    rows = _rows(held_out, topic.relevance_threshold)
    threshold, source = topic.relevance_threshold, "topic.toml"
    if threshold is None:
        threshold = best_f1_threshold(_relevances(scaling, held_out.scores), held_out.is_relevant)
        source = "best F1 on held-out pages"
    return TrainingReport(rows, threshold, source, tuple(_warnings(rows[-1], relevant)))


def _rows(held_out: _HeldOut, threshold: float | None) -> tuple[ReportRow, ...]:
    """Measure each fold with a calibration and a threshold that come from the other folds."""
    truth = held_out.is_relevant
    relevances = np.empty(len(truth))
    decided = np.empty(len(truth), dtype=np.bool_)
    rows = []
    for number, fold in enumerate(held_out.folds, start=1):
        rest = np.setdiff1d(np.arange(len(truth)), fold)
        scaling = fit_platt(held_out.scores[rest], truth[rest])
        relevances[fold] = _relevances(scaling, held_out.scores[fold])
        limit = threshold
        if limit is None:
            limit = best_f1_threshold(_relevances(scaling, held_out.scores[rest]), truth[rest])
        decided[fold] = relevances[fold] >= limit
        rows.append(ReportRow.of(f"fold {number}", truth[fold], decided[fold], relevances[fold]))
    return (*rows, ReportRow.of("all", truth, decided, relevances))


def _relevances(scaling: PlattScaling, scores: Vector) -> Vector:
    return np.array([scaling(score) for score in scores.tolist()])


def _warnings(row: ReportRow, relevant: Sequence[Page]) -> list[str]:
    warnings = [
        f"only {count} {kind} examples: give at least {FEW_EXAMPLES}, better 30, for figures to trust"
        for count, kind in ((row.relevant, "relevant"), (row.other, "other"))
        if count < FEW_EXAMPLES
    ]
    if row.f1 < LOW_F1:
        warnings.append(f"F1 is {row.f1:.2f}, below {LOW_F1}: look for wrong, empty or too varied examples")
    hosts = {urlsplit(page.url).hostname for page in relevant}
    if len(hosts) < FEW_HOSTS:
        warnings.append(
            f"all relevant examples are of {len(hosts)} host(s): the model may know the site, not the topic"
        )
    return warnings


def _metrics(row: ReportRow) -> dict[str, float]:
    return {
        "precision": row.precision,
        "recall": row.recall,
        "f1": row.f1,
        "calibration_error": row.calibration_error,
    }
