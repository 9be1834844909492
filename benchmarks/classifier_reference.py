"""scikit-learn's simple classifiers on the text sets: the reference, made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.classifier_paired import Decisions
from benchmarks.classifier_sets import TextSet

METHODS: dict[str, tuple[str, bool, Callable[[], Any]]] = {
    "mnb_counts": ("MNB counts", False, MultinomialNB),
    "mnb_tfidf": ("MNB tfidf", True, MultinomialNB),
    "mnb_tfidf_01": ("MNB tfidf alpha=.01", True, lambda: MultinomialNB(alpha=0.01)),
    "complement_nb": ("ComplementNB", True, ComplementNB),
    "linear_svc": ("LinearSVC", True, LinearSVC),
    "logistic_regression": ("LogReg", True, lambda: LogisticRegression(max_iter=1000)),
}
"""Name in the figures -> name in the tables, whether on TF-IDF, how it is made."""

REFERENCE = {  # macro F1 in points; columns as METHODS
    "reuters21578": (76.2, 48.9, 80.7, 78.9, 88.0, 75.2),
    "rcv1": (84.2, 59.5, 81.9, 73.0, 84.7, 72.7),
    "20ng": (91.9, 92.1, 92.6, 93.8, 94.0, 93.2),
    "20ng_full": (77.0, 79.3, 82.7, 82.4, 83.7, 82.0),
    "odp_meta": (57.6, 51.1, 55.9, 58.7, 59.3, 56.3),
    "searchsnippets": (79.8, 63.4, 76.0, 79.1, 68.1, 61.3),
}

WORDS = r"[a-z]{2,}"
FEWEST = 2  # documents that must hold a word
STOP_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing a an the and but if or because as until while of
at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don should now d ll m o re ve y ain aren
couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn
"""
"""Those of NLTK, as runs of letters."""


class Outcome(NamedTuple):
    """What a classifier decided of the test documents, and the processor time it took."""

    decided: Decisions
    train_s: float
    predict_s: float


def outcomes(documents: TextSet) -> Iterator[tuple[str, Outcome]]:
    """Train and ask each method, words counted before."""
    vectorizer = CountVectorizer(token_pattern=WORDS, stop_words=STOP_WORDS.split(), min_df=FEWEST)
    counts = [vectorizer.fit_transform(documents.train.texts), vectorizer.transform(documents.test.texts)]
    idf = TfidfTransformer().fit(counts[0])
    weights = [idf.transform(part) for part in counts]
    for name, (_, is_tfidf, make) in METHODS.items():
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
