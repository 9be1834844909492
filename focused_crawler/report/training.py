"""A training -> training.html beside the model: how far to trust it, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from focused_crawler.classify.comparison import (
    Comparison,
    StrongTerm,
    TermChanges,
    compare,
    spellings,
    strongest_terms,
)
from focused_crawler.classify.evaluation import Bin, at_thresholds, reliability
from focused_crawler.classify.examples import Examples
from focused_crawler.classify.held_out import HeldOutPage
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.paired import Paired
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import Trained, train_topic
from focused_crawler.classify.training_report import TrainingReport
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report import charts
from focused_crawler.report.html import render_page, save_page
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.progress import note
from focused_crawler.topic.topic import Topic

STRONGEST = 15
"""Terms shown of each kind."""


@dataclass(frozen=True, slots=True)
class Training:
    """A training and what its report shows."""

    topic: Topic
    model: TopicModel
    report: TrainingReport | None  # None: trained with pseudo-examples, which nobody labelled
    speak_for: Sequence[StrongTerm]
    speak_against: Sequence[StrongTerm]
    spelled: Mapping[str, str]  # terms as they are written
    terms: TermChanges  # by this model, and not by what judged before
    comparison: Comparison | None = None  # with the model that was there before
    paired: Paired | None = None  # the same on the same examples, or with the topic's words
    words: Paired | None = None  # with the topic's words alone, whatever judged before

    @classmethod
    def of(
        cls,
        topic: Topic,
        trained: Trained,
        comparison: Comparison | None = None,
        paired: Paired | None = None,
        old: TopicModel | None = None,
    ) -> Self:
        """Find out which terms say most, and how they are written; `old`: what judged before (its words)."""
        analyzer = Analyzer(topic.language)
        model, report, relevant, other, _ = trained
        both = strongest_terms(model.classifier, relevant, other, STRONGEST)
        before = old or TopicModel.cold(topic, analyzer)
        terms = TermChanges.between(before.classifier, model.classifier, relevant, other, STRONGEST)
        doubted = [term for suspect in report.suspects for term in suspect.terms] if report else []
        shown = {*(strong.term for kind in (*both, *terms) for strong in kind), *doubted}
        spelled = spellings(shown, [*relevant, *other], analyzer)
        return cls(topic, model, report, *both, spelled, terms, comparison, paired)

    @property
    def before(self) -> str:
        """Return what judged the topic's pages before."""
        return "the topic's words" if self.comparison is None else "old model"

    @property
    def is_worse_than_words(self) -> bool:
        """Tell whether the topic's words alone judge the examples better, and not by chance."""
        return self.words is not None and not self.words.is_better and self.words.is_certain

    def spell(self, term: str) -> str:
        """Return a term as it is mostly written."""
        return self.spelled.get(term, term)

    @property
    def bins(self) -> list[Bin]:
        """Return the held-out pages by relevance."""
        return reliability(self.report.held_out) if self.report else []

    @property
    def own(self) -> list[HeldOutPage]:
        """Return the examples that a person chose, those first that contradict their label most."""
        held_out = self.report.held_out if self.report else ()
        own = [page for page in held_out if not page.is_background]
        return sorted(own, key=lambda page: page.relevance if page.is_relevant else 1 - page.relevance)


def train_beside(
    old: TopicModel | None,
    topic: Topic,
    examples: Examples,
    settings: ClassifierSettings,
    labelled: Collection[str] = (),
) -> tuple[Trained, Training]:
    """Train a model and set it beside what judged before: the old one, or the topic's words.

    `labelled`: URLs of the examples that are from labels, which may have redirected to the examples' own.
    """
    analyzer = Analyzer(topic.language)
    note("training the model", 0, 1)
    trained = train_topic(topic, examples, settings, analyzer)
    if labelled:
        numbers = {**trained.model.examples, "labels": len(labelled)}
        learnt = trained.model.learnt_from.union(map(example_key, labelled))
        trained = trained._replace(model=replace(trained.model, examples=numbers, learnt_from=learnt))
    note("comparing the models", 0, 1)
    comparison = None
    if old is not None:
        held_out = trained.report.held_out if trained.report else ()
        comparison = compare(old, trained.model, held_out, [*trained.relevant, *trained.other])
    words = Paired.of(TopicModel.cold(topic, analyzer), trained, topic, analyzer)
    paired = words if old is None else Paired.of(old, trained, topic, analyzer)
    return trained, replace(Training.of(topic, trained, comparison, paired, old), words=words)


def save_training(training: Training, path: Path) -> None:
    """Write the report; raises ModelError."""
    save_page(render_training(training), path, ModelError, "choose a folder you may write to")


def render_training(training: Training) -> str:
    """Return the page. Equal input gives equal text."""
    report, plot = training.report, charts.reliability(training.bins)
    values = {
        "training": training,
        "topic": training.topic,
        "model": training.model,
        "report": report,
        "plot": plot.svg(plot.panels[0]) if report else "",
        "thresholds": at_thresholds(report.held_out) if report else (),
    }
    return render_page("report/training.html", values)
