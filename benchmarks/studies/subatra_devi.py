"""Content, link and sibling learning: Subatra Devi 2017, Table 3 and Figures 4 to 8, on a recorded web.

    .venv/bin/python benchmarks/study.py subatra_devi --web ../shared/webs/openweb.warc.gz \
        --into docs/research/subatra_devi.md --plots docs/research/subatra_devi

Each topic is crawled by content_link_sibling, with each threshold and both of her weights, and breadth-first.
Her table counts the pages of all links that a crawl met: retrieved or not, relevant or not. Hers are relevant
if the URL contains a keyword (judge "URL"); the web's ground truth judges as well. Nothing is learnt from
examples: a sibling is relevant by its keywords (`FOCUSED_CLASSIFIER=vsm`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Annotated

import numpy as np

from benchmarks.harness import PROCESSES, Names, Processes, Report, in_processes
from benchmarks.studies.chakrabarti_plots import lines_panel
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start, bench_of, subjects_of, unsteered
from benchmarks.tables import Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.experiment.grid import Subject
from focused_crawler.link_scoring.content_link_sibling import KeywordsInUrl
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.panels import Line
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import HUES, LOOKS

WITH, WITHOUT = "content_link_sibling", "breadth_first"
WEIGHTS = "0.2,0.2,0.3", "0.1,0.2,0.3"  # of content, link and siblings
HERS = 2.1
NOTE = """\
Share of the web's relevant pages that are among the first N: with her threshold, 2.1, and both weights, \
and breadth-first. Where a crawl has nothing left to fetch, its line goes on level."""


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    pages: Annotated[str, "N, with commas between"] = "2000,4000,6000,8000,10000,12000",
    seed_set: str = "a",
    thresholds: Annotated[str, "with commas between"] = "0.5,1,2.1,4,8",
    processes: Processes = PROCESSES,
    plots: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Crawl each topic with each threshold and weights, and without focusing."""
    options = [(WITHOUT, "", "")] + [(WITH, *one) for one in product(WEIGHTS, thresholds.split(","))]
    work = partial(crawls, options=options, seed_set=seed_set, pages=[*map(int, pages.split(","))])
    found = in_processes(work, subjects_of(web, topics), processes, "topics")
    rows = Rows(row for of_topic in found for row in of_topic)
    if plots:
        draw(plots, rows.where(threshold=["", str(HERS)]))
    return Report({"crawls": rows})


def crawls(
    subject: Subject, options: Sequence[tuple[str, str, str]], seed_set: str, pages: Sequence[int]
) -> list[dict[str, object]]:
    """Return a row a crawl, judge and N."""
    rows, known = [], dict[int, float]()  # pages are judged by the topic's words alone: the same for all
    in_url = KeywordsInUrl(subject.topic.keywords, Analyzer(subject.topic.language))
    judges: dict[str, Mask] = {}
    for strategy, weights, threshold in options:
        names = ("FOCUSED_LEARNING_WEIGHTS", weights), ("FOCUSED_LEARNING_THRESHOLD", threshold)
        given = {"FOCUSED_CLASSIFIER": "vsm"} | {name: value for name, value in names if value}
        crawler = ClassifierCrawler(unsteered(bench_of(Path("untrained"), given)), subject, pages[-1])
        crawler.known = known
        visits = crawler.simulated(crawler.analyst(strategy), Start(seed_set)).visits
        judges = judges or {
            "truth": crawler.relevant,
            "URL": np.array([*map(in_url.holds, crawler.web.urls)]),
        }
        about = {"topic": subject.topic.name, "weights": weights, "threshold": threshold}
        rows += [{**about, **row} for row in counted(crawler, visits, judges, pages)]
    return rows


def counted(
    crawler: ClassifierCrawler, visits: Sequence[int], judges: Mapping[str, Mask], pages: Sequence[int]
) -> Iterator[dict[str, object]]:
    """Yield what a crawl has retrieved of all pages that it met, after each N."""
    got = np.zeros(len(crawler.web), dtype=np.bool_)
    met = got.copy()
    for first, last in pairwise((0, *pages)):
        for page in visits[first:last]:
            got[page] = met[page] = True
            met[crawler.web.graph.out(page)] = True
        for judge, relevant in judges.items():
            sides = (got & relevant, got & ~relevant, met & ~got & relevant, met & ~got & ~relevant)
            matrix = ConfusionMatrix(*(int(side.sum()) for side in sides))
            shares = {name: 100 * getattr(matrix, name) for name in ("precision", "recall", "accuracy")}
            yield {
                "judge": judge,
                "pages": last,
                "is_first": last == pages[0],
                **shares,
                "relevant": matrix.true_positive,
                "retrieved": int(got.sum()),
                "met": matrix.total,
                "of_all": matrix.true_positive / max(relevant.sum(), 1),
                "all": int(relevant.sum()),
            }


def draw(folder: Path, rows: Rows) -> None:
    """Draw her Figures 5 to 8, a panel a topic and a figure a judge."""
    folder.mkdir(parents=True, exist_ok=True)
    for (judge,), of_judge in rows.by("judge").items():
        panels = []
        for (topic,), of_topic in of_judge.by("topic").items():
            lines = []
            for ((weights,), mine), color, look in zip(
                of_topic.by("weights").items(), HUES[1:], LOOKS[1:], strict=False
            ):
                x, y = [0, *(row["pages"] for row in mine)], [0.0, *(row["of_all"] for row in mine)]
                name = f"weights {weights}" if weights else "breadth-first"
                lines.append(Line(name, x, y, color, look.dashes, 1.8))
            panels.append(lines_panel(topic, lines, "N"))
        title = f"Figures 5 to 8: relevant pages retrieved, by {judge}"
        file = f"figures_5_to_8_{judge.lower()}"
        Plot(file, title, NOTE, panels, 4, (3.1, 2.35), is_shared=True).save(folder)
