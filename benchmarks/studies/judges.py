"""How well pages are judged: by the model of a topic's examples, and by its words alone.

The model that `scrapy train` makes is asked about all other pages, title, description and keywords about
every page. Ground truth is for this study only. What the judges were chosen by: docs/research/judge.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import track
from threadpoolctl import threadpool_limits

from benchmarks.harness import STDERR
from benchmarks.studies.crawls import Numbers, subjects_of
from benchmarks.studies.web_classifiers import Answers, Pages, Pupil, trained
from benchmarks.tables import Rows
from focused_crawler.classify.model import TopicModel
from focused_crawler.experiment.grid import web_name
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import site_of
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

FEWEST = 20
"""Relevant pages on sites without an example, for figures of these sites."""


def rows_of(web: Path, demo: Path, classifier: str) -> dict[str, Rows]:
    """Return a row a topic of the web, and of its words; of the demo web's words, too."""
    rows: dict[str, Rows] = {"topics": Rows(), "words": Rows()}
    with threadpool_limits(1):
        for kind, row in [*_of_web(web, classifier), *_of_demo(demo)]:
            rows[kind].append(row)
    return rows


def _of_web(web: Path, classifier: str) -> Iterator[tuple[str, dict[str, object]]]:
    with AnalysedWeb(web) as analysed:
        pages = Pages.of(analysed, words=False)
        for subject in track(subjects_of(web), web_name(web), console=STDERR):
            pupil = Pupil.of(subject, analysed)
            tested = pupil.tested()
            answers = trained(pages, pupil, tested, classifier)
            measures = answers.measures(pupil.truth[tested]) | _elsewhere(pages, pupil, tested, answers)
            yield "topics", {"topic": subject.topic.name, **measures}
            yield "words", {"web": "web", **_by_words(pages, pupil)}


def _of_demo(web: Path) -> Iterator[tuple[str, dict[str, object]]]:
    with AnalysedWeb(web) as analysed:
        pages = Pages.of(analysed, words=False)
        for subject in subjects_of(web):
            yield "words", {"web": "demo", **_by_words(pages, Pupil.of(subject, analysed))}


def _elsewhere(pages: Pages, pupil: Pupil, tested: Numbers, answers: Answers) -> dict[str, float | None]:
    """Return how good the answers are on sites without a relevant example, if they have enough."""
    known = {site_of(pages.pages[row].url) for row in pupil.relevant.tolist()}
    here = ~pages.is_of(known, tested)
    truth = pupil.truth[tested][here]
    measures = answers.on(here).measures(truth) if truth.sum() >= FEWEST else {}
    return {f"elsewhere_{name}": measures.get(name) for name in ("f1", "ap_points")}


def _by_words(pages: Pages, pupil: Pupil) -> dict[str, object]:
    """Return how good the topic's words are alone, on every page."""
    model = TopicModel.cold(pupil.topic, Analyzer(pupil.topic.language))
    found = np.array([model.classifier.relevance(page) for page in pages.pages])
    answers = Answers(found >= model.threshold, found, found, 0.0, 0.0)
    return {"topic": pupil.topic.name, **answers.measures(pupil.truth)}
