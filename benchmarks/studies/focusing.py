"""Precision, recall and accuracy with and without focusing: Table 3 of Subatra Devi 2017, on a recorded web.

    .venv/bin/python benchmarks/study.py focusing ../shared/webs/openweb.warc.gz

Each topic is crawled by content_link_sibling, once with each threshold, and breadth-first. Her table counts
the pages of all links that a crawl met: retrieved or not, relevant or not. Hers are relevant if the URL has
the topic's words in it; here the web's ground truth judges, which no crawl sees. Models are trained first,
into --models, and not again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from benchmarks.harness import PROCESSES, ROOT, Names, Processes, Report, in_processes
from benchmarks.studies.crawls import bench_of, config_of, known_to, subjects_of
from benchmarks.tables import Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import prepare
from focused_crawler.frontier.base import Rules

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
    bench, subjects = bench_of(models), subjects_of(web, topics)
    bench.web(subjects[0])  # analyses it, before several processes need it
    ways = [{"FOCUSED_STRATEGY": WITHOUT}]
    for threshold in thresholds.split(","):
        options = {"FOCUSED_LEARNING_THRESHOLD": threshold, "FOCUSED_LEARNING_WEIGHTS": weights}
        ways.append({"FOCUSED_STRATEGY": "content_link_sibling", **options})
    work = partial(crawls, bench=bench, seed_set=seed_set, pages=pages, ways=ways)
    found = in_processes(work, subjects, processes, "topics")
    return Report({"crawls": Rows(row for rows in found for row in rows)})


def crawls(
    subject: Subject, bench: Bench, seed_set: str, pages: int, ways: Sequence[dict[str, str]]
) -> list[dict[str, object]]:
    """Train the topic's model, and make one crawl for each set of options."""
    prepare(bench, subject)
    web, known = bench.web(subject), known_to(bench, subject)
    relevant = truth_of(bench, subject).among(web.urls)
    rows = []
    for given in ways:
        config = config_of({"FOCUSED_MODELS": str(bench.models(subject)), **given})
        seeds, budget = subject.seed_sets[seed_set], pages or int(relevant.sum())
        visits = simulate(
            Analyst.make(config, subject.topic), web, seeds, budget, Rules(), relevance=known
        ).visits
        fetched = set(visits)
        met = fetched.union(*(web.graph.out(page).tolist() for page in visits))
        matrix = ConfusionMatrix.from_pairs((page in fetched, bool(relevant[page])) for page in met)
        rows.append(
            {
                "topic": subject.topic.name,
                "crawler": given.get("FOCUSED_LEARNING_THRESHOLD", WITHOUT),
                **{name: getattr(matrix, name) for name in ("precision", "recall", "accuracy")},
                "relevant": matrix.true_positive,
                "retrieved": matrix.true_positive + matrix.false_positive,
                "met": matrix.total,
            }
        )
    return rows
