"""What `scrapy taxonomy` shows on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Table
from rich.tree import Tree as Drawing

from focused_crawler.classify.taxonomy.marked import Mark, PageMatch
from focused_crawler.classify.taxonomy.related import Related
from focused_crawler.classify.taxonomy.training import TaxonomyReport
from focused_crawler.classify.taxonomy.tree import ROOT, Tree, line_of
from focused_crawler.safety.printable import printable

MOST_CLASSES = 20
"""Rows of a census."""


def drawing(tree: Tree, good: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw a tree with the examples and topics of each category, and whom it is good for: path -> topics."""
    nodes: dict[str, Drawing] = {}
    for path in tree.paths:
        label = _label(tree, path, good)
        parent = line_of(path)[1:2]
        nodes[path] = nodes[parent[0]].add(label) if parent else Drawing(label)
    return nodes[ROOT]


def quality(report: TaxonomyReport) -> Table:
    """Return the table of how well each category is told from the others."""
    table = Table(title="Judged on examples held out of training")
    _columns(table, "category", "examples", "precision", "recall", "F1")
    for row in report.rows:
        figures = [f"{figure:.2f}" for figure in (row.precision, row.recall, row.f1)]
        table.add_row(row.path, str(row.examples), *(figures if row.held_out else ["", "", ""]))
    return table


def matches(found: Sequence[PageMatch]) -> Table:
    """Return the best leaves of each page."""
    table = Table(title="Best categories of each page")
    table.add_column("page", overflow="fold")
    table.add_column("category (probability)")
    for match in found:
        shown = [f"{path} ({share:.3g})" for path, share in match.leaves if share >= 0.001]
        table.add_row(escape(printable(match.name)), "\n".join(shown))
    return table


def coverage(marks: Sequence[Mark], pages: int) -> Table:
    """Return the categories that hold all the pages."""
    table = Table(title="Categories that hold them all")
    _columns(table, "category", "pages", "share", "leaves with a page")
    for mark in marks:
        table.add_row(mark.path, str(mark.pages), f"{mark.pages / pages:.0%}", f"{mark.hit} of {mark.leaves}")
    return table


def classes(found: Related) -> Table:
    """Return the census of a crawl, and what is suggested."""
    table = Table(title="The crawl's pages by category")
    _columns(table, "category", "pages", "relevant", "lead to relevant", "good", "suggested", text=(0, 4, 5))
    shown = list(found.rows[:MOST_CLASSES])
    shown += [row for row in found.rows[MOST_CLASSES:] if row.is_suggested]
    for row in shown:
        figures = (row.pages, row.relevant, row.leading)
        good = "good" if row.is_good else "near" if row.is_near else ""
        table.add_row(escape(row.path), *map(str, figures), good, "yes" if row.is_suggested else "")
    return table


def _columns(table: Table, *names: str, text: Sequence[int] = (0,)) -> None:
    for number, name in enumerate(names):
        table.add_column(name, justify="left" if number in text else "right")


def _label(tree: Tree, path: str, good: Mapping[str, Sequence[str]]) -> str:
    own = len(tree[path].examples)
    below = sum(len(tree[other].examples) for other in tree.below(path))
    name = escape(path.rpartition("/")[2]) if path else "taxonomy"
    topics = f" [cyan]{', '.join(tree[path].topics)}[/]" if tree[path].topics else ""
    examples = f"{own}" if own == below else f"{own} + {below - own} below" if own else f"{below} below"
    marks = f" [green]good for {', '.join(map(escape, good[path]))}[/]" if good.get(path) else ""
    return f"{name} [dim]{examples}[/]{topics}{marks}"
