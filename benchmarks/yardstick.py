"""How well pages are judged on a recorded web with ground truth, and from words alone on the demo web too.

    .venv/bin/python benchmarks/yardstick.py --web ../shared/webs/openweb.warc.gz --json figures.json

Two judges of each topic: the model that `scrapy train` makes of its examples, asked about all other pages,
and the topic's title, description and keywords alone, asked about every page. Ground truth is for this
benchmark only. What the judges were chosen by: docs/research/judge.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
from rich.progress import track
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import OPEN_WEB, STDERR, Report, main, temporary_folder
from benchmarks.studies.crawls import Numbers, subjects_of
from benchmarks.studies.web_classifiers import DEFAULT, Answers, Pages, Pupil, trained
from benchmarks.tables import Rows
from focused_crawler.classify.model import TopicModel
from focused_crawler.experiment.grid import web_name
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import site_of
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.demo import write_demo_web

FEWEST = 20
"""Relevant pages on sites without an example, for figures of these sites."""


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"] = OPEN_WEB,
    classifier: Annotated[str, "the method to train"] = DEFAULT,
) -> Report:
    """Judge the pages of the web and of the demo web."""
    rows: dict[str, Rows] = {"topics": Rows(), "words": Rows()}
    with temporary_folder() as folder, threadpool_limits(1):
        for kind, row in [*_of_web(web, classifier), *_of_demo(write_demo_web(folder))]:
            rows[kind].append(row)
    return Report(rows)


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


if __name__ == "__main__":
    main(measure, __doc__)
