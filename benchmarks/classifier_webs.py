"""Page classifiers on the pages of webs: a few examples to learn from, all other pages to test on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC

from benchmarks.classifier_reliability import Reliability
from focused_crawler.classify.calibration import expected_calibration_error
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.pseudo import background_examples
from focused_crawler.classify.registry import METHODS
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.page.model import Outline, Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

DEFAULT = ClassifierSettings().classifier

Rows = NDArray[np.intp]
Truth = NDArray[np.bool_]

SIZES = ((10, 20), (30, 60), (100, 200))
"""Relevant and other examples that are drawn."""

DRAWS = 3
DRAWN_TEST = 3000  # pages that are judged after a draw
SIMPLE: dict[str, Callable[[], Any]] = {
    "complement_nb": ComplementNB,
    "linear_svc": LinearSVC,
    "sklearn_logistic_regression": LogisticRegression,
}
"""scikit-learn's, as they come, on TF-IDF of the page text, from relevant and other examples."""

WITH_BACKGROUND = "linear_svc_with_background"
"""The same, from the background of our own methods as well."""


class Answers(NamedTuple):
    """What a classifier says of the tested pages."""

    decided: Truth
    scores: NDArray[np.float64]  # the higher, the more relevant
    relevances: NDArray[np.float64] | None  # probabilities; None: it gives none
    train_s: float  # processor time
    ms_per_page: float


class Measured(NamedTuple):
    """How good these answers are."""

    f1: float
    average_precision: float
    accuracy: float
    calibration_error: float  # NaN without probabilities
    train_s: float
    ms_per_page: float

    @classmethod
    def of(cls, answers: Answers, truth: Truth) -> Measured:
        """Compare answers with the truth."""
        matrix = ConfusionMatrix.from_pairs(zip(answers.decided.tolist(), truth.tolist(), strict=True))
        error = float("nan")
        if answers.relevances is not None:
            error = expected_calibration_error(answers.relevances, truth)
        precision = float(average_precision_score(truth, answers.scores))
        return cls(matrix.f_beta(), precision, matrix.accuracy, error, answers.train_s, answers.ms_per_page)


class Judged(NamedTuple):
    """A method's answers, measured."""

    method: str
    measured: Measured
    reliability: Reliability | None  # None: it gives no probabilities

    @classmethod
    def of(cls, method: str, answers: Answers, truth: Truth) -> Judged:
        """Compare answers with the truth."""
        relevances = answers.relevances
        reliability = None if relevances is None else Reliability.of(relevances, truth)
        return cls(method, Measured.of(answers, truth), reliability)


@dataclass(frozen=True)
class Pages:
    """A web's pages in memory, without blocks and links."""

    web: AnalysedWeb
    pages: list[Page]
    words: Any  # pages x words: counts, as scikit-learn splits a text

    @classmethod
    def of(cls, web: AnalysedWeb) -> Pages:
        """Read all pages of a web once."""
        pages: list[Page] = []
        return cls(web, pages, CountVectorizer(dtype=np.float64).fit_transform(_texts(web, pages)))


def _texts(web: AnalysedWeb, pages: list[Page]) -> Iterator[str]:
    for number in range(len(web)):
        page = web.page(number)
        yield page.text
        pages.append(Page(page.url, page.title, "", page.sections, Outline(is_heading=False)))


@dataclass(frozen=True)
class Subject:
    """A topic of a web."""

    topic: Topic
    relevant: Rows  # its examples
    other: Rows
    background: Rows  # examples of the web's other topics
    truth: Truth  # of each page

    @classmethod
    def of(cls, folder: Path, web: AnalysedWeb) -> Subject:
        """Read a topic folder that lies beside a web."""
        topic = load_topic(str(folder))
        truth = GroundTruth.of_topic(folder)
        assert truth is not None
        background = background_examples(topic, ClassifierSettings().background)
        return cls(
            topic,
            relevant=_found(topic.relevant_examples, web),
            other=_found(topic.other_examples, web),
            background=_found(background, web),
            truth=truth.among(web.urls),
        )

    def drawn(self, relevant: int, other: int, draw: int) -> Subject:
        """Return the topic with other examples, drawn at random from all pages; the benchmark alone may."""
        chance = np.random.default_rng([draw, relevant, other])
        drawn = []
        for kind, count in ((self.truth, relevant), (~self.truth, other)):
            rows = np.setdiff1d(np.flatnonzero(kind), self.background)
            drawn.append(chance.choice(rows, min(count, len(rows) // 2), replace=False))
        return replace(self, relevant=drawn[0], other=drawn[1])

    def examples(self, *, with_background: bool = False) -> tuple[Rows, Truth]:
        """Return the pages to learn from, and which are relevant."""
        kinds = [self.relevant, self.other, *([self.background] if with_background else [])]
        rows = np.concatenate(kinds)
        return rows, np.arange(len(rows)) < len(self.relevant)

    def tested(self, count: int | None = None) -> Rows:
        """Return the pages that are not among the examples, all or so many at random."""
        learnt = np.concatenate([self.relevant, self.other, self.background])
        rows = np.setdiff1d(np.arange(len(self.truth)), learnt)
        return rows if count is None else np.random.default_rng(0).permutation(rows)[:count]


def _found(urls: Sequence[str], web: AnalysedWeb) -> Rows:
    numbers = (web.number(url) for url in urls)
    return np.array(list(dict.fromkeys(number for number in numbers if number is not None)), dtype=np.intp)


def subjects(path: Path, web: AnalysedWeb) -> list[Subject]:
    """Return the topics beside a web."""
    return [Subject.of(folder, web) for folder in sorted(topics_folder(path).iterdir())]


def judged(pages: Pages, subject: Subject, tested: Rows) -> Iterator[Judged]:
    """Yield how good each method is that learns from the subject's examples."""
    truth = subject.truth[tested]
    for name in METHODS:
        yield Judged.of(name, _ours(pages, subject, tested, name), truth)
    own, all_rows = subject.examples(), subject.examples(with_background=True)
    for name, make in SIMPLE.items():
        yield Judged.of(name, _simple(pages, *own, tested, make), truth)
    yield Judged.of(WITH_BACKGROUND, _simple(pages, *all_rows, tested, LinearSVC), truth)


def _ours(pages: Pages, subject: Subject, tested: Rows, name: str) -> Answers:
    """Train as `scrapy train` does, and judge by the model's own threshold."""
    analyzer = Analyzer(subject.topic.language)
    relevant, other, background = (
        [pages.web.page(row) for row in rows.tolist()]
        for rows in (subject.relevant, subject.other, subject.background)
    )
    began = process_time()
    settings = ClassifierSettings(classifier=name)
    model, _ = train(subject.topic, relevant, other, settings, analyzer, background=background)
    trained = process_time()
    relevance = model.classifier.relevance
    found = np.array([relevance(pages.pages[row]) for row in tested.tolist()])
    each = 1000 * (process_time() - trained) / len(tested)
    return Answers(found >= model.threshold, found, found, trained - began, each)


def _simple(pages: Pages, rows: Rows, is_relevant: Truth, tested: Rows, make: Callable[[], Any]) -> Answers:
    """Train a classifier of scikit-learn; its idf and its words are those of the examples."""
    began = process_time()
    counts = pages.words[rows]
    words = np.unique(counts.indices)
    idf = TfidfTransformer().fit(counts[:, words])
    fitted = make().fit(idf.transform(counts[:, words]), is_relevant)
    trained = process_time()
    asked = idf.transform(pages.words[tested][:, words])
    decided = np.asarray(fitted.predict(asked), dtype=np.bool_)
    relevances = fitted.predict_proba(asked)[:, 1] if hasattr(fitted, "predict_proba") else None
    scores = fitted.decision_function(asked) if relevances is None else relevances
    each = 1000 * (process_time() - trained) / len(tested)
    return Answers(decided, scores, relevances, trained - began, each)
