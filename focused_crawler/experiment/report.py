"""Runs and bounds -> report.html and its plots as PNG files; results.csv and summary.csv, for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from focused_crawler.experiment import plots, ranking
from focused_crawler.experiment.checks import Checks, is_control
from focused_crawler.experiment.folder import csv_text, write_whole
from focused_crawler.experiment.measures import (
    Run,
    RunTable,
    Setting,
    area,
    harvest_rate,
    horizon,
    hosts_found,
    milliseconds_per_page,
    target_recall,
    topics_of,
)
from focused_crawler.experiment.ranking import markdown_tables
from focused_crawler.experiment.statistics import DRAWS, TIE, StrategyComparison, intervals, wins
from focused_crawler.report.html import Filters, render_page
from focused_crawler.report.plots import Plot
from focused_crawler.safety import formats
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.extras import is_here
from focused_crawler.virtualweb.bounds import Bounds


def breakable(name: str) -> Markup:
    """Allow a line break after each underscore: on a phone names are wider than figures."""
    return Markup("_<wbr>").join(formats.tidy(name).split("_"))


FILTERS: Filters = {
    "share": ranking.share,
    "difference": ranking.difference,
    "p_value": ranking.p_value,
    "breakable": breakable,
}


def write_report(
    out: Path,
    runs: Sequence[Run],
    bounds: Mapping[Setting, Bounds],
    about: Mapping[str, str],
    checks: Checks | None = None,
) -> Path:
    """Write `out`/report.html, tables.md and plots/*.png; return the path of the report.

    `about`: what else is to be said of the experiment, name -> words; `checks`: None if nobody checked.
    Raises CrawlError when nothing can be compared or a file cannot be written.
    """
    table = RunTable.of(runs, bounds)
    figures = list(plots.plots(table))
    path = out / "report.html"
    try:
        out.mkdir(parents=True, exist_ok=True)
        if is_here("plots"):
            (out / "plots").mkdir(exist_ok=True)
            for plot in figures:
                plot.save(out / "plots")
    except OSError as error:
        raise CrawlError(
            f"cannot write {path} ({error.strerror}); name another folder with --out DIR"
        ) from None
    write_whole(path, render(table, figures, about, checks))
    write_whole(out / "tables.md", markdown_tables(table))
    return path


def render(
    table: RunTable, figures: Sequence[Plot], about: Mapping[str, str], checks: Checks | None = None
) -> str:
    """Return the page. Equal input gives equal text."""
    shown = ranking.ranked(table)
    harvests, recalls = (intervals(table.values(measure)) for measure in (harvest_rate, target_recall))
    values = {
        "table": table,
        "about": about,
        "checks": checks,
        "topics": [table.name_of(topic) for topic in topics_of(table.settings)],
        "webs": sorted({setting.web for setting in table.settings}),
        "seed_sets": sorted({setting.seed_set for setting in table.settings}),
        "pages": sum(
            len(table.run(name, setting).hits) for name in table.strategies for setting in table.settings
        ),
        "ranking": shown,
        "leader": next((one for one in shown if not is_control(one.name)), shown[0]),
        "oracles": ranking.ranked_oracles(table),
        "rates": {name: (harvests[name], recalls[name]) for name in table.strategies},
        "means": ranking.means(table, {**ranking.AREAS, **ranking.FINALS}),
        "horizons": list(ranking.HORIZONS),
        "areas": list(ranking.AREAS),
        "on_webs": ranking.on_webs(table),
        "large": ranking.LARGE,
        "cut": _cut_short(table),
        "duels": _duels(table),
        "wins": wins(table.values(area())),
        "dry": ranking.dry_runs(table),
        "plots": {plot.file: plot for plot in figures},
        "controls": [one.name for one in shown if is_control(one.name)],
        "draws": DRAWS,
        "tie": TIE,
    }
    return render_page("experiment/template.html", values, FILTERS)


def _cut_short(table: RunTable) -> dict[str, int]:
    """Return for each horizon in how many settings the budget ends before it."""
    first = table.strategies[0]
    cut = dict.fromkeys(ranking.HORIZONS, 0)
    for name, targets in ranking.HORIZONS.items():
        for setting in table.settings:
            bounds = table.bounds[setting]
            cut[name] += horizon(table.run(first, setting), bounds, targets) < int(targets * bounds.targets)
    return cut


def _duels(table: RunTable) -> dict[str, list[StrategyComparison]]:
    """Return the comparisons with each baseline."""
    duels: dict[str, list[StrategyComparison]] = {}
    for comparison in ranking.comparisons(table):
        duels.setdefault(comparison.baseline, []).append(comparison)
    return duels


STEPS = 100
RESULTS = ("web", "topic", "seed_set", "strategy", "pages", "relevant", "harvest_rate", "target_recall")
_AREAS = {"half": 0.5, "1": 1.0, "2": 2.0}
"""Budgets of the areas, in |T|, by the end of their columns' names."""
_HOSTS = {"": 1, "large_": ranking.LARGE}
"""Fewest relevant pages of the hosts that count, by the beginning of their columns' names."""

SUMMARY = (
    "web", "topic", "seed_set", "strategy", "budget", "targets", "pages", "relevant", "harvest_rate",
    "target_recall", *(f"area_{best}_{name}" for best in ("upper", "greedy") for name in _AREAS),
    *(f"{kind}hosts_{name}" for kind in _HOSTS for name in _AREAS if name != "half"),
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
    areas = [area(size, name)(run, best) for name in ("upper", "greedy") for size in _AREAS.values()]
    hosts = [hosts_found(least, size)(run, best) for least in _HOSTS.values() for size in (1.0, 2.0)]
    return (
        *run.case, run.budget, best.targets, len(run.hits), int(run.hits.sum()),
        *map(_figure, (*figures, *areas, *hosts)),
        f"{milliseconds_per_page(run, best):.3f}", run.reason, judged_by[setting],
    )  # fmt: skip


def _figure(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"
