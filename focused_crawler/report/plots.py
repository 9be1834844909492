"""Plots in one style: as SVG that the style sheet of a page colours, and as PNG files."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree

from focused_crawler.report import plain
from focused_crawler.report.drawing import Colors, Line, label_ends, sample
from focused_crawler.report.hover import Hover
from focused_crawler.report.html import style_sheet
from focused_crawler.safety.extras import is_here

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# ruff: noqa: PLC0415 - matplotlib comes with the extra "plots"; without it `plain` draws.

PLOTS = "plots"
STAND_INS: Colors = {
    "ink": "#a00001",
    "muted": "#a00002",
    "line": "#a00003",
    **{f"series-{number}": f"#b0000{number}" for number in range(10)},
    "series-10": "#b00010",
    "series-11": "#b00011",
}
"""The colours of an SVG: the style sheet alone knows whether the reader's screen is light or dark."""

_LINE = "\ue000"  # a line's end until white space is folded
_SVG = "{http://www.w3.org/2000/svg}"
_DOTS_PER_INCH = 144
_LETTERS = 12  # of the note in an inch
_PAD = 3  # pixels around a panel
_LEGEND = 2.4  # inches of a legend beside all panels


class Panel(NamedTuple):
    """One pair of axes."""

    title: str
    draw: Callable[[Axes, Colors], None]
    lines: Sequence[Line] = ()
    hovers: Sequence[Hover] = ()  # what is said where a pointer rests; on pages only
    x_label: str = "pages fetched"
    dots: Sequence[tuple[float, float]] = ()  # for who draws without matplotlib, as are columns
    columns: Sequence[tuple[float, float, int]] = ()
    has_counts: bool = False  # its lines; else they are of shares

    @property
    def legend(self) -> list[Line]:
        """Return the lines that have a name, the highest end first."""
        return sorted((line for line in self.lines if line.name), key=lambda line: -line.last)


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

    def svg(self, panel: Panel) -> str:
        """Draw a panel for a page of the style sheet; a unit is about a CSS pixel on a phone.

        Equal data give equal text: ids are hashed with the plot's name, not with chance. Without matplotlib
        it is drawn by hand.
        """
        name = f"{self.title}: {panel.title}" if panel.title else self.title
        if not is_here(PLOTS):
            data = plain.Data(
                panel.lines, panel.dots, panel.columns, panel.hovers, panel.x_label, panel.has_counts
            )
            return plain.drawn(name, data, self.pixels)
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        drawn = io.BytesIO()
        own = {"backend": "svg", "svg.fonttype": "none", "svg.hashsalt": name, "path.simplify": False}
        with mpl.rc_context(_style(STAND_INS, own)):
            figure = Figure(figsize=(self.pixels[0] / 72, self.pixels[1] / 72), dpi=72)
            FigureCanvasSVG(figure)  # which measures texts as an SVG has them
            axes = figure.add_subplot()
            _draw(axes, STAND_INS, panel)
            _fit(axes, self.pixels)
            nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
            parts = [_part(axes, self.pixels[1], hover) for hover in panel.hovers]
        return _for_html(drawn.getvalue(), name, parts)

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
        import matplotlib as mpl
        from matplotlib.figure import Figure

        colors = _light()
        own = {"backend": "agg", "savefig.dpi": _DOTS_PER_INCH, "axes.facecolor": "none", "font.size": 10}
        own |= {"text.color": colors["ink"], "axes.titlecolor": colors["ink"]}
        columns = min(self.columns, len(self.panels))
        rows = -(-len(self.panels) // columns)
        size = (self.inches[0] * columns + _LEGEND * self.is_shared, self.inches[1] * rows + 0.7)
        with mpl.rc_context(_style(colors, own)):
            figure = Figure(figsize=size, layout="constrained", facecolor=colors["paper"])
            self._draw_all(figure, rows, columns, colors)
        return figure

    def _draw_all(self, figure: Figure, rows: int, columns: int, colors: Colors) -> None:
        figure.suptitle(self.title, x=0.012, ha="left", fontsize=14, fontweight="bold", color=colors["ink"])
        note = fill(self.note, int(_LETTERS * columns * self.inches[0]))
        figure.supxlabel(note, x=0.012, ha="left", fontsize=10, color=colors["muted"])
        places = figure.subplots(rows, columns, squeeze=False).flat
        for panel in self.panels:
            axes = next(places)
            axes.set_title(panel.title, loc="left", fontsize=11, pad=8)
            _draw(axes, colors, panel)
            if not self.is_shared:
                label_ends(axes, colors, panel.lines)
        for empty in places:
            empty.set_visible(False)
        if self.is_shared:
            named = [line for line in self.panels[0].lines if line.name]
            samples, names = [sample(line, colors) for line in named], [line.name for line in named]
            figure.legend(samples, names, loc="outside right center", frameon=False, handlelength=3.4)


def _draw(axes: Axes, colors: Colors, panel: Panel) -> None:
    axes.spines[["top", "right", "left"]].set_visible(False)
    panel.draw(axes, colors)


def _fit(axes: Axes, pixels: tuple[float, float]) -> None:
    """Give axes with their labels all of a figure; matplotlib's own layout costs as much as drawing it."""
    outer = axes.get_tightbbox(for_layout_only=True)
    assert outer is not None
    margins = np.abs(np.subtract(axes.bbox.extents, outer.extents)) + _PAD
    left, bottom, right, top = margins / (*pixels, *pixels)
    axes.set_position((left, bottom, 1 - left - right, 1 - bottom - top))


def _style(colors: Colors, own: Mapping[str, Any]) -> dict[Any, Any]:
    import matplotlib as mpl

    muted, line = colors["muted"], colors["line"]
    return {
        **mpl.rcParamsDefault,
        "text.parse_math": False,
        "font.size": 12,
        "text.color": muted,
        "axes.labelcolor": muted,
        "axes.edgecolor": line,
        "axes.axisbelow": True,
        "grid.color": line,
        "grid.linewidth": 1,
        "xtick.color": line,
        "ytick.color": line,
        "xtick.labelcolor": muted,
        "ytick.labelcolor": muted,
        "ytick.major.size": 0,
        **own,
    }


def _light() -> dict[str, str]:
    """Read the colours for a light screen: the style sheet's first."""
    found = re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style_sheet())
    return dict(reversed(found))


def _part(axes: Axes, height: float, hover: Hover) -> etree._Element:
    """Return a part of a plot that says what it shows."""
    box, low, high = axes.bbox, (hover.low, 0.0), (hover.high, 0.0)
    if hover.is_row:
        low, high = (0.0, hover.low), (0.0, hover.high)
    (left, bottom), (right, top) = axes.transData.transform([low, high])
    if hover.is_row:
        left, right = box.x0, box.x1
    else:
        bottom, top = box.y0, box.y1
    sides = {"x": left, "y": height - top, "width": right - left, "height": top - bottom}
    part = etree.Element(f"{_SVG}rect", {side: f"{length:.1f}" for side, length in sides.items()})
    etree.SubElement(part, f"{_SVG}title").text = hover.text.replace("\n", _LINE)
    return part


def _for_html(drawn: bytes, name: str, parts: Sequence[etree._Element]) -> str:
    """Drop what an HTML page has no use for, and leave size, colours and font to its style sheet."""
    root = etree.fromstring(drawn)
    for name_attribute in ("width", "height", "version"):
        root.attrib.pop(name_attribute, None)
    root.set("role", "img")
    root.set("aria-label", name)
    for group in root.iter(f"{_SVG}g"):
        group.attrib.pop("id", None)
    for style in list(root.iter(f"{_SVG}style")):
        defs = style.getparent()
        defs.getparent().remove(defs)
    if parts:
        etree.SubElement(root, f"{_SVG}g", {"class": "hover"}).extend(parts)
    text = etree.tostring(root, encoding="unicode")
    text = re.sub(r" font-family: [^;\"]*;", "", text)
    text = re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", text)
    for variable, stand_in in STAND_INS.items():
        text = text.replace(stand_in, f"var(--{variable})")
    return " ".join(text.split()).replace(_LINE, "&#10;")
