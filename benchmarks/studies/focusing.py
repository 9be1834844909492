"""Precision, recall and accuracy with and without focusing: Table 3 of Subatra Devi 2017, on a recorded web.

    .venv/bin/python benchmarks/study.py focusing ../shared/webs/openweb.warc.gz

Each topic is crawled by content_link_sibling, once with each threshold, and breadth-first. Her table counts
the pages of all links that a crawl met: retrieved or not, relevant or not. Hers are relevant if the URL has
the topic's words in it (judge "url"); the web's ground truth judges, too, which no crawl sees. Models are
trained first, into --models, and not again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

from benchmarks.harness import PROCESSES, ROOT, Names, Processes, Report, in_processes
from benchmarks.studies.crawls import ClassifierCrawler, Start, bench_of, prepared, subjects_of
from benchmarks.tables import Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.link_scoring.content_link_sibling import KeywordsInUrl

WITHOUT = "breadth_first"


def measure(
    web: Annotated[Path, "a WARC file with its topics beside it"],
    *,
    topics: Names = "",
    pages: Annotated[int, "of a crawl (default: the relevant ones)"] = 0,
    seed_set: str = "a",
    thresholds: Annotated[str, "with commas between"] = "2.1,1,0.5,4,8",
    weights: Annotated[str, "of content, link and siblings"] = "0.2,0.2,0.3",
    models: Path = ROOT / "models/focusing",
    processes: Processes = PROCESSES,
) -> Report:
    """Crawl each topic with each threshold, and without focusing."""
    subjects = subjects_of(web, topics)
    bench, benches = prepared(models, subjects, processes), {}
    for threshold in thresholds.split(","):
        options = {"FOCUSED_LEARNING_THRESHOLD": threshold, "FOCUSED_LEARNING_WEIGHTS": weights}
        benches[threshold] = bench_of(models, options)
    work = partial(crawls, benches={WITHOUT: bench} | benches, seed_set=seed_set, pages=pages)
    found = in_processes(work, subjects, processes, "topics")
    return Report({"crawls": Rows(row for rows in found for row in rows)})


def crawls(
    subject: Subject, benches: Mapping[str, Bench], seed_set: str, pages: int
) -> list[dict[str, object]]:
    """Make a crawl by each bench, and look at the pages that it met."""
    rows = []
    for name, bench in benches.items():
        crawler = ClassifierCrawler(bench, subject, pages)
        analyst = crawler.analyst(WITHOUT if name == WITHOUT else "content_link_sibling")
        fetched = set(crawler.simulated(analyst, Start(seed_set)).visits)
        met = fetched.union(*(crawler.web.graph.out(page).tolist() for page in fetched))
        in_url = KeywordsInUrl(analyst.model.keywords, analyst.analyzer)
        judges: dict[str, Callable[[int], bool]] = {
            "truth": lambda page, crawler=crawler: bool(crawler.relevant[page]),
            "url": lambda page, crawler=crawler, in_url=in_url: in_url.holds(crawler.web.urls[page]),
        }
        for judge, is_relevant in judges.items():
            matrix = ConfusionMatrix.from_pairs((page in fetched, is_relevant(page)) for page in met)
            rows.append(
                {
                    "topic": subject.topic.name,
                    "crawler": name,
                    "judge": judge,
                    **{name: getattr(matrix, name) for name in ("precision", "recall", "accuracy")},
                    "relevant": matrix.true_positive,
                    "retrieved": matrix.true_positive + matrix.false_positive,
                    "met": matrix.total,
                }
            )
    return rows
