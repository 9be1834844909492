"""How right the monitor's alarms are, and the estimate of what is left, on a web whose truth is known.

    .venv/bin/python benchmarks/estimate.py --web ../shared/webs/openweb.warc.gz --into docs/monitor.md

Crawls each topic from each seed set, for four times as many pages as it has relevant ones. A crawl is asked
for its estimate when it has half as many pages as the topic has relevant ones, as many, and twice as many.
The ground truth says afterwards what was left that links lead to. Traces are kept in `--folder`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.classifier_tables import Grid, put_into
from benchmarks.estimate_study import ESTIMATED, STAGES, WATCHED, Guess, Watched, study
from benchmarks.focus_crawls import bench_of
from focused_crawler.experiment.grid import find_subjects
from focused_crawler.experiment.taxonomy import teach
from focused_crawler.experiment.training import prepare

METHODS = {
    "ours": "ours: by score and host, and by host",
    "score": "score alone",
    "host": "host alone",
    "chao": "Chao1 of in-links",
    "growth": "growth curve",
    "known": "the truth, of pages in the frontier",
}


def by_method(guesses: Sequence[Guess]) -> Grid:
    """Return the median error of each method, as a part of all relevant pages."""
    head = [
        "method",
        *(f"at {stage}" for stage in STAGES),
        "all",
        *(f"truth: at {stage}" for stage in STAGES),
        "all",
    ]
    grid = Grid("methods", "Median error of the sum of found and left", head)
    for method, name in METHODS.items():
        cells = []
        for judge in (0, 1):
            errors = {
                stage: [g.error(method, judge) for g in guesses if g.stage == stage] for stage in STAGES
            }
            cells += [f"{median(errors[stage]):.2f}" for stage in STAGES]
            cells.append(f"{median(chain.from_iterable(errors.values())):.2f}")
        grid.add(name, *cells)
    return grid


def by_stage(guesses: Sequence[Guess]) -> Grid:
    """Return estimate and truth by strategy and stage."""
    head = ["strategy", "at", "found", "left, by classifier", "left, by truth", "estimate", "low", "high"]
    head += [
        "error of all, classifier",
        "truth",
        "error of rest, classifier",
        "truth",
        "interval holds, classifier",
    ]
    grid = Grid("stages", "Medians", [*head, "truth"])
    for strategy in ESTIMATED:
        for stage in STAGES:
            mine = [g for g in guesses if (g.strategy, g.stage) == (strategy, stage)]
            counts = [
                median(g.found[0] for g in mine),
                *(median(g.left[judge] for g in mine) for judge in (0, 1)),
            ]
            counts += [median(getattr(g.interval, name) for g in mine) for name in ("middle", "low", "high")]
            errors = [median(g.error("ours", judge) for g in mine) for judge in (0, 1)]
            errors += [median(g.error_of_rest(judge) for g in mine) for judge in (0, 1)]
            errors += [np.mean([g.holds(judge) for g in mine]) for judge in (0, 1)]
            grid.add(
                strategy, stage, *(f"{count:,.0f}" for count in counts), *(f"{error:.2f}" for error in errors)
            )
    return grid


def by_strategy(watched: Sequence[Watched]) -> Grid:
    """Return how right the alarms were."""
    head = ["strategy", "crawls", "harvest ended", "without an alarm", "of these dry"]
    head += ["alarms before the end", "false", "first alarm at, in |T|", "of what it found in the end"]
    grid = Grid("alarms", "Alarms", head)
    for strategy in WATCHED:
        mine = [w for w in watched if w.strategy == strategy]
        ended = [w for w in mine if w.has_ended]
        counts = [len(mine), len(ended), sum(w.is_silent for w in ended), sum(w.is_dry for w in ended)]
        counts += [sum(w.alarms for w in mine), sum(w.false for w in mine)]
        firsts = [w.first for w in mine if w.first is not None]
        shares = [w.found_at_first for w in mine if w.found_at_first is not None]
        middles = (f"{median(values):.2f}" if values else "-" for values in (firsts, shares))
        grid.add(strategy, *map(str, counts), *middles)
    return grid


def figures(guesses: Sequence[Guess], watched: Sequence[Watched]) -> Iterator[tuple[str, float]]:
    """Yield the figures by name."""
    for judge, name in enumerate(("classifier", "truth")):
        yield f"estimate_error_{name}", median(g.error("ours", judge) for g in guesses)
        yield f"estimate_rest_error_{name}", median(g.error_of_rest(judge) for g in guesses)
        yield f"interval_coverage_{name}", float(np.mean([g.holds(judge) for g in guesses]))
    ended = [w for w in watched if w.has_ended]
    yield "alarms", sum(w.alarms for w in watched)
    yield "alarms_false", sum(w.false for w in watched)
    yield "ended", len(ended)
    yield "ended_without_alarm", sum(w.is_silent for w in ended)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, required=True, help="a WARC file with its topics beside it")
    parser.add_argument("--topics", default="", help="names, with commas between (default: all)")
    parser.add_argument(
        "--folder", type=Path, default=Path("experiments/estimate"), help="for models and traces"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--into", type=Path, help="document whose tables are to be written")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    subjects, bench = find_subjects([chosen.web.resolve()], chosen.topics, None), bench_of(chosen.folder)
    bench.web(subjects[0])
    strategies = dict.fromkeys([*ESTIMATED, *WATCHED])
    tasks = [
        (subject, seeds, name) for name in strategies for subject in subjects for seeds in subject.seed_sets
    ]
    with ProcessPoolExecutor(chosen.processes) as pool:
        list(pool.map(partial(prepare, bench), subjects))
        teach(bench, subjects)
        outcomes = list(pool.map(partial(study, bench=bench), tasks))
    guesses = [guess for outcome in outcomes for guess in outcome.guesses]
    watched = [outcome.watched for outcome in outcomes if outcome.watched]
    grids = [by_method(guesses), by_stage(guesses), by_strategy(watched)]
    Console(width=200).print(*(grid.shown() for grid in grids))
    if chosen.into:
        put_into(chosen.into, grids)
    if chosen.json:
        chosen.json.write_text(json.dumps({"figures": dict(figures(guesses, watched))}, indent=2) + "\n")


if __name__ == "__main__":
    main()
