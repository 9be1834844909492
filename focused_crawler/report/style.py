"""What all reports have in common as HTML pages: one file each, without script and without network."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib as mpl
from jinja2 import Environment, PackageLoader, StrictUndefined
from lxml import etree
from matplotlib.figure import Figure

from focused_crawler.report import words
from focused_crawler.safety import formats

Colors = Mapping[str, str]
"""Variable of the style sheet without its dashes -> colour."""

Draw = Callable[[Figure, Colors], None]

STAND_INS: Colors = {
    "ink": "#a00001",
    "muted": "#a00002",
    "line": "#a00003",
    **{f"series-{number}": f"#b0000{number}" for number in range(8)},
}
"""What an SVG is drawn with: the style sheet alone knows whether the reader's screen is light or dark."""

_SVG = "{http://www.w3.org/2000/svg}"
_DOTS_PER_INCH = 144


@cache
def style_sheet() -> str:
    """Return the style sheet of all reports."""
    return files("focused_crawler.report").joinpath("style.css").read_text("utf-8").strip()


def svg(name: str, size: tuple[float, float], draw: Draw) -> str:
    """Draw for a page of this style sheet; sizes are units of the viewBox, about a CSS pixel on a phone.

    Equal data give equal text: ids are hashed with the plot's name, not with chance.
    """
    drawn = io.BytesIO()
    own = {"backend": "svg", "svg.fonttype": "none", "svg.hashsalt": name, "path.simplify": False}
    with mpl.rc_context(_look(STAND_INS, own)):
        figure = Figure(figsize=(size[0] / 72, size[1] / 72), layout="constrained")
        draw(figure, STAND_INS)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(drawn, format="svg", transparent=True, metadata=nothing)
    return _for_html(drawn.getvalue(), name)


def save_png(path: Path, size: tuple[float, float], draw: Draw) -> None:
    """Draw the same into a file, on light paper; sizes in inches."""
    colors = _light()
    own = {"backend": "agg", "savefig.dpi": _DOTS_PER_INCH, "axes.facecolor": "none", "font.size": 10}
    own |= {"text.color": colors["ink"], "axes.titlecolor": colors["ink"]}
    with mpl.rc_context(_look(colors, own)):
        figure = Figure(figsize=size, layout="constrained", facecolor=colors["paper"])
        draw(figure, colors)
        figure.savefig(path, format="png", metadata={"Software": None})


def _look(colors: Colors, own: Any) -> dict[Any, Any]:
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
    root = style_sheet().split("}", 1)[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", root))


def _for_html(drawn: bytes, name: str) -> str:
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
    text = etree.tostring(root, encoding="unicode")
    text = re.sub(r" font-family: [^;\"]*;", "", text)
    text = re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", text)
    for variable, stand_in in STAND_INS.items():
        text = text.replace(stand_in, f"var(--{variable})")
    return " ".join(text.split())


Filters = Mapping[str, Callable[..., Any]]


def render_page(template: str, filters: Filters, values: Mapping[str, Any]) -> str:
    """Return a page made of `template`, such as report/template.html. Equal input gives equal text.

    All is escaped but what the template marks as safe: plots and style sheet, which are our own.
    """
    environment = Environment(
        loader=PackageLoader("focused_crawler", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=formats.percent, count=formats.count, tidy=formats.tidy, **filters)
    return environment.get_template(template).render(
        values, style=style_sheet(), words=words, formats=formats
    )
