"""Nine crawlers that differ in the priority function alone: Batsakis et al. 2009, Figures 4 to 8 and Table 1.

    .venv/bin/python benchmarks/study.py batsakis --web ../shared/webs/openweb.warc.gz \
        --into docs/research/batsakis.md --plots docs/research/batsakis

Pages and all texts are judged by the paper's Eq. 1 and 2 (`FOCUSED_CLASSIFIER=vsm`). What was found is
counted afterwards, by the web's ground truth and by the paper's judge: the largest cosine of a page with the
topic's relevant examples. The paper's 10,000 pages are |T| here, as many as are relevant.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from benchmarks.harness import PROCESSES, Names, Processes, Report, in_processes, temporary_folder
from benchmarks.meter import Meter
from benchmarks.studies.chakrabarti_plots import lines_panel
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start, prepared, subjects_of, unsteered
from benchmarks.tables import Rows
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_seed_sets
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.weighting import RAW, count_matrix, section_counts, tfidf, vocabulary
from focused_crawler.report.panels import Line, Panel
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import HUES, LOOKS

SPEC = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PAPER = SPEC["paper"]  # strategy -> what the paper calls it, its harvest rate and its minutes
TRUTH, NEAR, AS_MANY = JUDGES = "truth", "cosine > .75", "cosine, as many"
CUT = 0.75
HALVES = "words tell", "words mislead"
STEPS = 100  # of a curve
POINTS = {"2,000": 0.2, "5,000": 0.5, "10,000": 1.0}  # pages of the paper, and as a part of |T|


class Judged(NamedTuple):
    """A topic, which pages each judge calls relevant, and what judges and keywords are worth."""

    subject: Subject
    relevant: Mapping[str, Mask]
    row: dict[str, Any]


def measure(
    *,
    web: Annotated[Path, "a WARC file with its topics beside it"],
    topics: Names = "",
    seed_sets: Names = "",
    processes: Processes = PROCESSES,
    plots: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Crawl each topic from each seed set with each crawler."""
    subjects = choose_seed_sets(subjects_of(web, topics), seed_sets)
    with temporary_folder() as folder:
        bench = unsteered(prepared(folder, subjects, processes, {"FOCUSED_CLASSIFIER": "vsm"}))
        about = judged(bench, subjects)
        found = in_processes(partial(crawls, bench=bench), about, processes, "topics")
    runs = Rows(row for rows in found for row in rows)
    if plots:
        draw(plots, runs)
    rows = {"topics": Rows(dict(one.row) for one in about), "runs": Rows(points(runs))}
    return Report(rows | {"claims": Rows(claims(rows["runs"]))})


def judged(bench: Bench, subjects: Sequence[Subject]) -> list[Judged]:
    """Return the topics, those first whose keywords tell best which pages are relevant.

    The first half of them stands for the paper's topics 1 to 5, the others for its 6 to 10.
    """
    web = bench.web(subjects[0])
    pages = [section_counts(web.page(number).sections, RAW) for number in range(len(web))]
    terms = vocabulary(pages)
    idf = map(TermStatistics.for_language(subjects[0].topic.language).idf, terms)
    vectors = tfidf(count_matrix(pages, terms), np.array(list(idf)))
    found = []
    for subject in subjects:
        crawler = ClassifierCrawler(bench, subject)
        named = map(web.number, subject.topic.relevant_examples)
        examples = [number for number in named if number is not None]
        nearest = (vectors @ vectors[examples].T).toarray().max(axis=1)
        truth, level = crawler.relevant, np.sort(nearest)[-crawler.targets]
        words = np.argsort([-value for value in crawler.known.values()], kind="stable")[: crawler.targets]
        relevant = {TRUTH: truth, NEAR: nearest > CUT, AS_MANY: nearest >= level}
        row = {
            "topic": subject.topic.name,
            "relevant": crawler.targets,
            "near": int(relevant[NEAR].sum()),
            "near_right": float(truth[relevant[NEAR]].mean()),
            "level": float(level),
            "level_right": float(truth[relevant[AS_MANY]].mean()),
            "words_right": float(truth[words].mean()),
        }
        found.append(Judged(subject, relevant, row))
    found.sort(key=lambda one: -one.row["words_right"])
    for place, one in enumerate(found):
        one.row["half"] = HALVES[2 * place >= len(found)]
    return found


def crawls(about: Judged, bench: Bench) -> list[dict[str, object]]:
    """Return a row a crawl and judge, with its curve: relevant pages found over |T|."""
    crawler, rows = ClassifierCrawler(bench, about.subject), []
    grid = np.round(np.linspace(0, crawler.pages, STEPS + 1)).astype(int)
    for strategy, seed_set in ((name, seeds) for name in PAPER for seeds in about.subject.seed_sets):
        analyst, meter = crawler.analyst(strategy), Meter()
        with meter.running():
            visits = crawler.simulated(analyst, Start(seed_set)).visits
        of_crawl = {
            "web": about.subject.web_name,
            "topic": about.subject.topic.name,
            "half": about.row["half"],
            "seed_set": seed_set,
            "strategy": strategy,
            "ms": 1000 * meter.cpu / len(visits),
            **PAPER[strategy],
        }
        for judge, relevant in about.relevant.items():
            found = np.zeros(crawler.pages + 1)
            found[1 : len(visits) + 1] = relevant[visits]
            rows.append({**of_crawl, "judge": judge, "curve": found.cumsum()[grid] / crawler.targets})
    return rows


def points(runs: Rows) -> Iterator[dict[str, object]]:
    """Yield the harvest rates of crawls, in percent, where the paper has its checkpoints."""
    for run in runs:
        for pages, part in POINTS.items():
            yield {**run, "pages": pages, "harvest": 100 * run["curve"][int(part * STEPS)] / part}


def claims(runs: Rows) -> Iterator[dict[str, object]]:
    """Yield how far the one crawler is ahead of the other in each setting, as the paper says it is."""
    keys = ("judge", "web", "topic", "seed_set")
    for claim in SPEC["claim"]:
        where = {name: claim[name] for name in ("pages", "half") if name in claim}
        one, other = (runs.where(**where, strategy=claim[side]).by(*keys) for side in ("one", "other"))
        ahead = Rows(
            {**claim, **mine[0], "ahead": mine.value("harvest") - other[key].value("harvest")}
            for key, mine in one.items()
        )
        for of_topic in ahead.by("judge", "topic").values():
            of_topic[0]["topics"] = float(of_topic.value("ahead") > 0)
        yield from ahead


def draw(folder: Path, runs: Rows) -> None:
    """Draw the paper's figures, a panel a judge."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in SPEC["figure"].items():
        rows = runs.where(**figure["rows"])
        if rows:
            panels = [_panel(judge, rows.where(judge=judge), figure["rows"]["strategy"]) for judge in JUDGES]
            Plot(name, figure["title"], SPEC["note"], panels, 3, (3.4, 2.9), is_shared=True).save(folder)


def _panel(judge: str, rows: Rows, strategies: Sequence[str]) -> Panel:
    lines, x = [], np.linspace(0, 1, STEPS + 1)
    for strategy, color, look in zip(strategies, HUES[1:], LOOKS[1:], strict=False):
        topics = rows.where(strategy=strategy).by("topic").values()
        mean = np.mean([np.mean([row["curve"] for row in mine], axis=0) for mine in topics], axis=0)
        lines.append(Line(PAPER[strategy]["name"], x, mean, color, look.dashes, 1.8))

    return lines_panel(judge, lines, "pages fetched, in |T|", top=max(line.last for line in lines))
