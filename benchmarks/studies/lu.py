"""Lu et al. 2016 side by side with the paper: Figures 2 (classifier), 3 (harvest rate) and 4 (target recall).

    .venv/bin/python benchmarks/study.py lu --webs ../shared/webs/openweb.warc.gz,webs/demo.warc.gz \
        --data ../shared/classify --into docs/research/lu.md --plots docs/research/lu

The six crawlers with the paper's classifier, from each seed set of each topic, for as many pages as the
topic has relevant ones (|T|); the ground truth counts. Similarities are read in two ways: calibrated, and as
plain cosines. Both order anchors, contexts and blocks alike, so that only the crawlers with a threshold
differ. The classifier, TFIDF and ITFIDF as printed, judges the text sets.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
from scipy.stats import spearmanr

from benchmarks.harness import Names, Processes, Report, in_processes, temporary_folder
from benchmarks.studies.chakrabarti_plots import Bars, bars_panel, lines_panel
from benchmarks.studies.comparison import ITFIDF, TFIDF, as_printed
from benchmarks.studies.crawls import (
    ClassifierCrawler,
    Crawl,
    Floats,
    Start,
    bench_of,
    subjects_of,
    unsteered,
)
from benchmarks.studies.text_sets import TextSet
from benchmarks.studies.weighting import Tuner, count
from benchmarks.tables import NAN, Rows
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import prepare
from focused_crawler.report.panels import Line, Panel
from focused_crawler.report.plots import Plot

PAPER = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["paper"]
CRAWLERS = tuple(PAPER["harvest"])
READINGS = {"calibrated": CRAWLERS, "cosine": ("cbp", "lpe")}
"""Of similarities; which crawlers go another way by it."""

JUDGE = "naive_bayes"
"""The paper's classifier; of the six crawlers only best_first_content asks it."""

GRID = np.arange(1, 101) / 100
"""Where curves are taken, in pages fetched by |T|; the last is the budget."""

STAGES = {"|T|/2": 49, "|T|": 99}
"""Of the tables, and their place in the curves."""

WEIGHTINGS = {"TFIDF": TFIDF, "ITFIDF": ITFIDF}


def measure(
    *,
    webs: Annotated[str, "WARC files with their topics beside them; commas between"] = "",
    data: Annotated[Path | None, "the folder of the text sets"] = None,
    topics: Names = "",
    processes: Processes = 2,
    plots: Annotated[Path | None, "folder to draw into"] = None,
) -> Report:
    """Judge the documents of the sets, and crawl all webs."""
    files = [Path(name) for name in webs.split(",") if name]
    subjects = [subject for file in files for subject in subjects_of(file, topics)]
    sets = [data / name for name in PAPER["gain"] if (data / name).is_dir()] if data else []
    with temporary_folder() as folder:
        for subject in {one.web: one for one in subjects}.values():
            bench_of(folder).web(subject)  # before several processes need it
        made = in_processes(partial(crawl_topic, folder=folder), subjects, processes)
    return report(in_processes(judge, sets, processes, "sets"), made, plots)


def report(judged: Sequence[Rows], made: Sequence[tuple[Rows, Rows]], plots: Path | None) -> Report:
    """Return what sets and topics came to, beside what the paper says."""
    sets, crawls, links = (
        Rows(row for part in parts for row in part)
        for parts in (judged, [one for one, _ in made], [one for _, one in made])
    )
    if plots:
        draw(plots, sets, crawls)
    said = {kind: PAPER[kind] for kind in ("harvest", "recall")}
    paper = [{kind: of[name] for kind, of in said.items()} | {"crawler": name} for name in CRAWLERS]
    staged = Rows(row | at for row in crawls for at in _stages(*row["curves"]))
    about = {"web": "Lu et al.", "reading": "", "stage": "10,000"}
    rows = {"sets": sets, "crawls": crawls, "staged": staged, "gains": Rows(gains(sets))}
    rows["beside"] = Rows([*(about | row for row in paper), *staged])
    return Report(rows | {"orders": Rows(orders(staged)), "followed": Rows(pooled(links))})


def _stages(harvest: Floats, recall: Floats) -> Iterator[dict[str, object]]:
    for stage, place in STAGES.items():
        yield {"stage": stage, "harvest": harvest[place], "recall": recall[place]}


# The classifier


def judge(folder: Path) -> Rows:
    """Return precision, recall and F1 of each topic of a set, by the classifier as printed; in points."""
    documents, rows = TextSet.read(folder), Rows()
    train, test = count(documents)
    tuner = Tuner(train, test, documents.is_single)
    for name, weighting in WEIGHTINGS.items():
        decided = as_printed(tuner, weighting).decided
        for topic, said, truth in zip(documents.topics, decided.T, test.topics.T, strict=True):
            matrix = ConfusionMatrix.from_pairs(zip(said.tolist(), truth.tolist(), strict=True))
            shares = {"precision": matrix.precision, "recall": matrix.recall, "f1": matrix.f1}
            points = {kind: 100 * share for kind, share in shares.items()}
            rows.append({"set": folder.name, "topic": topic, "weighting": name, **points})
    return rows


def gains(sets: Rows) -> Iterator[dict[str, object]]:
    """Yield mean F1 of each set, and what ITFIDF has more, beside the paper's."""
    for (name,), mine in sets.by("set").items():
        means = {weighting: mine.where(weighting=weighting).value("f1") for weighting in WEIGHTINGS}
        more = means["ITFIDF"] - means["TFIDF"]
        yield {"set": name, **means, "more": more, "paper": PAPER["gain"][name]}


# The crawlers


def crawl_topic(subject: Subject, folder: Path) -> tuple[Rows, Rows]:
    """Make all crawls of a topic; return what each came to, and which links LPE followed."""
    bench = unsteered(bench_of(folder, {"FOCUSED_CLASSIFIER": JUDGE}))
    bench = replace(bench, classifier=replace(bench.classifier, classifier=JUDGE))
    prepare(bench, subject)
    crawls, links = Rows(), Rows()
    for reading, names in READINGS.items():
        options = tuple(replace(one, similarity=reading) for one in bench.config.strategy_options)
        read = replace(bench, config=replace(bench.config, strategy_options=options))
        crawler = ClassifierCrawler(read, subject)
        for seeds in subject.seed_sets:
            about = {"web": subject.web_name, "topic": subject.topic.name, "seed_set": seeds}
            made = {name: crawler.crawl(name, Start(seeds)) for name in names}
            for name, crawl in made.items():
                readings = [one for one, others in READINGS.items() if name not in others or one == reading]
                row = {**about, "crawler": name, **outcome(crawl)}
                crawls += [row | {"reading": one} for one in readings]
            differs = not np.array_equal(made["lpe"].visits, made["cbp"].visits)
            links.append({**about, "reading": reading, "differs": differs, **followed(crawler, made["lpe"])})
    return crawls, links


def outcome(crawl: Crawl) -> dict[str, object]:
    """Return how long a crawl was, and its harvest rate and target recall on the way.

    One that ran dry keeps both from there on: it is not charged for pages that it did not fetch.
    """
    pages = np.maximum(1, np.rint(GRID * crawl.targets)).astype(int)
    fetched = np.minimum(pages, len(crawl.visits))
    found = np.cumsum(crawl.hits)[fetched - 1]
    curves = found / fetched, found / crawl.targets
    return {"pages": len(crawl.visits), "dry": crawl.is_dry, "curves": curves}


def followed(crawler: ClassifierCrawler, crawl: Crawl) -> dict[str, int]:
    """Count the links that LPE follows, a page and URL each, and those in no relevant block of their page.

    CBP follows those in relevant blocks; JFE alone lets the others through. Of the links to pages of the
    web (known), it counts how many lead to relevant ones (right).
    """
    web, counts = crawler.web, Counter[str]()
    scorers = [crawler.analyst(name).order.scorer for name in ("lpe", "cbp")]
    for page in map(web.page, crawl.visits.tolist()):
        both, block = (
            {
                link.url
                for link, score in zip(page.links, scorer.score(page, page.links), strict=True)
                if score
            }
            for scorer in scorers
        )
        for kind, urls in (("block", both & block), ("jfe", both - block)):
            numbers = [number for number in map(web.number, urls) if number is not None]
            counts[kind] += len(urls)
            counts[f"{kind}_known"] += len(numbers)
            counts[f"{kind}_right"] += int(crawler.relevant[numbers].sum())
    return counts


def pooled(links: Rows) -> Iterator[dict[str, object]]:
    """Yield the shares of links by topic, and of all topics of a web together."""
    keys = ("web", "reading", "topic")
    whole = Rows({**row, "topic": "all"} for row in links)
    for key, mine in (links.by(*keys) | whole.by(*keys)).items():
        sums = {name: mine.measure(name).sum for name in mine[0] if name.startswith(("block", "jfe"))}
        yield {
            **dict(zip(keys, key, strict=True)),
            **sums,
            "crawls": len(mine),
            "differs": mine.measure("differs").sum,
            "links": sums["block"] + sums["jfe"],
            "share": sums["jfe"] / max(1, sums["block"] + sums["jfe"]),
            **{
                f"of_{kind}": sums[f"{kind}_right"] / (sums[f"{kind}_known"] or NAN)
                for kind in ("block", "jfe")
            },
        }


def orders(crawls: Rows) -> Iterator[dict[str, object]]:
    """Yield the order of the crawlers by their means, and its rank correlation with the paper's."""
    for key, mine in crawls.by("web", "reading", "stage").items():
        about = dict(zip(("web", "reading", "stage"), key, strict=True))
        for kind in ("harvest", "recall"):
            means = {name: mine.where(crawler=name).value(f"{kind}.by_topic") for name in CRAWLERS}
            same = float(spearmanr(list(means.values()), list(PAPER[kind].values())).statistic)
            order = ", ".join(sorted(means, key=lambda name: -means[name]))
            yield {**about, "measure": kind, "order": order, "correlation": same}


# Plots


def draw(folder: Path, sets: Rows, crawls: Rows) -> None:
    """Draw the three figures."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [list(_bars(sets)), *(list(_lines(crawls, kind)) for kind in (0, 1))]
    for (file, text), panels in zip(PAPER["figures"].items(), drawn, strict=True):
        if panels:
            Plot(file, *text.values(), panels, 2, (5.4, 2.9), is_shared=True).save(folder)


def _bars(sets: Rows) -> Iterator[Panel]:
    for (name,), mine in sets.by("set").items():
        heights = [np.array(of.measure("f1").values) for of in mine.by("weighting").values()]
        bars = [Bars(*one) for one in zip(WEIGHTINGS, ("series-0", "series-1"), heights, strict=True)]
        yield bars_panel(name, bars, [str(one + 1) for one in range(len(heights[0]))], "topic")


def _lines(crawls: Rows, kind: int) -> Iterator[Panel]:
    for (web, reading), mine in crawls.by("web", "reading").items():
        lines = []
        for place, name in enumerate(CRAWLERS):
            topics = mine.where(crawler=name).by("topic").values()
            means = [np.mean([row["curves"][kind] for row in rows], axis=0) for rows in topics]
            lines.append(Line(name, GRID, np.mean(means, axis=0), f"series-{place}", (), 1.8))
        yield lines_panel(f"{web}, {reading}", lines, "pages fetched, by |T|")
