"""The one style of tables and lines on a terminal: what is foreign is made printable, and is never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from focused_crawler.link_scoring.base import Parts
from focused_crawler.safety.formats import count
from focused_crawler.safety.printable import printable

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


def text(words: str, style: str = "") -> Text:
    """Return foreign text on one line."""
    return Text(printable(words), style=style, overflow="fold")


def lines(parts: Iterable[str]) -> Text:
    """Return foreign text on a line each."""
    return Text("\n".join(map(printable, parts)))


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
    return Group(Text(printable(title), no_wrap=True, overflow="ellipsis"), text(url, "dim"))


def noted(name: str, note: str) -> Text:
    """Return a name with a person's note below it."""
    shown = text(name)
    return shown.append(f"\n{printable(note)}", style="dim") if note else shown


def more(number: int, where: str = "") -> Text:
    """Return how many rows are left out."""
    return Text(f"and {count(number)} more{where}")


def reckoned(parts: Parts, by: int = 2) -> Iterator[Padding]:
    """Yield the values that make a link's priority, and the addends of those that are sums."""
    yield indented(Text(_named(parts.values, "")), by=by)
    for name, addends in parts.sums.items():
        yield indented(Text(f"{printable(name)} = {_named(addends, '+')}"), by=by)


def _named(values: Mapping[str, float], sign: str) -> str:
    return ", ".join(f"{printable(name)} {value:{sign}.3f}" for name, value in values.items())
