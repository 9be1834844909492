"""The text sets, F1 on them, and scikit-learn's simple classifiers: the reference, made again."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from focused_crawler.experiment.statistics import LEVEL

Decisions = NDArray[np.bool_]
"""Documents x topics: which topics a document has, or is said to have."""

SECTIONS = ("headline", "keywords", "anchor", "body")
DRAWS = 2000
_CHUNK = 200

METHODS: dict[str, tuple[bool, Callable[[], Any]]] = {
    "mnb_counts": (False, MultinomialNB),
    "mnb_tfidf": (True, MultinomialNB),
    "mnb_tfidf_01": (True, lambda: MultinomialNB(alpha=0.01)),
    "complement_nb": (True, ComplementNB),
    "linear_svc": (True, LinearSVC),
    "logistic_regression": (True, lambda: LogisticRegression(max_iter=1000)),
}
"""Name in the figures -> whether on TF-IDF, how it is made."""

REFERENCE = tomllib.loads(Path(__file__).with_name("classifier_reference.toml").read_text("utf-8"))
WORDS = r"[a-z]{2,}"
FEWEST = 2  # documents that must hold a word


@dataclass(frozen=True)
class Documents:
    """Documents of a set, and which of its topics each has."""

    sections: list[tuple[str, ...]]  # text of headline, keywords, anchor, body
    topics: Decisions

    @classmethod
    def of(cls, documents: list[dict[str, Any]], topics: list[str]) -> Documents:
        """Take documents as a file has them."""
        sections = [tuple(str(document[name]) for name in SECTIONS) for document in documents]
        has = [[topic in document["labels"] for topic in topics] for document in documents]
        return cls(sections, np.array(has, dtype=np.bool_))

    @cached_property
    def texts(self) -> list[str]:
        """All sections of each document, joined."""
        return [" ".join(sections) for sections in self.sections]


@dataclass(frozen=True)
class TextSet:
    """A set with its own split."""

    name: str
    topics: list[str]
    train: Documents
    test: Documents

    @classmethod
    def read(cls, folder: Path) -> TextSet:
        """Read train.jsonl.gz and test.jsonl.gz; the topics are those of the training documents."""
        train, test = (list(read_lines(folder / f"{part}.jsonl.gz")) for part in ("train", "test"))
        topics = sorted({topic for document in train for topic in document["labels"]})
        return cls(folder.name, topics, Documents.of(train, topics), Documents.of(test, topics))

    @property
    def is_single(self) -> bool:
        """Whether each document has exactly one topic: then a classifier names one, the most probable."""
        both = np.vstack([self.train.topics, self.test.topics])
        return bool((both.sum(axis=1) == 1).all())


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Difference(NamedTuple):
    """Macro F1 of the second less the first, in [-1, 1], with two 95 % intervals.

    `low` to `high`: other documents of the same topics. `low_topics` to `high_topics`: other topics too.
    """

    mean: float
    low: float
    high: float
    low_topics: float
    high_topics: float


def topic_f1(truth: Decisions, decided: Decisions) -> NDArray[np.float64]:
    """Return F1 of each topic; 0 for a topic that no document has or is said to have."""
    weights = np.ones((1, len(truth)))
    return np.asarray(_f1(weights, truth, decided)[0])


def macro_f1(truth: Decisions, decided: Decisions) -> float:
    """Return the mean of the topics' F1."""
    return float(topic_f1(truth, decided).mean())


def paired_difference(
    truth: Decisions, first: Decisions, second: Decisions, draws: int = DRAWS
) -> Difference:
    """Compare two classifiers by a paired bootstrap: both are measured on the same drawn documents."""
    chance = np.random.default_rng(0)
    documents, topics = truth.shape
    found = []
    for count in [min(_CHUNK, draws - begin) for begin in range(0, draws, _CHUNK)]:
        weights = chance.multinomial(documents, np.full(documents, 1 / documents), count).astype(float)
        found.append(_f1(weights, truth, second) - _f1(weights, truth, first))
    differences = np.vstack(found)
    drawn = chance.multinomial(topics, np.full(topics, 1 / topics), size=draws) / topics
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(differences.mean(axis=1), tails)
    low_topics, high_topics = np.quantile((differences * drawn).sum(axis=1), tails)
    mean = macro_f1(truth, second) - macro_f1(truth, first)
    return Difference(mean, float(low), float(high), float(low_topics), float(high_topics))


def _f1(weights: NDArray[np.float64], truth: Decisions, decided: Decisions) -> NDArray[np.float64]:
    """Return F1 (draws x topics) of documents that count `weights` (draws x documents) times."""
    right = weights @ (truth & decided)
    named = weights @ truth.astype(float) + weights @ decided.astype(float)
    return np.asarray(2 * right / np.where(named > 0, named, 1.0))


class Outcome(NamedTuple):
    """What a classifier decided of the test documents, and the processor time it took."""

    decided: Decisions
    train_s: float
    predict_s: float


def outcomes(documents: TextSet) -> Iterator[tuple[str, Outcome]]:
    """Train and ask each method of the reference, words counted before."""
    vectorizer = CountVectorizer(
        token_pattern=WORDS, stop_words=REFERENCE["stop_words"].split(), min_df=FEWEST
    )
    counts = [vectorizer.fit_transform(documents.train.texts), vectorizer.transform(documents.test.texts)]
    idf = TfidfTransformer().fit(counts[0])
    weights = [idf.transform(part) for part in counts]
    for name, (is_tfidf, make) in METHODS.items():
        train, test = weights if is_tfidf else counts
        yield name, _outcome(documents, make, train, test)


def _outcome(documents: TextSet, make: Callable[[], Any], train: Any, test: Any) -> Outcome:
    topics = documents.train.topics
    targets: Sequence[Any] = [topics.argmax(axis=1)] if documents.is_single else list(topics.T)
    began = process_time()
    fitted = [make().fit(train, target) for target in targets]
    trained = process_time()
    found = np.column_stack([one.predict(test) for one in fitted])
    ended = process_time()
    decided = found == np.arange(topics.shape[1]) if documents.is_single else found
    return Outcome(np.asarray(decided, dtype=np.bool_), trained - began, ended - trained)
