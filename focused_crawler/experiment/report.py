"""Runs and bounds -> report.html and its plots as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from focused_crawler.experiment import plots, ranking
from focused_crawler.experiment.checks import CONTROLS, Checks
from focused_crawler.experiment.folder import write_whole
from focused_crawler.experiment.measures import Run, RunTable, Setting, WebTopic, area, horizon, topics_of
from focused_crawler.experiment.ranking import markdown_tables
from focused_crawler.experiment.statistics import DRAWS, TIE, StrategyComparison, wins
from focused_crawler.report.html import Filters, render_page
from focused_crawler.report.plots import Plot
from focused_crawler.safety import formats
from focused_crawler.safety.errors import CrawlError
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
        (out / "plots").mkdir(parents=True, exist_ok=True)
        for plot in figures:
            plot.save(out / "plots")
    except OSError as error:
        raise CrawlError(
            f"cannot write {path} ({error.strerror}); name another folder with --out DIR"
        ) from None
    write_whole(path, render(table, figures, about, checks))
    write_whole(out / "tables.md", markdown_tables(runs, bounds))
    return path


def render(
    table: RunTable, figures: Sequence[Plot], about: Mapping[str, str], checks: Checks | None = None
) -> str:
    """Return the page. Equal input gives equal text."""
    shown = ranking.ranked(table)
    values = {
        "table": table,
        "about": about,
        "checks": checks,
        "topics": [_topic_name(table, topic) for topic in topics_of(table.settings)],
        "webs": sorted({setting.web for setting in table.settings}),
        "seed_sets": sorted({setting.seed_set for setting in table.settings}),
        "pages": sum(
            len(table.run(name, setting).hits) for name in table.strategies for setting in table.settings
        ),
        "ranking": shown,
        "leader": next((one for one in shown if one.name not in CONTROLS), shown[0]),
        "oracles": ranking.ranked_oracles(table),
        "means": ranking.means(table, {**ranking.AREAS, **ranking.FINALS}),
        "horizons": list(ranking.HORIZONS),
        "areas": list(ranking.AREAS),
        "cut": _cut_short(table),
        "duels": _duels(table),
        "wins": wins(table.values(area())),
        "dry": ranking.dry_runs(table),
        "plots": {plot.file: plot for plot in figures},
        "controls": CONTROLS,
        "draws": DRAWS,
        "tie": TIE,
    }
    return render_page("experiment/template.html", values, FILTERS)


def _topic_name(table: RunTable, topic: WebTopic) -> str:
    is_alone = len({setting.web for setting in table.settings}) == 1
    return topic.topic if is_alone else f"{topic.web}: {topic.topic}"


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
