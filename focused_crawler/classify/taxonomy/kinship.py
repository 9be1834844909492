"""What is near a category: others that share its words or are linked with it, and pages around its examples.

The paper's administration offers both (Chakrabarti et al. 1999, section 2.2): a person looks at them, and
marks, merges, or takes examples over.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np

from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.tree import Tree, is_within
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_links import linked_keys

MOST_TERMS = 8
_MOST_CATEGORIES = 5
MOST_PAGES = 200
"""Pages of a category whose links are followed: the last ones recorded."""

_OWN = "SELECT key FROM pages WHERE category {among} ORDER BY position DESC LIMIT ?"
_LINKED = """
WITH own AS (SELECT id FROM urls WHERE key {among}),
     pairs AS (SELECT own.id AS mine, target AS other FROM own JOIN links ON source = own.id
               UNION SELECT own.id, source FROM own JOIN links ON target = own.id)
SELECT category, count(DISTINCT pages.position) AS linked, count(DISTINCT mine) FROM pairs
JOIN urls ON urls.id = other JOIN pages ON pages.key = urls.key
WHERE category IS NOT NULL GROUP BY category ORDER BY linked DESC, category
"""
_AROUND = """
WITH example AS (SELECT id FROM urls WHERE key {among}),
     pairs AS (SELECT example.id AS mine, target AS other, 1 AS outward FROM example JOIN links
               ON source = example.id
               UNION SELECT example.id, source, 0 FROM example JOIN links ON target = example.id)
SELECT pages.position, pages.url, pages.title, pages.category, pages.relevance,
       count(DISTINCT CASE WHEN outward = 1 THEN mine END),
       count(DISTINCT CASE WHEN outward = 0 THEN mine END)
FROM pairs JOIN urls ON urls.id = other JOIN pages ON pages.key = urls.key
WHERE duplicate_of IS NULL AND NOT pages.key {among}
GROUP BY pages.position, pages.url, pages.title, pages.category, pages.relevance
ORDER BY count(DISTINCT mine) DESC, pages.relevance DESC, pages.position LIMIT ?
"""


class Alike(NamedTuple):
    """A category with words of another one."""

    path: str
    likeness: float  # cosine, [0, 1]
    terms: tuple[str, ...]  # stems that they share, those that say most first


class Linked(NamedTuple):
    """A category whose pages are linked with those of another one."""

    path: str
    pages: int  # of it, that link to pages of the other, or are linked from there
    mine: int  # pages of the other, of the last `MOST_PAGES`


class Neighbour(NamedTuple):
    """A page of a crawl beside the examples of a category, which it is not yet."""

    position: int
    url: str
    title: str
    category: str | None  # its best leaf; None: the crawl had no taxonomy
    relevance: float
    linked_from: int  # examples that link to it
    links_to: int  # examples that it links to


def alike(model: TaxonomyModel, path: str) -> list[Alike]:
    """Return the categories that share most words with one; none above or below it."""
    tree = model.tree
    if path not in tree or not path:
        return []
    cosines, parts = model.likeness(path)
    others = [
        number
        for number, other in enumerate(tree.paths)
        if other and not is_within(other, path) and not is_within(path, other) and not tree.children(other)
    ]
    best = sorted(others, key=lambda number: (-cosines[number], number))[:_MOST_CATEGORIES]
    return [
        Alike(tree.paths[number], float(cosines[number]), _shared(model, parts[[number]].toarray().ravel()))
        for number in best
        if cosines[number] > 0
    ]


def _shared(model: TaxonomyModel, values: np.typing.NDArray[np.float64]) -> tuple[str, ...]:
    columns = np.argsort(-values, kind="stable")[:MOST_TERMS]
    return tuple(model.terms[column] for column in columns if values[column] > 0)


def linked(database: CrawlDatabase, tree: Tree, path: str) -> list[Linked]:
    """Return the leaves whose pages are linked most with those of a category, in a crawl."""
    leaves = database.many(tree.leaves_below(path))
    keys = [key for (key,) in database.rows(_OWN.format(among=database.among), (leaves, MOST_PAGES))]
    if not keys:
        return []
    found = database.rows(_LINKED.format(among=database.among), (database.many(keys),))
    others = (Linked(*row) for row in found if row[0] in tree and not is_within(row[0], path))
    return list(islice(others, _MOST_CATEGORIES))


def neighbours(database: CrawlDatabase, examples: Iterable[str], most: int = 20) -> list[Neighbour]:
    """Return fetched pages that link to examples, or they to them: those first that do so most often."""
    found = database.many(linked_keys(database, examples))
    rows = database.rows(_AROUND.format(among=database.among), (found, found, most))
    return [Neighbour(*row) for row in rows]
