"""Tables that are shown in a terminal and written into a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table


@dataclass
class Grid:
    """A table by name; its first column is text, the others are numbers."""

    name: str  # of its place in a document: between <!-- name --> and <!-- /name -->
    title: str
    head: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Append a row."""
        self.rows.append(list(cells))

    def shown(self) -> Table:
        """Return the table for a terminal."""
        table = Table(title=self.title)
        for number, name in enumerate(self.head):
            table.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """Return the table in Markdown."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for cells in (self.head, ["---"] + ["---:"] * (len(self.head) - 1), *self.rows):
            yield "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


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


def points(share: float) -> str:
    """Return a share as points of a hundred.

    >>> points(0.8796)
    '88.0'
    """
    return f"{100 * share:.1f}"


def signed(share: float) -> str:
    """Return a difference of two shares as points, with its sign; "0.0" has none.

    >>> signed(0.0091), signed(-0.0361), signed(-0.0001)
    ('+0.9', '-3.6', '0.0')
    """
    text = f"{100 * share:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text
