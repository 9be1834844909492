"""What `scrapy train` makes of text sets: each topic of a set is learnt from all its training documents.

    .venv/bin/python benchmarks/study.py text_judges --data ../shared/classify --into docs/research/judge.md

A document is judged topic by topic, as a crawler does, by the trained model's own threshold. Each is a page
of a site of its own. `classifier` measures scikit-learn's simple classifiers on the same sets.
"""

from __future__ import annotations

from itertools import compress
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from benchmarks.harness import STDERR, Report
from benchmarks.studies.text_sets import Documents, TextSet, macro_f1
from benchmarks.tables import Rows
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.topic import Topic

METHODS = "logistic_regression,ratio_regression"
SETS = "rcv1,odp_meta,searchsnippets,reuters21578,20ng,20ng_full"


def measure(
    *,
    data: Annotated[Path, "the folder of the text sets"],
    sets: Annotated[str, "which of them"] = SETS,
    methods: Annotated[str, "what to train"] = METHODS,
) -> Report:
    """Train and judge every topic of each set by each method."""
    rows = Rows()
    with threadpool_limits(1):
        for name in track(sets.split(","), "sets", console=STDERR):
            text_set = TextSet.read(data / name)
            pages = [_pages(part) for part in (text_set.train, text_set.test)]
            for method in methods.split(","):
                rows.append({"set": name, "method": method, **_measures(text_set, pages, method)})
    return Report({"sets": rows})


def _pages(documents: Documents) -> list[Page]:
    analyzer = Analyzer("en")
    return [
        Page(f"http://document-{number}.example/", "", "", sections, Outline(is_heading=False))
        for number, texts in enumerate(documents.sections)
        for sections in [Sections(*map(analyzer.terms, texts))]
    ]


def _measures(text_set: TextSet, pages: list[list[Page]], method: str) -> dict[str, float]:
    truth, columns = text_set.test.topics, zip(text_set.topics, text_set.train.topics.T, strict=True)
    judged = [_judged(name, is_relevant, pages, method) for name, is_relevant in columns]
    decided = np.column_stack([relevance >= threshold for relevance, threshold in judged])
    precisions = [
        average_precision_score(has, relevance) for has, (relevance, _) in zip(truth.T, judged, strict=True)
    ]
    return {"points": 100 * macro_f1(truth, decided), "ap_points": 100 * float(np.mean(precisions))}


def _judged(
    name: str, is_relevant: NDArray[np.bool_], pages: list[list[Page]], method: str
) -> tuple[NDArray[np.float64], float]:
    """Return the relevance of each test document to a topic, and from which on it has it."""
    train_pages, test_pages = pages
    relevant, other = (list(compress(train_pages, kind)) for kind in (is_relevant, ~is_relevant))
    topic = Topic(name, Path())
    model, _ = train(topic, relevant, other, ClassifierSettings(classifier=method), Analyzer("en"))
    found = np.fromiter(map(model.classifier.relevance, test_pages), np.float64)
    return found, model.threshold
