"""Whether `scrapy train` points out examples that are mislabelled: some of a topic's labels are flipped.

    .venv/bin/python benchmarks/study.py mislabelled --web ../shared/webs/openweb.warc.gz \
        --into docs/research/training.md

Each topic has 30 relevant and 60 other examples, drawn at random by the ground truth, three times. A flipped
one is given the other label. Found: flipped ones among those that are pointed out, five at most.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from rich.progress import track

from benchmarks.harness import OPEN_WEB, STDERR, Report
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.web_classifiers import DEFAULT, Pages, Pupil
from benchmarks.tables import Rows
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

RELEVANT, OTHER = 30, 60
FLIPPED = ((0, 0), (1, 1), (2, 2), (3, 6))
"""Relevant and other examples whose labels are wrong."""


def pointed_out(pages: Pages, pupil: Pupil, flipped: tuple[int, int], classifier: str) -> dict[str, int]:
    """Train from examples of which the first so many have the wrong label, and count what is pointed out."""
    wrong, right = zip(*map(np.split, (pupil.relevant, pupil.other), ([n] for n in flipped)), strict=True)
    kinds = ([*right[0], *wrong[1]], [*right[1], *wrong[0]], pupil.background)
    relevant, other, background = ([pages.web.page(int(row)) for row in rows] for rows in kinds)
    topic, settings = pupil.topic, ClassifierSettings(classifier=classifier)
    _, report = train(topic, relevant, other, settings, Analyzer(topic.language), background=background)
    false = {pages.web.urls[int(row)] for rows in wrong for row in rows}
    told = {suspect.url for suspect in report.suspects}
    return {"labels": len(false), "told": len(told), "found": len(told & false)}


def measure(
    *,
    web: Path = OPEN_WEB,
    topics: Annotated[str, "names, with commas between (default: all)"] = "",
    draws: Annotated[int, "sets of examples a topic"] = 3,
    classifier: str = DEFAULT,
) -> Report:
    """Flip, train, and look at what is pointed out."""
    rows = Rows()
    with AnalysedWeb(web) as analysed:
        pages = Pages.of(analysed, words=False)
        pupils = [Pupil.of(subject, analysed) for subject in subjects_of(web, topics)]
        tries = [(pupil, draw) for pupil in pupils for draw in range(draws)]
        for pupil, draw in track(tries, "Flipping labels", console=STDERR):
            drawn = pupil.drawn(RELEVANT, OTHER, draw)
            for flipped in FLIPPED:
                found = pointed_out(pages, drawn, flipped, classifier)
                rows.append({"topic": pupil.topic.name, "flipped": "{} + {}".format(*flipped), **found})
    return Report({"labels": rows})
