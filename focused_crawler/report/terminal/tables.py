"""The one style of tables and lines on a terminal: what is foreign is made printable, and is never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.box import HORIZONTALS, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from focused_crawler.link_scoring.base import Parts
from focused_crawler.report.terminal.output import clipped, sentence, stacked, text
from focused_crawler.safety.formats import count

Row = Iterable[RenderableType]


def table(*columns: str, rows: Iterable[Row] = (), title: str = "") -> Table:
    """Return a table; an empty row is a line between sections.

    A column whose name begins with ">" holds numbers, at the right; with "|", text that is not broken. All
    other text goes on in the next line where it is too wide.
    """
    shown = Table(box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    shown.title = text(title, "bold") if title else None
    for name in columns:
        if name.startswith(">"):
            shown.add_column(text(name[1:]), justify="right", no_wrap=True)
        else:
            shown.add_column(text(name.removeprefix("|")), overflow="fold", no_wrap=name.startswith("|"))
    for row in rows:
        add_row(shown, *row)
    return shown


def add_row(shown: Table, *cells: RenderableType, style: str = "") -> None:
    """Add a row to a table; plain strings are foreign text."""
    if cells:
        shown.add_row(*(text(cell) if isinstance(cell, str) else cell for cell in cells), style=style)
    else:
        shown.add_section()


def panel(title: Text, facts: Iterable[tuple[str, Text]]) -> Panel:
    """Return names and values between two lines."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts:
        add_row(grid, name, value)
    return Panel(grid, title=title, title_align="left", box=HORIZONTALS, padding=(0, 1))


def spread(left: RenderableType, right: Text) -> Table:
    """Return a line with something at each of its ends."""
    grid = Table.grid(expand=True, padding=(0, 2, 0, 0))
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    add_row(grid, left, right)
    return grid


def branch(label: Text, stem: Tree | None = None) -> Tree:
    """Return a node of a drawn tree, below its stem."""
    return Tree(label) if stem is None else stem.add(label)


def heading(words: str, space: int = 0) -> RenderableType:
    """Return a headline below so many empty lines."""
    return Padding(text(words, "bold"), (space, 0, 0, 0), expand=False) if space else text(words, "bold")


def indented(part: str | Text, style: str = "", by: int = 2) -> Padding:
    """Return a line that begins further to the right, as do those that it is broken into."""
    shown = text(part, style) if isinstance(part, str) else part
    shown.overflow = "fold"
    return Padding(shown, (0, 0, 0, by), expand=False)


def page(title: str, url: str) -> RenderableType:
    """Return a page's title, cut where it is too long, and below it the whole URL."""
    return Group(clipped(title), text(url, "dim"))


def noted(name: str, note: str) -> Text:
    """Return a name with a person's note below it."""
    return stacked([text(name), text(note, "dim")] if note else [text(name)])


def more(number: int, where: str = "") -> Text:
    """Return how many rows are left out."""
    return sentence(f"and {count(number)} more{where}")


def reckoned(parts: Parts, by: int = 2) -> Iterator[Padding]:
    """Yield the values that make a link's priority, and the addends of those that are sums."""
    yield indented(sentence(_named(parts.values, "")), by=by)
    for name, addends in parts.sums.items():
        yield indented(sentence(f"{name} = {_named(addends, '+')}"), by=by)


def _named(values: Mapping[str, float], sign: str) -> str:
    return ", ".join(f"{name} {value:{sign}.3f}" for name, value in values.items())
