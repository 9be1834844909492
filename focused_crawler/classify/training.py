"""Examples -> model, with an honest table of its quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

import numpy as np

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.calibration import shares
from focused_crawler.classify.evaluation import ReportRow, cost_threshold, f1_threshold
from focused_crawler.classify.held_out import HeldOut, HeldOutPage
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.page_classifiers import TrainedClassifier
from focused_crawler.classify.platt import PlattScaling
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.suggestions import Suspect, suspects
from focused_crawler.classify.topic_vector import block_midpoint, topic_vector
from focused_crawler.page.model import Page
from focused_crawler.page.text.selection import Vector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic

BACKGROUND_WEIGHT = 0.3
"""Of a page of another topic among the examples: it is not about this one in all likelihood, but for sure
no page that a person chose to tell the topic from."""

FEW_EXAMPLES = 10
LOW_F1 = 0.6
FEW_HOSTS = 3


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What training found out. Every figure was measured on pages that its classifier, calibration and
    threshold had not seen, weighted as if `relevant_share` of the pages were relevant.
    """

    rows: tuple[ReportRow, ...]  # one a fold, then "all": the held-out pages of all folds together
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


def train(
    topic: Topic,
    relevant: Sequence[Page],
    other: Sequence[Page],
    settings: ClassifierSettings,
    analyzer: Analyzer,
    *,
    background: Sequence[Page] = (),
) -> tuple[TopicModel, TrainingReport]:
    """Learn a topic from pages about it, others, and pages of other topics; their order does not matter.

    Raises TopicError when there are fewer than two pages of a kind, ConfigError for an unknown classifier.
    """
    method = find_method(settings.classifier, settings.classifiers)
    relevant, other = in_fixed_order(relevant), in_fixed_order(other)
    _check_number(topic, relevant, other)
    more = in_fixed_order(background) if getattr(method, "uses_background", False) else []
    examples = labelled(relevant, other, more, settings)
    held_out = HeldOut.judge(examples, method, settings)
    scaling = held_out.calibrated(np.arange(len(examples)), settings.relevant_share)
    report = _report(topic, held_out, scaling, settings)
    model = TopicModel(
        topic=topic.name,
        language=topic.language,
        classifier=TrainedClassifier(method.fit(examples, settings), scaling),
        vector=topic_vector(topic, relevant, other, analyzer, settings.topic_terms),
        threshold=report.threshold,
        settings=settings,
        midpoint=block_midpoint(topic, relevant, other, analyzer, settings.topic_terms),
        metrics=_metrics(report.overall),
        examples={"relevant": len(relevant), "other": len(other), "background": len(more)},
        learnt_from=frozenset(example_key(page.url) for page in examples.pages),
        links=link_model(relevant, other, analyzer),
    )
    return model, report


def in_fixed_order(pages: Sequence[Page]) -> list[Page]:
    """Sort pages by a hash of their URLs, which also spreads the pages of a host over the folds."""
    return sorted(pages, key=lambda page: (sha256(page.url.encode()).digest(), page.text))


def link_model(relevant: Sequence[Page], other: Sequence[Page], analyzer: Analyzer) -> LinkModel:
    """Return what links to pages like these say."""
    pages = [*relevant, *other]
    titles = [analyzer.terms(page.title) for page in pages]
    labels = [True] * len(relevant) + [False] * len(other)
    return LinkModel.fit([page.url for page in pages], titles, labels)


def _check_number(topic: Topic, relevant: Sequence[Page], other: Sequence[Page]) -> None:
    for pages, kind in ((relevant, "relevant"), (other, "other")):
        if len(pages) < 2:
            raise TopicError(
                f"{topic.name} has {len(pages)} usable {kind} example(s); training needs 2, better 30:"
                f" add URLs to {kind} under [examples] in topic.toml"
            )


def labelled(
    relevant: Sequence[Page], other: Sequence[Page], more: Sequence[Page], settings: ClassifierSettings
) -> ExamplePages:
    """Label the pages; those of the background lie among the others, so that every fold has its part."""
    behind = {id(page) for page in more}
    pages = [*relevant, *in_fixed_order([*other, *more])]
    labels = [True] * len(relevant) + [False] * (len(other) + len(more))
    weights = [BACKGROUND_WEIGHT if id(page) in behind else 1.0 for page in pages]
    return ExamplePages.of(pages, labels, settings.section_weights, weights)


def _threshold(relevances: Vector, weights: Vector, topic: Topic, settings: ClassifierSettings) -> float:
    if topic.relevance_threshold is not None:
        return topic.relevance_threshold
    if settings.threshold_by == "f1":
        return f1_threshold(relevances, weights)
    return cost_threshold(settings.false_positive_cost)


def _report(
    topic: Topic, held_out: HeldOut, scaling: PlattScaling, settings: ClassifierSettings
) -> TrainingReport:
    examples = held_out.examples
    weights = shares(examples.is_relevant, examples.weights, settings.relevant_share)
    every = np.arange(len(examples))
    rows, relevances = _rows(topic, held_out, weights, settings)
    judged = zip(examples.pages, examples.is_relevant.tolist(), relevances.tolist(), strict=True)
    counts = zip(weights.tolist(), (examples.weights < 1.0).tolist(), strict=True)
    pages = tuple(
        HeldOutPage(page.url, is_relevant, relevance, share, is_background)
        for (page, is_relevant, relevance), (share, is_background) in zip(judged, counts, strict=True)
    )
    return TrainingReport(
        rows=rows,
        threshold=_threshold(held_out.relevances(scaling, every), weights, topic, settings),
        threshold_source=_source(topic, settings),
        relevant_share=settings.relevant_share,
        held_out=pages,
        suspects=suspects(pages, held_out, settings.relevant_share),
        warnings=tuple(_warnings(rows[-1], examples)),
    )


def _source(topic: Topic, settings: ClassifierSettings) -> str:
    if topic.relevance_threshold is not None:
        return "topic.toml"
    if settings.threshold_by == "f1":
        return "best F1 to be expected"
    return f"a page taken by mistake costs {settings.false_positive_cost:g} of one missed"


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
        decided[fold] = relevances[fold] >= _threshold(known, weights[rest], topic, settings)
        in_fold = shares(truth[fold], weights[fold], settings.relevant_share)
        rows.append(ReportRow.of(f"fold {number}", truth[fold], decided[fold], relevances[fold], in_fold))
    return (*rows, ReportRow.of("all", truth, decided, relevances, weights)), relevances


def _warnings(row: ReportRow, examples: ExamplePages) -> list[str]:
    own = examples.own()
    relevant = int(own.is_relevant.sum())
    warnings = [
        f"only {count} {kind} examples: give at least {FEW_EXAMPLES}, better 30, for figures to trust"
        for count, kind in ((relevant, "relevant"), (len(own) - relevant, "other"))
        if count < FEW_EXAMPLES
    ]
    if row.f1 < LOW_F1:
        warnings.append(f"F1 is {row.f1:.2f}, below {LOW_F1}: look for wrong, empty or too varied examples")
    pages = zip(own.pages, own.is_relevant.tolist(), strict=True)
    hosts = {urlsplit(page.url).hostname for page, is_relevant in pages if is_relevant}
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
