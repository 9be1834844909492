"""The plateau experiment as files: plateau.csv, a search a line, and plateau.html with its plot."""

from __future__ import annotations

import csv
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from focused_crawler.errors import ConfigError
from focused_crawler.net.spreadsheet import harmless
from focused_crawler.report.html import render_page
from focused_crawler.report.look import Colors, svg
from focused_crawler.seeding.plateau import GAIN, SAME_WORDS, WINDOW, Plateau, Step
from focused_crawler.topic_file import place

CSV, HTML = "plateau.csv", "plateau.html"
_SIZE = (700, 300)  # units of the viewBox


def save_plateau(plateau: Plateau, folder: Path) -> list[Path]:
    """Write both files; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / CSV).open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([field.name for field in fields(Step)])
            writer.writerows([harmless(str(value)) for value in astuple(step)] for step in plateau.steps)
        (folder / HTML).write_text(render_plateau(plateau), "utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(
            f"cannot write to {place(folder)} ({error.strerror}); name another folder with --plateau FOLDER"
        ) from None
    return [folder / CSV, folder / HTML]


def render_plateau(plateau: Plateau) -> str:
    """Return the page. Equal input gives equal text."""
    plot = svg("Pages found against searches", _SIZE, lambda figure, colors: _draw(figure, colors, plateau))
    rule = {"window": WINDOW, "gain": GAIN, "same_words": SAME_WORDS}
    values = {"plateau": plateau, "last": plateau.steps[-1], "plot": plot, **rule}
    return render_page("seeding/plateau.html", {}, values)


def _draw(figure: Figure, colors: Colors, plateau: Plateau) -> None:
    axes = figure.add_subplot()
    searches = [0, *(step.number for step in plateau.steps)]
    pages = [0, *(step.pages for step in plateau.steps)]
    relevant = [0, *(step.relevant for step in plateau.steps)]
    axes.plot(searches, pages, color=colors["muted"], linewidth=1.6, linestyle=(0, (7, 3)), zorder=3)
    axes.plot(searches, relevant, color=colors["series-0"], linewidth=2.6, zorder=4)
    is_close = pages[-1] < 1.1 * relevant[-1]
    axes.annotate("all", (searches[-1], pages[-1]), **_beside(colors["muted"], 7 if is_close else 0))
    axes.annotate(
        "relevant", (searches[-1], relevant[-1]), **_beside(colors["series-0"], -7 if is_close else 0)
    )
    if plateau.begins is not None:
        _mark(axes, colors, plateau.begins, relevant[plateau.begins])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", zorder=0)
    axes.set_xlim(0, searches[-1])
    axes.set_ylim(0, None)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    axes.set_xlabel("searches")


def _beside(color: str, up: int) -> dict[str, Any]:
    return {"xytext": (6, up), "textcoords": "offset points", "va": "center", "color": color}


def _mark(axes: Axes, colors: Colors, searches: int, relevant: int) -> None:
    """Show where the plateau begins."""
    axes.axvline(searches, color=colors["ink"], linewidth=1, linestyle=(0, (4, 3)), zorder=2)
    axes.plot([searches], [relevant], "o", color=colors["series-0"], markersize=8, zorder=5)
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    axes.annotate("plateau", (searches, 0), xytext=(5, 6), color=colors["ink"], **place)
