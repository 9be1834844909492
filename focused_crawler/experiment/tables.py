"""results.csv and summary.csv: what programs read of an experiment (docs/experiments.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from focused_crawler.experiment.folder import csv_text, write_whole
from focused_crawler.experiment.measures import (
    Run,
    Setting,
    area,
    harvest_rate,
    milliseconds_per_page,
    target_recall,
)
from focused_crawler.virtualweb.bounds import Bounds

STEPS = 100
RESULTS = ("web", "topic", "seed_set", "strategy", "pages", "relevant", "harvest_rate", "target_recall")
AREAS = {"half": 0.5, "1": 1.0, "2": 2.0}
"""Budgets of the areas, in |T|, by the end of their columns' names."""

SUMMARY = (
    "web", "topic", "seed_set", "strategy", "budget", "targets", "pages", "relevant", "harvest_rate",
    "target_recall", *(f"area_{best}_{name}" for best in ("upper", "greedy") for name in AREAS),
    "ms_per_page", "reason", "judged_by",
)  # fmt: skip


def write_tables(
    out: Path, runs: Sequence[Run], bounds: Mapping[Setting, Bounds], judged_by: Mapping[Setting, str]
) -> None:
    """Write both files; raises CrawlError."""
    results = [row for run in runs for row in steps(run, bounds[run.case.setting].targets)]
    write_whole(out / "results.csv", csv_text([RESULTS, *results]))
    rows = [_summary(run, bounds, judged_by) for run in runs]
    write_whole(out / "summary.csv", csv_text([SUMMARY, *rows]))


def steps(run: Run, targets: int) -> Iterator[tuple[object, ...]]:
    """Yield a row at each 1 % of the budget, rounded up.

    `pages` are those really fetched: once a run is dry its last row comes again, so that every run has the
    same number of rows and R(n) stays what it is, whether rows are added up by steps or by pages.
    """
    relevant = run.relevant(run.budget)
    for step in range(1, STEPS + 1):
        pages = min(-(-step * run.budget // STEPS), len(run.hits))
        found = int(relevant[pages])
        yield (*run.case, pages, found, _figure(found / pages if pages else 0.0), _figure(found / targets))


def _summary(
    run: Run, bounds: Mapping[Setting, Bounds], judged_by: Mapping[Setting, str]
) -> tuple[object, ...]:
    setting = run.case.setting
    best = bounds[setting]
    figures = (harvest_rate(run, best), target_recall(run, best))
    areas = [area(size, name)(run, best) for name in ("upper", "greedy") for size in AREAS.values()]
    return (
        *run.case, run.budget, best.targets, len(run.hits), int(run.hits.sum()),
        *map(_figure, (*figures, *areas)),
        f"{milliseconds_per_page(run, best):.3f}", run.reason, judged_by[setting],
    )  # fmt: skip


def _figure(value: float) -> str:
    return f"{value:.6f}"
