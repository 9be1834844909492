"""The look of plots: the crawl report's own colours, as an SVG for a page or as a PNG file."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from focused_crawler.report import charts

Colors = Mapping[str, str]  # variable of the style sheet without its dashes -> colour
Draw = Callable[[Figure, Colors], None]

_DOTS_PER_INCH = 144


@cache
def style_sheet() -> str:
    """Return the style sheet of the report of a crawl."""
    template = files("focused_crawler.report").joinpath("template.html").read_text("utf-8")
    return template.split("<style>", 1)[1].split("</style>", 1)[0].strip()


def svg(name: str, size: tuple[float, float], draw: Draw) -> str:
    """Draw for an HTML page whose style sheet sets the colours; sizes are CSS pixels on a phone."""
    colors = {variable[2:]: stand_in for stand_in, variable in charts._STAND_INS.items()}
    drawn = io.BytesIO()
    with charts._style(name), mpl.rc_context({"text.parse_math": False}):
        figure = Figure(figsize=(size[0] / 72, size[1] / 72), layout="constrained")
        draw(figure, colors)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    return charts._for_html(drawn.getvalue(), name)


def save_png(path: Path, size: tuple[float, float], draw: Draw) -> None:
    """Draw the same into a file, on light paper; sizes in inches."""
    colors = _light()
    with mpl.rc_context(_for_paper(colors)):
        figure = Figure(figsize=size, layout="constrained", facecolor=colors["paper"])
        draw(figure, colors)
        figure.savefig(path, format="png", metadata={"Software": None})


def _light() -> dict[str, str]:
    """Read the colours for a light screen: the style sheet's first."""
    root = style_sheet().split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", root))


def _for_paper(colors: Colors) -> Any:
    ink, muted, line = colors["ink"], colors["muted"], colors["line"]
    return {
        **mpl.rcParamsDefault,
        "backend": "agg",
        "savefig.dpi": _DOTS_PER_INCH,
        "text.parse_math": False,
        "font.size": 10,
        "text.color": ink,
        "axes.facecolor": "none",
        "axes.titlecolor": ink,
        "axes.labelcolor": muted,
        "axes.edgecolor": line,
        "axes.axisbelow": True,
        "grid.color": line,
        "xtick.color": line,
        "ytick.color": line,
        "xtick.labelcolor": muted,
        "ytick.labelcolor": muted,
        "ytick.major.size": 0,
    }
