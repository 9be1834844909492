"""A taxonomy as people look at it: its tree with marks and counts, and one category with all around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.taxonomy.category_files import CategoryFiles
from focused_crawler.classify.taxonomy.classifier import FILES, TaxonomyModel
from focused_crawler.classify.taxonomy.edit_log import reading
from focused_crawler.classify.taxonomy.preview import FocusSample
from focused_crawler.classify.taxonomy.tree import ROOT, Tree, is_within, line_of
from focused_crawler.safety.errors import CrawlError, ModelError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import last_position
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.rules import identity, is_page_file

MOST_OPEN = 400
"""Categories that are all shown; of a larger tree, those around the one at hand."""
MOST_PAGES = 12
SAMPLED = 200
"""Pages of a preview: judged in a quarter of a second, and right to seven per cent."""

_COUNTS = "SELECT category, count(*) FROM pages WHERE category IS NOT NULL GROUP BY category"
_PAGES = """
SELECT url, title, relevance, position FROM pages WHERE category = ? AND duplicate_of IS NULL
ORDER BY relevance DESC, position LIMIT ?
"""


class Node(NamedTuple):
    """A line of the tree."""

    path: str
    name: str
    title: str
    own: int  # examples
    below: int  # examples of categories below it
    topics: tuple[str, ...]
    mark: str  # "good", "covered" by one above, or ""
    pages: int | None  # of the crawl, whose best leaf is here or below; None: not known
    children: list[Node]
    is_closed: bool  # some children are not shown


class Example(NamedTuple):
    """An example of a category."""

    name: str
    is_own: bool  # else it comes with a topic, and is changed there


class PageHere(NamedTuple):
    """A page of a crawl whose best leaf is the category."""

    url: str
    title: str
    relevance: float
    is_example: bool


def page_counts_of(database: CrawlDatabase) -> dict[str, int]:
    """Return how many pages of a crawl have which best leaf; none: no taxonomy judged them."""
    return {str(path): int(pages) for path, pages in database.rows(_COUNTS)}


def nodes_of(tree: Tree, marks: Collection[str], counts: dict[str, int], at: str) -> Node:
    """Return the root, with what is shown below it."""
    below = Counter(dict.fromkeys(tree.paths, 0))
    pages: Counter[str] = Counter()
    for category in tree.categories:
        for above in line_of(category.path):
            below[above] += len(category.examples)
    for path, number in counts.items():
        for above in line_of(path):
            pages[above] += number
    open_ones = set(tree.paths) if len(tree.paths) <= MOST_OPEN else {*line_of(at), ROOT}

    def node(path: str) -> Node:
        category, is_open = tree[path], path in open_ones
        covered = any(is_within(path, other) for other in marks)
        return Node(
            path=path,
            name=path.rpartition("/")[2] or "all",
            title=category.title,
            own=len(category.examples),
            below=below[path] - len(category.examples),
            topics=category.topics,
            mark="good" if path in marks else "covered" if covered else "",
            pages=pages[path] if counts else None,
            children=[node(child) for child in tree.children(path)] if is_open else [],
            is_closed=not is_open and bool(tree.children(path)),
        )

    return node(ROOT)


def examples_of(folder: Path, tree: Tree, path: str) -> list[Example]:
    """Return the examples of a category, its own first; saved pages by their paths from its folder."""
    root = folder.resolve()
    with reading(root):
        own = CategoryFiles(root, path).own
    top = f"{root / path}/"
    others = [
        name
        for name in tree[path].examples
        if identity(name) not in own and name.removeprefix(top) not in own.values()
    ]
    return [Example(name, True) for name in own.values()] + [Example(name, False) for name in others]


def pages_here(database: CrawlDatabase, tree: Tree, path: str, examples: Iterable[Example]) -> list[PageHere]:
    """Return the most relevant pages of a crawl whose best leaf is a category, or below it."""
    known = {identity(one.name) for one in examples if not is_page_file(one.name)}
    found = [row for leaf in tree.leaves_below(path) for row in database.rows(_PAGES, (leaf, MOST_PAGES))]
    best = nsmallest(MOST_PAGES, found, key=lambda row: (-row[2], row[3]))
    return [PageHere(url, title, share, identity(url) in known) for url, title, share, _ in best]


def model_of(folder: Path) -> TaxonomyModel | None:
    """Return the model in a folder, None where there is none that can be read."""
    try:
        written = (folder / FILES.header).stat().st_mtime_ns
        return _model(folder, written)
    except (OSError, ModelError):
        return None


@lru_cache(maxsize=2)
def _model(folder: Path, _written: int) -> TaxonomyModel:
    return TaxonomyModel.load(folder)


def sample_of(crawl: Path, model: TaxonomyModel) -> FocusSample | None:
    """Return pages of a crawl to try marks on; None: it has no texts. The last ones are remembered."""
    with read_crawl(crawl) as database:
        last = last_position(database)
    try:
        return _sample(crawl, model, last - last % SAMPLED)
    except CrawlError:
        return None


@lru_cache(maxsize=4)
def _sample(crawl: Path, model: TaxonomyModel, _pages: int) -> FocusSample:
    with read_crawl(crawl) as database:
        return FocusSample.read(database, model, SAMPLED)
