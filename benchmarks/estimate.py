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
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.classifier_tables import Grid, put_into
from benchmarks.crawl_traces import EVERY, Stage, Trace, trace
from benchmarks.focus_crawls import bench_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, find_subjects
from focused_crawler.experiment.judge import truth_of
from focused_crawler.experiment.taxonomy import teach
from focused_crawler.experiment.training import prepare, relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.steering.estimate import EDGES, Estimate, Tally, band_of, estimate
from focused_crawler.steering.monitor import FrontierFacts, Monitor, Seen
from focused_crawler.virtualweb.graph import LinkGraph

ESTIMATED = ("link_classifier", "soft_focus", "best_first_content_anchor")
WATCHED = (
    "hard_focus",
    "soft_focus",
    "link_classifier",
    "best_first_content_anchor",
    "breadth_first",
    "unfocused",
)
STAGES = ("half", "once", "twice")
"""Pages fetched, by the number of relevant ones."""
TIMES = 4  # pages of a crawl, by the same
MORE = 1.2
"""An alarm is false if so many times as many relevant pages are found in the next |T| pages; a harvest has
ended where it is no more than that from there on."""
METHODS = {
    "ours": "ours: score and host, all and later half",
    "score": "score alone",
    "host": "host alone",
    "chao": "Chao1 of in-links",
    "growth": "growth curve",
    "known": "the truth, of pages in the frontier",
}
Mask = NDArray[np.bool_]


class Verdicts(NamedTuple):
    """Which pages of the web are relevant."""

    said: Mask  # by the crawler's own classifier
    true: Mask  # by the ground truth
    reachable: Mask  # from the seeds


@dataclass(frozen=True, slots=True)
class Guess:
    """What was said of a crawl at a stage, and what was so."""

    strategy: str
    stage: str
    methods: dict[str, float]
    interval: Estimate
    found: tuple[int, int]  # by classifier, by truth
    left: tuple[int, int]

    def error(self, method: str, judge: int) -> float:
        """How far off found and left together are, as a part of the true sum. 0: classifier, 1: truth."""
        total = self.found[judge] + self.left[judge]
        return abs(self.found[0] + self.methods[method] - total) / max(total, 1)

    def error_of_rest(self, judge: int) -> float:
        """How far the estimate is off, as a part of what was left."""
        return abs(self.methods["ours"] - self.left[judge]) / max(self.left[judge], 1)

    def holds(self, judge: int) -> bool:
        """Tell whether the interval holds what was left."""
        return self.interval.low <= self.left[judge] <= self.interval.high


@dataclass(frozen=True, slots=True)
class Watched:
    """The alarms of a crawl. Positions are in pages, as parts of |T|."""

    strategy: str
    kinds: tuple[str, ...]
    false: int
    first: float | None
    found_at_first: float | None  # share of what the crawl found in the end
    has_ended: bool
    is_dry: bool


class Outcome(NamedTuple):
    """One crawl."""

    guesses: list[Guess]
    watched: Watched | None


def study(task: tuple[Subject, str, str], bench: Bench) -> Outcome:
    """Make a crawl, or read its trace, and ask it."""
    subject, seed_set, strategy = task
    truth = truth_of(bench, subject)
    size = len(truth)
    stages = {size // 2: STAGES[0], size: STAGES[1], 2 * size: STAGES[2]} if strategy in ESTIMATED else {}
    told = trace(bench, subject, seed_set, strategy, TIMES * size, list(stages))
    web, scores = bench.web(subject), relevances(bench.models(subject) / subject.topic.name)
    threshold = analyst_of(bench, subject, "breadth_first").threshold
    seeds = [number for url in subject.seed_sets[seed_set] if (number := web.number(url)) is not None]
    verdicts = Verdicts(scores >= threshold, truth.among(web.urls), reachable(web.graph, seeds))
    guesses = [
        guess(told, stage, verdicts, strategy, stages[stage.pages])
        for stage in told.stages
        if stage.pages in stages
    ]
    monitor = Monitor(threshold)
    watched = watch(told, scores, verdicts, size, monitor, strategy) if strategy in WATCHED else None
    return Outcome(guesses, watched)


def reachable(graph: LinkGraph, seeds: Sequence[int]) -> Mask:
    """Return the pages that links lead to."""
    found = np.zeros(len(graph), dtype=np.bool_)
    waiting = list(seeds)
    found[waiting] = True
    while waiting:
        for page in graph.out(waiting.pop()).tolist():
            if not found[page]:
                found[page] = True
                waiting.append(page)
    return found


def guess(told: Trace, stage: Stage, verdicts: Verdicts, strategy: str, name: str) -> Guess:
    """Ask all methods what is left."""
    fetched = np.zeros(len(verdicts.said), dtype=np.bool_)
    fetched[told.visits[: stage.pages]] = True
    judges = (verdicts.said, verdicts.true)
    interval = estimate(tallies(stage, verdicts.said))
    assert interval is not None
    return Guess(
        strategy,
        name,
        dict(methods(told, stage, verdicts.said, fetched)) | {"ours": interval.middle},
        interval,
        tuple(int((judge & fetched).sum()) for judge in judges),  # type: ignore[arg-type]
        tuple(int((judge & verdicts.reachable & ~fetched).sum()) for judge in judges),  # type: ignore[arg-type]
    )


def tallies(stage: Stage, said: Mask, *, hosts: bool = True) -> list[Tally]:
    """Count URLs as `steering.remaining` counts those of a crawl's database."""
    counts: dict[tuple[int, int], list[int]] = {}
    tried = len(stage.page) - stage.pending
    for place, (score, page, host) in enumerate(zip(stage.priority, stage.page, stage.host, strict=True)):
        count = counts.setdefault((int(host) * hosts, band_of(score)), [0] * 5)
        if place < stage.pending:
            count[4] += 1
            continue
        hit, is_late = int(page >= 0 and said[page]), place - stage.pending >= tried // 2
        for number, value in enumerate((1, hit, is_late, is_late and hit)):
            count[number] += value
    return [Tally(*key, *count) for key, count in counts.items()]


def methods(told: Trace, stage: Stage, said: Mask, fetched: Mask) -> Iterator[tuple[str, float]]:
    """Yield what other methods say."""
    score = estimate(tallies(stage, said, hosts=False))
    assert score is not None
    yield "score", score.middle
    waits, gone = slice(stage.pending), slice(stage.pending, None)
    hits = (stage.page[gone] >= 0) & said[stage.page[gone]]
    hosts = int(stage.host.max()) + 1
    share = np.bincount(stage.host[gone], hits, hosts) / (np.bincount(stage.host[gone], minlength=hosts) + 1)
    yield "host", float(share[stage.host[waits]].sum())
    once, twice = (int((hits & (stage.links[gone] == number)).sum()) for number in (1, 2))
    yield "chao", once * (once - 1) / (2 * (twice + 1))
    halves = [int(part.sum()) for part in np.array_split(said[told.visits[: stage.pages]], 2)]
    yield "growth", min(halves[1] ** 2 / max(halves[0] - halves[1], 1), 100.0 * sum(halves))
    pages = np.unique(stage.page[waits][stage.page[waits] >= 0])
    yield "known", float((said & ~fetched)[pages].sum())


def watch(
    told: Trace, scores: NDArray[np.float64], verdicts: Verdicts, size: int, monitor: Monitor, strategy: str
) -> Watched:
    """Let the monitor follow a crawl; judge its alarms by the truth."""
    alarms: list[tuple[int, str]] = []
    for place, page in enumerate(told.visits):
        monitor.record(Seen(float(scores[page]), bool(verdicts.said[page]), str(told.hosts[place])))
        if monitor.due() and (alarm := monitor.look(facts(told, place, verdicts.said))):
            alarms.append((place + 1, alarm.kind))
    found = np.cumsum(verdicts.true[told.visits])
    first = alarms[0][0] if alarms else None
    if told.is_dry and monitor.look(FrontierFacts(0)):
        alarms.append((len(told.visits), "dry"))
    return Watched(
        strategy,
        tuple(kind for _, kind in alarms),
        sum(has_more(found, place, size) for place, kind in alarms if kind != "dry"),
        first / size if first else None,
        float(found[first - 1] / max(found[-1], 1)) if first else None,
        bool(told.is_dry or not has_more(found, max(1, len(found) - size), size)),
        told.is_dry,
    )


def facts(told: Trace, place: int, said: Mask) -> FrontierFacts:
    """Return what the frontier held when a page was recorded, of which the trace has bands and no hosts."""
    leases = int(told.leased[place])
    pending = told.bands[min((leases - 1) // EVERY, len(told.bands) - 1)]
    tried, hits = np.zeros((2, len(EDGES) + 1), dtype=np.int64), np.zeros((2, len(EDGES) + 1), dtype=np.int64)
    is_late = np.arange(leases) >= leases // 2
    bands = np.array([band_of(score) for score in told.priority[:leases]])
    pages = dict(zip((told.leased[: place + 1] - 1).tolist(), told.visits[: place + 1].tolist(), strict=True))
    is_hit = np.array([lease in pages and bool(said[pages[lease]]) for lease in range(leases)])
    for row, chosen in enumerate((np.ones(leases, dtype=np.bool_), is_late)):
        tried[row] = np.bincount(bands[chosen], minlength=len(EDGES) + 1)
        hits[row] = np.bincount(bands[chosen & is_hit], minlength=len(EDGES) + 1)
    counted = [
        Tally(0, band, tried[0, band], hits[0, band], tried[1, band], hits[1, band], pending[band])
        for band in range(len(EDGES) + 1)
    ]
    return FrontierFacts(max(1, int(pending.sum())), estimate(counted))


def has_more(found: NDArray[np.int64], place: int, size: int) -> bool:
    """Tell whether the |T| pages after so many brought markedly more."""
    return bool(found[min(place + size, len(found)) - 1] >= MORE * max(found[place - 1], 1))


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
    head = [
        "strategy",
        "crawls",
        "harvest ended",
        "without an alarm",
        "of these dry",
        "alarms before the end",
    ]
    head += ["stagnation", "diffusion", "false", "first alarm at, in |T|", "of what it found in the end"]
    grid = Grid("alarms", "Alarms", head)
    for strategy in WATCHED:
        mine = [w for w in watched if w.strategy == strategy]
        ended = [w for w in mine if w.has_ended]
        early = [kind for w in mine for kind in w.kinds if kind != "dry"]
        firsts = [w.first for w in mine if w.first is not None]
        shares = [w.found_at_first for w in mine if w.found_at_first is not None]
        grid.add(
            strategy,
            *(
                str(n)
                for n in (
                    len(mine),
                    len(ended),
                    sum(not w.kinds for w in ended),
                    sum(w.is_dry for w in ended),
                )
            ),
            *(str(n) for n in (len(early), early.count("stagnation"), early.count("diffusion"))),
            str(sum(w.false for w in mine)),
            f"{median(firsts):.2f}" if firsts else "-",
            f"{median(shares):.2f}" if shares else "-",
        )
    return grid


def figures(guesses: Sequence[Guess], watched: Sequence[Watched]) -> Iterator[tuple[str, float]]:
    """Yield the figures by name."""
    for judge, name in enumerate(("classifier", "truth")):
        yield f"estimate_error_{name}", median(g.error("ours", judge) for g in guesses)
        yield f"estimate_rest_error_{name}", median(g.error_of_rest(judge) for g in guesses)
        yield f"interval_coverage_{name}", float(np.mean([g.holds(judge) for g in guesses]))
    ended = [w for w in watched if w.has_ended]
    yield "alarms", sum(kind != "dry" for w in watched for kind in w.kinds)
    yield "alarms_false", sum(w.false for w in watched)
    yield "ended", len(ended)
    yield "ended_without_alarm", sum(not w.kinds for w in ended)


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
