"""Plots: as SVG for pages, whose style sheet colours them, and as PNG files to take along."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.report import svg
from focused_crawler.report.panels import Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ruff: noqa: PLC0415 - matplotlib comes with the extra "plots", and loads slowly.

_DOTS_PER_INCH = 144


class Plot(NamedTuple):
    """A figure of one or more panels."""

    file: str
    title: str
    note: str
    panels: Sequence[Panel]
    columns: int = 1
    inches: tuple[float, float] = (9, 5)  # a panel in the file
    pixels: tuple[float, float] = (440, 250)  # a panel on a page: units of the viewBox
    is_shared: bool = False  # one legend is for all panels; else names stand at the ends of each one's lines

    def svg(self, panel: Panel, *, with_names: bool = False) -> str:
        """Draw a panel for a page of the style sheet; a unit is about a CSS pixel on a phone.

        `with_names`: of lines, at their ends. Equal data give equal text.
        """
        name = f"{self.title}: {panel.title}" if panel.title else self.title
        return svg.drawn(name, panel, self.pixels, with_names=with_names)

    def save(self, folder: Path) -> Path:
        """Write all panels as one PNG, on light paper; OSError if that cannot be done."""
        import matplotlib as mpl

        path = folder / f"{self.file}.png"
        figure = self.figure()
        with mpl.rc_context({"savefig.dpi": _DOTS_PER_INCH}):
            figure.savefig(path, format="png", metadata={"Software": None})
        return path

    def figure(self) -> Figure:
        """Return all panels as one figure, on light paper."""
        from focused_crawler.report import drawing

        size = (self.inches[0], self.inches[1], self.columns)
        return drawing.figure_of(self.title, self.note, self.panels, size, is_shared=self.is_shared)
