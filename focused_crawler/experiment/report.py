"""Runs and bounds -> report.html and its plots as PNG files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from focused_crawler.experiment import drawing as sheet
from focused_crawler.experiment import plots, standings
from focused_crawler.experiment.checks import CONTROLS, Checks
from focused_crawler.experiment.drawing import Line, Plot
from focused_crawler.experiment.folder import write_whole
from focused_crawler.experiment.measures import Run, RunTable, Setting, Topic, area, horizon, topics_of
from focused_crawler.experiment.standings import markdown_tables
from focused_crawler.experiment.statistics import DRAWS, TIE, Comparison, wins
from focused_crawler.report.style import Filters, render_page
from focused_crawler.safety import formats
from focused_crawler.safety.errors import CrawlError
from focused_crawler.virtualweb.bounds import Bounds


def breakable(name: str) -> Markup:
    """Allow a line break after each underscore: on a phone names are wider than figures."""
    return Markup("_<wbr>").join(formats.tidy(name).split("_"))


FILTERS: Filters = {
    "share": standings.share,
    "difference": standings.difference,
    "p_value": standings.p_value,
    "breakable": breakable,
}


class Frame(NamedTuple):
    """A panel of a plot on the page."""

    title: str
    svg: str  # trusted: our own drawing
    lines: Sequence[Line]  # its legend, highest end first


class Picture(NamedTuple):
    """A plot on the page."""

    plot: Plot
    frames: Sequence[Frame]


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
            sheet.save(plot, out / "plots")
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
    shown = standings.standings(table)
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
        "standings": shown,
        "leader": next((one for one in shown if one.name not in CONTROLS), shown[0]),
        "oracles": standings.oracle_standings(table),
        "means": standings.means(table, {**standings.AREAS, **standings.FINALS}),
        "horizons": list(standings.HORIZONS),
        "areas": list(standings.AREAS),
        "cut": _cut_short(table),
        "duels": _duels(table),
        "wins": wins(table.values(area())),
        "dry": standings.dry_runs(table),
        "pictures": {plot.file: Picture(plot, list(_frames(plot))) for plot in figures},
        "controls": CONTROLS,
        "draws": DRAWS,
        "tie": TIE,
    }
    return render_page("experiment/template.html", FILTERS, values)


def _topic_name(table: RunTable, topic: Topic) -> str:
    is_alone = len({setting.web for setting in table.settings}) == 1
    return topic.topic if is_alone else f"{topic.web}: {topic.topic}"


def _cut_short(table: RunTable) -> dict[str, int]:
    """Return for each horizon in how many settings the budget ends before it."""
    first = table.strategies[0]
    cut = dict.fromkeys(standings.HORIZONS, 0)
    for name, targets in standings.HORIZONS.items():
        for setting in table.settings:
            bounds = table.bounds[setting]
            cut[name] += horizon(table.run(first, setting), bounds, targets) < int(targets * bounds.targets)
    return cut


def _duels(table: RunTable) -> dict[str, list[Comparison]]:
    """Return the comparisons with each baseline."""
    duels: dict[str, list[Comparison]] = {}
    for comparison in standings.comparisons(table):
        duels.setdefault(comparison.baseline, []).append(comparison)
    return duels


def _frames(plot: Plot) -> Iterator[Frame]:
    for panel in plot.panels:
        lines = sorted((line for line in panel.lines if line.name), key=lambda line: -line.last)
        yield Frame(panel.title, sheet.svg(plot, panel), lines)
