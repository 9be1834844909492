"""The plateau experiment as files: plateau.csv, a search a line, and plateau.html with its plot."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from focused_crawler.errors import ConfigError
from focused_crawler.report.html import render_page
from focused_crawler.report.look import Colors, svg
from focused_crawler.sampling.sheet import harmless
from focused_crawler.seeding.plateau import GAIN, WINDOW, Step, plateau_of
from focused_crawler.topic import Topic
from focused_crawler.topic_file import place

CSV, HTML = "plateau.csv", "plateau.html"
_SIZE = (700, 300)  # units of the viewBox


@dataclass(frozen=True, slots=True)
class PlateauReport:
    """What there is to tell of an experiment."""

    topic: Topic
    provider: str
    top: int  # results of each search
    judged_by: str
    steps: Sequence[Step]
    all_relevant: int | None = None  # that there are; None: nobody knows

    @property
    def plateau(self) -> int | None:
        return plateau_of(self.steps)


def save_plateau(report: PlateauReport, folder: Path) -> list[Path]:
    """Write both files; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / CSV).open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([field.name for field in fields(Step)])
            writer.writerows([harmless(str(value)) for value in astuple(step)] for step in report.steps)
        (folder / HTML).write_text(render_plateau(report), "utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"cannot write to {place(folder)} ({error.strerror}); name another folder with --plateau FOLDER"
        ) from None
    return [folder / CSV, folder / HTML]


def render_plateau(report: PlateauReport) -> str:
    """Return the page. Equal input gives equal text."""
    values = {
        "report": report,
        "last": report.steps[-1],
        "plot": svg(
            "Pages found against searches", _SIZE, lambda figure, colors: _draw(figure, colors, report)
        ),
        "window": WINDOW,
        "gain": GAIN,
    }
    return render_page("seeding/plateau.html", {}, values)


def _draw(figure: Figure, colors: Colors, report: PlateauReport) -> None:
    axes = figure.add_subplot()
    searches = [0, *(step.number for step in report.steps)]
    pages = [0, *(step.pages for step in report.steps)]
    relevant = [0, *(step.relevant for step in report.steps)]
    axes.plot(searches, pages, color=colors["muted"], linewidth=1.6, linestyle=(0, (7, 3)), zorder=3)
    axes.plot(searches, relevant, color=colors["series-0"], linewidth=2.6, zorder=4)
    axes.annotate("all pages", (searches[-1], pages[-1]), **_beside(colors["muted"]))
    axes.annotate("relevant", (searches[-1], relevant[-1]), **_beside(colors["series-0"]))
    if report.plateau is not None:
        _mark(axes, colors, report.plateau, relevant[report.plateau])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", zorder=0)
    axes.set_xlim(0, searches[-1])
    axes.set_ylim(0, None)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    axes.set_xlabel("searches")


def _beside(color: str) -> dict[str, Any]:
    return {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "color": color}


def _mark(axes: Axes, colors: Colors, searches: int, relevant: int) -> None:
    axes.axvline(searches, color=colors["ink"], linewidth=1, linestyle=(0, (4, 3)), zorder=2)
    axes.plot([searches], [relevant], "o", color=colors["series-0"], markersize=8, zorder=5)
    axes.annotate(
        "plateau",
        (searches, 1),
        xycoords=("data", "axes fraction"),
        xytext=(5, -4),
        textcoords="offset points",
        va="top",
        color=colors["ink"],
    )
