"""Tables and figures of what was measured, as a TOML file beside the benchmark describes them.

    [[table]]
    name = "harvest"                  # of its place in a document: <!-- harvest --> <!-- /harvest -->
    title = "Harvest at 1,000 pages"
    rows = "crawls"                   # which rows, of those that a benchmark returns
    by = ["topic"]                    # a row a value of these
    labels = { d = "seed set d" }     # what such values are called, if not by their names
    last = "mean"                     # a row over all of them, by that name
    columns = [["{strategy}", "{harvest:.2f} ({harvest.min:.2f} - {harvest.max:.2f})", {seeds = "d"}]]

    [figures]
    "harvest_{strategy}" = ["crawls", "harvest.by_topic"]
    harder = ["crawls", "harvest", { seeds = "c" }, { seeds = "d" }]  # as a share of that of the second rows

A column has a head, a text, and the values that its rows must have. What the head names in braces makes it a
column for each value of that; so does the name of a figure. A measure is the mean unless the text says which
other one (`Measure`). Where the text is a list of two, the second is that of the last row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import fmean, median
from string import Formatter
from typing import Any

import numpy as np
from rich.table import Table

from focused_crawler.experiment.measures import Setting
from focused_crawler.experiment.statistics import Interval, Resampling

NAN = float("nan")
_HOW = {"mean": fmean, "median": median, "min": min, "max": max}
_NAN = re.compile(r"[+-]?\bnan\b%?")
_NO_SIGN = re.compile(r"(?<![\w.])[+-](0\.0+)(?!\d)")  # nothing is neither more nor less


class Rows(list[dict[str, Any]]):
    """Cases: what each is, and what was measured. None and NaN are no measurement."""

    def where(self, **wanted: object) -> Rows:
        """Return the rows that have these values; a list stands for any of its own."""
        sets = {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}
        return Rows(row for row in self if all(row.get(name) in values for name, values in sets.items()))

    def by(self, *names: str) -> dict[tuple[Any, ...], Rows]:
        """Return the rows by the values of some columns, in order of appearance."""
        found: dict[tuple[Any, ...], Rows] = {}
        for row in self:
            found.setdefault(tuple(row.get(name) for name in names), Rows()).append(row)
        return found

    def measure(self, name: str) -> Measure:
        """Return one of the measures."""
        return Measure(self, name)

    def value(self, how: str) -> float:
        """Return a number by a measure's name, with what is asked of it: "R", "R.max"."""
        name, _, kind = how.partition(".")
        return float(getattr(self.measure(name), kind or "mean")) if self else NAN


class Measure:
    """A measure of some rows: its mean, median, min, max, sum, count.

    Over topics: by_topic, worst_topic, low and high.
    """

    def __init__(self, rows: Rows, name: str) -> None:
        found = [row.get(name) for row in rows]
        self._rows, self._name = rows, name
        self.values = [value for value in found if value is not None and value == value]

    def __getattr__(self, how: str) -> float:
        if how not in _HOW:
            raise AttributeError(how)
        return float(_HOW[how](self.values)) if self.values else NAN

    def __format__(self, form: str) -> str:
        texts = [value for value in self.values if isinstance(value, str)]
        return ", ".join(dict.fromkeys(texts)) if texts else format(self.mean, form)

    @property
    def sum(self) -> float:
        return sum(self.values)

    @property
    def count(self) -> int:
        return len(self.values)

    @property
    def by_topic(self) -> float:
        """Return the mean over topics, each the mean over its rows."""
        means = self._means
        return fmean(means) if means else NAN

    @property
    def worst_topic(self) -> float:
        """Return the least of these means."""
        return min(self._means, default=NAN)

    @property
    def _means(self) -> list[float]:
        means = [rows.measure(self._name).mean for rows in self._rows.by("topic").values()]
        return [mean for mean in means if mean == mean]

    @property
    def by_setting(self) -> float:
        """Return the mean over topics, each the mean over its seed sets, each the mean over its rows."""
        return self._interval.mean

    @property
    def low(self) -> float:
        """Return where the 95 % interval of the mean over topics begins."""
        return self._interval.low

    @property
    def high(self) -> float:
        """Return where it ends."""
        return self._interval.high

    @cached_property
    def _interval(self) -> Interval:
        """Bootstrap topics, then seed sets; rows of one setting count as their mean."""
        if not self.values:
            return Interval(NAN, NAN, NAN)
        settings = self._rows.by("web", "topic", "seed_set")
        means = {key: rows.measure(self._name).mean for key, rows in settings.items()}
        known = {Setting(*map(str, key)): mean for key, mean in means.items() if mean == mean}
        return Resampling.of(list(known)).interval(np.array(list(known.values())))


class _Measures(dict[str, Any]):
    """What a template asks rows for."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, name: str) -> Measure:
        return self._rows.measure(name)


def written(text: str, rows: Rows) -> str:
    """Return a template filled with measures of some rows; a dash stands for what is not there."""
    return _NO_SIGN.sub(r"\1", _NAN.sub("–", text.format_map(_Measures(rows))))


@dataclass
class Grid:
    """A table; its first column is text, the others are numbers."""

    title: str
    head: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    name: str = ""

    def add(self, *cells: object) -> None:
        """Append a row."""
        self.rows.append([str(cell) for cell in cells])

    def shown(self) -> Table:
        """Return the table for a terminal."""
        table = Table(title=self.title, title_justify="left")
        for number, name in enumerate(self.head):
            kind = {"justify": "right", "overflow": "fold"} if number else {"no_wrap": True}
            table.add_column(name, **kind)
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """Return the table in Markdown."""
        rows = (self.head, ["---"] + ["---:"] * (len(self.head) - 1), *self.rows)
        return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)


def put_into(path: Path, grids: Iterable[Grid]) -> None:
    """Put each table between its markers in a document; a table without markers is left out."""
    text = path.read_text("utf-8")
    for grid in grids:
        begin, end = f"<!-- {grid.name} -->", f"<!-- /{grid.name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if found and closed:
            text = f"{before}{begin}\n{grid.markdown()}\n{end}{after}"
    path.write_text(text, "utf-8")


def grids_of(spec: Mapping[str, Any], rows: Mapping[str, Rows]) -> list[Grid]:
    """Return the tables that a file describes, of those rows that there are."""
    return [_grid(table, rows[table["rows"]]) for table in spec.get("table", ()) if rows.get(table["rows"])]


def _grid(table: Mapping[str, Any], rows: Rows) -> Grid:
    by, labels = table.get("by", []), table.get("labels", {})
    rows = rows.where(**table.get("where", {}))
    columns = [column for described in table["columns"] for column in _columns(rows, *described)]
    heads = [name.replace("_", " ") for name in by]
    grid = Grid(table["title"], [*heads, *(head for head, _, _ in columns)], name=table.get("name", ""))
    for key, mine in rows.by(*by).items():
        called = (labels.get(value, value) for value in key)
        grid.add(*called, *(written(text[0], mine.where(**only)) for _, text, only in columns))
    if "last" in table:
        empty = [""] * (len(by) - 1)
        grid.add(table["last"], *empty, *(written(text[-1], rows.where(**only)) for _, text, only in columns))
    return grid


def _columns(
    rows: Rows, head: str, text: str | list[str], only: Mapping[str, Any] = {}
) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    texts = text if isinstance(text, list) else [text]
    for values in _each(rows, head, only):
        yield head.format_map(values), texts, {**only, **values}


def _each(rows: Rows, name: str, only: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all values of what a name has in braces: those that are listed, else those that there are."""
    fields = list(dict.fromkeys(part for _, part, _, _ in Formatter().parse(name) if part))
    mine = rows.where(**only)
    there = [[row[part] for row in mine if row.get(part) is not None] for part in fields]
    listed = [
        only[part] if isinstance(only.get(part), list) else values
        for part, values in zip(fields, there, strict=True)
    ]
    for values in product(*map(dict.fromkeys, listed)):
        yield dict(zip(fields, values, strict=True))


def figures_of(spec: Mapping[str, Any], rows: Mapping[str, Rows]) -> dict[str, float]:
    """Return the figures that a file describes, without those that nothing was measured for."""
    found = {}
    for name, (source, how, *conditions) in spec.get("figures", {}).items():
        only, *of_which = conditions or [{}]
        of_source = rows.get(source) or Rows()
        for values in _each(of_source, name, only):
            value, *whole = (of_source.where(**one | values).value(how) for one in (only, *of_which))
            value /= (whole[0] or NAN) if whole else 1
            if value == value:
                key = name.format_map({part: _plain(value) for part, value in values.items()})
                found[key] = value
    return found


def _plain(value: object) -> str:
    """Return a value as a part of a figure's name.

    >>> _plain("thesaurus, not grown")
    'thesaurus_not_grown'
    """
    return str(value).replace(",", "").replace("%", "pct").replace(" ", "_")
