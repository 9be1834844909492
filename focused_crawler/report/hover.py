"""What a chart says where a pointer rests on it: the values there, as titles of parts that cover it.

Browsers show them without a script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from focused_crawler.report.panels import Hover, Line
from focused_crawler.safety.formats import count, percent, plural, tidy

MOST_PARTS = 40
"""Of a chart from left to right: more would be narrower than a pointer is exact."""


def over_lines(
    lines: Sequence[Line], x_label: str, value: Callable[[float], str] = percent, parts: int = MOST_PARTS
) -> list[Hover]:
    """Return parts with the values of all lines that have a name, the highest first."""
    named = [line for line in lines if line.name and len(line.x)]
    if not named:
        return []
    xs = [np.asarray(line.x, dtype=float) for line in named]
    longest = max(xs, key=lambda x: float(x[-1]))
    chosen = np.unique(np.linspace(0, len(longest) - 1, min(parts, len(longest))).round().astype(int))
    at = longest[chosen]
    edges = [0.0, *((at[1:] + at[:-1]) / 2).tolist(), float(at[-1])]
    found = []
    for low, high, middle in zip(edges[:-1], edges[1:], at.tolist(), strict=True):
        values = [
            (float(line.y[min(int(np.searchsorted(x, middle)), len(x) - 1)]), line.name)
            for line, x in zip(named, xs, strict=True)
            if middle <= x[-1]
        ]
        said = [f"{tidy(name, 60)}: {value(y)}" for y, name in sorted(values, reverse=True)]
        found.append(Hover(low, high, "\n".join([f"{_number(middle)} {x_label}", *said])))
    return found


def over_columns(columns: Sequence[tuple[float, float, int]], noun: str) -> list[Hover]:
    """Return a part a column: what lies between two numbers."""
    return [
        Hover(low, high, f"{low:.2f} to {high:.2f}: {plural(number, noun)}") for low, high, number in columns
    ]


def over_rows(texts: Sequence[str]) -> list[Hover]:
    """Return a part a row, the first on top."""
    top = len(texts) - 1
    return [Hover(top - row - 0.5, top - row + 0.5, tidy(text, 200), True) for row, text in enumerate(texts)]


def _number(value: float) -> str:
    return count(value) if float(value).is_integer() else f"{value:.2f}"
