"""What lists of sites and hubs bring: a crawl, and a second one that starts from the lists of the first.

    .venv/bin/python benchmarks/lists.py ../shared/webs/openweb.warc.gz

Both crawls fetch |T| pages, as many as are relevant, from the same start pages of the topic. The lists count
relevant pages by the crawler's own classifier; harvest is judged by the web's ground truth, which no crawl
and no list sees. Area: under R(n), n = 1..|T|, as a share of that of a crawl that fetches nothing but
relevant pages. New relevant: relevant pages that the first crawl did not have, as a share of |T|. Models are
trained first, into --models, and not again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.focus_crawls import bench_of
from benchmarks.lists_crawls import listed
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_seed_sets, find_subjects
from focused_crawler.experiment.training import prepare

ROOT = Path(__file__).resolve().parent.parent
STRATEGIES = "link_classifier,best_first_content_anchor,thesaurus,lpe"
WAYS = {"first": (False, 0.0), "seeds": (True, 0.0), "priors": (False, 0.25), "both": (True, 0.25)}
"""Whether the crawl starts from the lists, and the weight that they have in the scores of links."""
MAIN = "both"
SAME = 0.0005
"""Areas that differ by less are shown as equal."""


class Row(NamedTuple):
    """The first and the second crawls of a setting, by way."""

    strategy: str
    topic: str
    seed_set: str
    pages: int
    seeds: int  # start pages from the lists
    area: dict[str, float]
    rate: dict[str, float]  # harvest rate at |T| pages
    new: dict[str, float]  # relevant pages that the first crawl did not have, as a share of |T|


def study(task: tuple[Subject, str, str], bench: Bench) -> Row:
    """Make all crawls of a setting."""
    subject, seed_set, strategy = task
    with TemporaryDirectory() as folder:
        outcome = listed(bench, subject, seed_set, strategy, WAYS, Path(folder))
    area = {way: _area(hits, outcome.pages) for way, hits in outcome.hits.items()}
    rate = {way: float(hits.sum()) / outcome.pages for way, hits in outcome.hits.items()}
    new = {way: number / outcome.pages for way, number in outcome.new.items()}
    return Row(strategy, subject.topic.name, seed_set, outcome.pages, outcome.seeds, area, rate, new)


def _area(hits: np.ndarray, pages: int) -> float:
    found = np.zeros(pages, dtype=np.int64)
    found[: len(hits)] = hits
    return float(found.cumsum().sum() / (pages * (pages + 1) / 2))


def table(rows: Sequence[Row], strategy: str) -> Table:
    """Return the crawls of a strategy, setting by setting."""
    shown = Table(title=f"{strategy}: a crawl, and one that starts from its lists", title_justify="left")
    for name in ("topic", "set"):
        shown.add_column(name)
    for name in ("pages", "seeds", "area", "second", "", "harvest", "second", "new relevant"):
        shown.add_column(name, justify="right")
    for row in (row for row in rows if row.strategy == strategy):
        change = row.area[MAIN] - row.area["first"]
        sign = "" if abs(change) < SAME else f"{change:+.3f}"
        areas = (f"{row.area['first']:.3f}", f"{row.area[MAIN]:.3f}", sign)
        rates = (f"{row.rate['first']:.3f}", f"{row.rate[MAIN]:.3f}")
        new = f"{row.new[MAIN]:.3f}"
        shown.add_row(row.topic, row.seed_set, f"{row.pages:,}", str(row.seeds), *areas, *rates, new)
    return shown


def summary(rows: Sequence[Row]) -> Table:
    """Return what each way brings, in the mean over topics, each the mean over its seed sets."""
    shown = Table(title="Means over topics; better: than the first crawl in area", title_justify="left")
    shown.add_column("strategy")
    shown.add_column("second crawl with")
    for name in ("area", "harvest", "new relevant", "topics better", "settings better", "equal"):
        shown.add_column(name, justify="right")
    for strategy, found in grouped(rows):
        for way in WAYS:
            means = (f"{_mean(found, 'area', way):.3f}", f"{_mean(found, 'rate', way):.3f}")
            second = (f"{_mean(found, 'new', way):.3f}", *_counts(found, way))
            rest = ("", "", "", "") if way == "first" else second
            shown.add_row(strategy, "(the first)" if way == "first" else way, *means, *rest)
        shown.add_section()
    return shown


def grouped(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for strategy in dict.fromkeys(row.strategy for row in rows):
        yield strategy, [row for row in rows if row.strategy == strategy]


def _by_topic(rows: Sequence[Row], measure: str, way: str) -> list[float]:
    topics = dict.fromkeys(row.topic for row in rows)
    return [mean(getattr(row, measure)[way] for row in rows if row.topic == topic) for topic in topics]


def _mean(rows: Sequence[Row], measure: str, way: str) -> float:
    return mean(_by_topic(rows, measure, way))


def _counts(rows: Sequence[Row], way: str) -> tuple[str, str, str]:
    changes = [row.area[way] - row.area["first"] for row in rows]
    pairs = list(zip(_by_topic(rows, "area", way), _by_topic(rows, "area", "first"), strict=True))
    topics = sum(second > first + SAME for second, first in pairs)
    better, equal = sum(change > SAME for change in changes), sum(abs(change) <= SAME for change in changes)
    return f"{topics} of {len(pairs)}", f"{better} of {len(rows)}", str(equal)


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """Return the means by strategy and way."""
    found: dict[str, float] = {}
    for strategy, mine in grouped(rows):
        for way in WAYS:
            found[f"area_{strategy}_{way}"] = _mean(mine, "area", way)
            found[f"harvest_{strategy}_{way}"] = _mean(mine, "rate", way)
            if way != "first":
                found[f"new_relevant_{strategy}_{way}"] = _mean(mine, "new", way)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument("--seed-sets", default="", help="the same (default: a, b and c of those there are)")
    parser.add_argument("--strategies", default=STRATEGIES)
    parser.add_argument("--models", type=Path, default=ROOT / "models/lists")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    bench = bench_of(chosen.models)
    found = find_subjects([chosen.web.resolve()], chosen.topics, None)
    there = {name for subject in found for name in subject.seed_sets}
    subjects = choose_seed_sets(found, chosen.seed_sets or ",".join(sorted(there & set("abc"))))
    bench.web(subjects[0])  # analyses it, before several processes need it
    tasks = [
        (subject, name, strategy)
        for strategy in chosen.strategies.split(",")
        for subject in subjects
        for name in subject.seed_sets
    ]
    with ProcessPoolExecutor(chosen.processes) as pool:
        list(pool.map(partial(prepare, bench), subjects))
        work = pool.map(partial(study, bench=bench), tasks)
        rows = list(track(work, "settings", len(tasks), console=Console(stderr=True)))
    console = Console(width=120)
    for strategy, _ in grouped(rows):
        console.print(table(rows, strategy))
    console.print(summary(rows))
    if chosen.json:
        chosen.json.write_text(json.dumps({"figures": figures(rows)}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
