"""The categories of a taxonomy, for the terminal: the tree, its model, what is near, what focus follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Drawing

from focused_crawler.report.terminal.output import assembled, lines
from focused_crawler.report.terminal.tables import branch, table
from focused_crawler.safety import formats
from focused_crawler.safety.formats import count, plural

if TYPE_CHECKING:  # each command is to load no more than it shows
    from focused_crawler.classify.taxonomy.kinship import Alike, Linked, Neighbour
    from focused_crawler.classify.taxonomy.marked import Mark, PageMatch
    from focused_crawler.classify.taxonomy.preview import FocusedPage, Preview
    from focused_crawler.classify.taxonomy.related import Related
    from focused_crawler.classify.taxonomy.training import TaxonomyReport
    from focused_crawler.classify.taxonomy.tree import Tree

MOST_CLASSES = 20
"""Rows of a census."""
MOST_PAGES = 5
"""Pages shown that change sides."""


def drawing(tree: Tree, good: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw a tree with the examples and topics of each category, and whom it is good for: path -> topics."""
    from focused_crawler.classify.taxonomy.tree import ROOT, line_of  # noqa: PLC0415 - loads slowly

    nodes: dict[str, Drawing] = {}
    for path in tree.paths:
        label = _label(tree, path, good)
        parent = line_of(path)[1:2]
        nodes[path] = branch(label, nodes[parent[0]] if parent else None)
    return nodes[ROOT]


def _label(tree: Tree, path: str, good: Mapping[str, Sequence[str]]) -> Text:
    own = len(tree[path].examples)
    below = sum(len(tree[other].examples) for other in tree.below(path))
    name = path.rpartition("/")[2] if path else "taxonomy"
    topics = f" {', '.join(tree[path].topics)}" if tree[path].topics else ""
    examples = f"{own}" if own == below else f"{own} + {below - own} below" if own else f"{below} below"
    marks = f" good for {', '.join(good[path])}" if good.get(path) else ""
    return assembled(f"{name} ", (examples, "dim"), (topics, "cyan"), (marks, "green"))


def category_quality(report: TaxonomyReport) -> Table:
    """Return how well each category is separated from the others."""
    rows = (
        (
            row.path,
            str(row.examples),
            *(f"{figure:.2f}" if row.held_out else "" for figure in (row.precision, row.recall, row.f1)),
        )
        for row in report.rows
    )
    columns = ("category", ">examples", ">precision", ">recall", ">F1")
    return table(*columns, rows=rows, title="Judged on examples held out of training")


def matches(found: Sequence[PageMatch]) -> Table:
    """Return the best leaves of each page."""
    rows = (
        (match.name, lines(f"{path} ({share:.3g})" for path, share in match.leaves if share >= 0.001))
        for match in found
    )
    return table("page", "category (probability)", rows=rows, title="Best categories of each page")


def coverage(marks: Sequence[Mark], pages: int) -> Table:
    """Return the categories that hold all the pages."""
    rows = (
        (mark.path, count(mark.pages), f"{mark.pages / pages:.0%}", f"{mark.hit} of {mark.leaves}")
        for mark in marks
    )
    columns = ("category", ">pages", ">share", ">leaves with a page")
    return table(*columns, rows=rows, title="Categories that hold them all")


def by_category(found: Related) -> Table:
    """Return the pages of a crawl by category, and which categories are suggested."""
    columns = ("category", ">pages", ">relevant", ">lead to relevant", "good", "suggested")
    chosen = list(found.rows[:MOST_CLASSES])
    chosen += [row for row in found.rows[MOST_CLASSES:] if row.is_suggested]
    rows = (
        (
            row.path,
            *map(str, (row.pages, row.relevant, row.leading)),
            "good" if row.is_good else "near" if row.is_near else "",
            "yes" if row.is_suggested else "",
        )
        for row in chosen
    )
    return table(*columns, rows=rows, title="The crawl's pages by category")


def kin(alike: Sequence[Alike], linked: Sequence[Linked]) -> Table:
    """Return the categories near one, by words and by links."""
    rows = [(one.path, f"words, {one.likeness:.2f}", ", ".join(one.terms)) for one in alike]
    rows += [(one.path, "links", f"{plural(one.pages, 'page')}, of {count(one.mine)} here") for one in linked]
    return table("category", "|near by", "", rows=rows, title="Categories nearby")


def around(pages: Sequence[Neighbour]) -> Table:
    """Return the pages that examples link to, or that link to them."""
    rows = (
        (
            f"{page.relevance:.2f}",
            str(page.linked_from),
            str(page.links_to),
            page.category or "",
            lines([formats.tidy(page.title, 100) or "Without a title", formats.tidy(page.url)]),
        )
        for page in pages
    )
    columns = (">relevance", ">linked from", ">links to", "category", "page")
    return table(*columns, rows=rows, title="Pages beside the examples")


def focused(preview: Preview) -> Table:
    """Return which leaves hard focus follows."""
    rows = (
        (leaf.path, count(leaf.pages), count(leaf.links), "followed" if leaf.is_good else "")
        for leaf in preview.leaves[:MOST_CLASSES]
    )
    return table("category", ">pages", ">links", "hard focus", rows=rows, title="Pages by their best leaf")


def focus_in_words(
    now: Preview, then: Preview, changed: tuple[Sequence[FocusedPage], Sequence[FocusedPage]]
) -> list[str]:
    """Return what hard and soft focus would follow, and what is different from the marks that there are."""
    pages, total = len(then.pages), sum(page.links for page in then.pages)
    few = f"; {count(pages)} of {count(then.of)} were judged" if pages < then.of else ""
    bands = ", ".join(f"{links:,} from {low:.1f} on" for low, links in then.bands)
    said = [
        f"Hard focus follows {count(then.followed)} of {plural(pages, 'page')} ({then.followed / pages:.0%}):"
        f" {count(then.links)} of {plural(total, 'link')}{few}.",
        f"Soft focus orders these links by R(d): {bands}.",
    ]
    for title, some in zip(("Followed now", "No longer followed"), changed, strict=True):
        if some:
            said.append(f"{title}: {plural(len(some), 'page')}, as the marks are different.")
            said += [f"  {formats.tidy(page.url, 200)} ({page.category})" for page in some[:MOST_PAGES]]
    if now is not then and not any(changed):
        said.append("No page changes sides by these marks.")
    return said
