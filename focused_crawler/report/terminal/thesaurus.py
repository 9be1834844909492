"""A thesaurus and its candidates for the terminal: nothing of the pages can steer it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from focused_crawler.safety.printable import printable
from focused_crawler.topic.thesaurus.grow import Candidate
from focused_crawler.topic.thesaurus.model import Thesaurus
from focused_crawler.topic.thesaurus.outline import outline_lines


def drawing(thesaurus: Thesaurus) -> Group:
    """Return the trees of all facets as outlines, below a summary."""
    parts: list[Table | Text] = [summary(thesaurus)]
    for facet in thesaurus.facets:
        parts.append(Text(f"{facet.name}: {printable(facet.title)}" if facet.title else facet.name, "bold"))
        parts += [_indented(line) for line in outline_lines(facet.entries)]
        parts += [Text(f"  not: {printable(wording)}", "red") for wording in facet.negative]
    parts += [Text(f"not: {printable(wording)}", "red") for wording in thesaurus.negative]
    return Group(*parts)


def summary(thesaurus: Thesaurus) -> Table:
    """Return how large each facet is."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("facet")
    for column in ("entries", "wordings", "levels", "negative"):
        table.add_column(column, justify="right")
    for facet in thesaurus.facets:
        wordings = sum(len(entry.wordings) for _, entry, _ in facet.walk())
        counts = sum(1 for _ in facet.walk()), wordings, facet.depth, len(facet.negative)
        table.add_row(facet.name, *(f"{count:,}" for count in counts))
    return table


def candidate_table(candidates: Sequence[Candidate]) -> Table:
    """Return candidates, the most telling first."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("phrase", "facet", "broader"):
        table.add_column(column, overflow="fold")
    for column in ("relevant", "other", "score"):
        table.add_column(column, justify="right")
    for one in candidates:
        words = (Text(printable(text)) for text in (one.wording, one.facet, one.broader))
        table.add_row(*words, f"{one.relevant:,}", f"{one.other:,}", f"{one.score:,.0f}")
    return table


def _indented(line: str) -> Text:
    content = line.lstrip()
    return Text("  " + " " * (len(line) - len(content)) + printable(content))
