"""Page classifiers on the pages of webs: a few examples to learn from, all other pages to test on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import LinearSVC

from benchmarks.studies.crawls import truth_beside
from focused_crawler.classify.calibration import expected_calibration_error
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.examples import background_examples
from focused_crawler.classify.registry import METHODS
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.experiment.grid import Subject
from focused_crawler.page.model import Outline, Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import site_of
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

DEFAULT = ClassifierSettings().classifier

Rows = NDArray[np.intp]
Truth = NDArray[np.bool_]

EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
HIGH = 0.2
"""Nearly all pages of a web are judged below: by their number they hide the others in a calibration error."""

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

    def measures(self, truth: Truth) -> dict[str, float | None]:
        """Return how good these answers are; no calibration error without probabilities."""
        matrix = ConfusionMatrix.from_pairs(zip(self.decided.tolist(), truth.tolist(), strict=True))
        error = high_error = None
        if self.relevances is not None:
            error, is_high = expected_calibration_error(self.relevances, truth), self.relevances >= HIGH
            if is_high.any():
                high_error = expected_calibration_error(self.relevances[is_high], truth[is_high])
        shares = {"f1": matrix.f1, "accuracy": matrix.accuracy}
        shares["ap"] = float(average_precision_score(truth, self.scores))
        points = {f"{name}_points": 100 * share for name, share in shares.items()}
        errors, times = {"error": error, "high_error": high_error}, (self.train_s, self.ms_per_page)
        kinds = {"precision": matrix.precision, "recall": matrix.recall}
        return {"f1": shares["f1"], **kinds, **points, **errors, "train_s": times[0], "ms": times[1]}

    def on(self, here: Truth) -> Answers:
        """Return the answers about some of the pages."""
        relevances = None if self.relevances is None else self.relevances[here]
        return self._replace(decided=self.decided[here], scores=self.scores[here], relevances=relevances)


def bins_of(relevances: NDArray[np.float64], truth: Truth) -> Iterator[dict[str, object]]:
    """Yield pages of about the same relevance: how many, sum of relevances, how many are relevant."""
    number = np.digitize(relevances, EDGES[1:-1])
    for place, (low, high) in enumerate(pairwise(EDGES)):
        here = number == place
        said, true, pages = float(relevances[here].sum()), int(truth[here].sum()), int(here.sum())
        yield {"relevance": f"{low:g} to {high:g}", "pages": pages, "said": said, "true": true}


@dataclass(frozen=True)
class Pages:
    """A web's pages in memory, without blocks and links."""

    web: AnalysedWeb
    pages: list[Page]
    words: Any  # pages x words: counts, as scikit-learn splits a text; None: not wanted

    @classmethod
    def of(cls, web: AnalysedWeb, *, words: bool = True) -> Pages:
        """Read all pages of a web once; its own classifiers do without `words`."""
        pages: list[Page] = []

        def texts() -> Iterator[str]:
            for page in map(web.page, range(len(web))):
                yield page.text
                pages.append(Page(page.url, page.title, "", page.sections, Outline(is_heading=False)))

        counts = CountVectorizer(dtype=np.float64).fit_transform(texts()) if words else deque(texts(), 0)
        return cls(web, pages, counts if words else None)

    def is_of(self, sites: Collection[str], rows: Rows) -> Truth:
        """Tell which of some pages lie on one of the sites."""
        return np.array([site_of(self.pages[row].url) in sites for row in rows.tolist()], dtype=np.bool_)


@dataclass(frozen=True)
class Pupil:
    """A topic of a web, and what a classifier of it learns from."""

    topic: Topic
    relevant: Rows  # its examples
    other: Rows
    background: Rows  # examples of the web's other topics
    truth: Truth  # of each page

    @classmethod
    def of(cls, subject: Subject, web: AnalysedWeb) -> Pupil:
        """Find the examples of a topic that lies beside a web."""
        topic, truth = subject.topic, truth_beside(subject).among(web.urls)
        background = background_examples(topic, ClassifierSettings().background)
        kinds = (topic.relevant_examples, topic.other_examples, background)
        return cls(topic, *(_found(urls, web) for urls in kinds), truth)

    def drawn(self, relevant: int, other: int, draw: int) -> Pupil:
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


def judged(pages: Pages, subject: Pupil, tested: Rows) -> Iterator[tuple[str, Answers]]:
    """Yield what each method answers that learns from the subject's examples."""
    for name in METHODS:
        yield name, trained(pages, subject, tested, name)
    own, all_rows = subject.examples(), subject.examples(with_background=True)
    for name, make in SIMPLE.items():
        yield name, _simple(pages, *own, tested, make)
    yield WITH_BACKGROUND, _simple(pages, *all_rows, tested, LinearSVC)


def trained(pages: Pages, subject: Pupil, tested: Rows, name: str) -> Answers:
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
