"""Classes near a topic, from the census of a crawl (Chakrabarti et al. 1999, sections 2.1 and 5.1).

A crawl whose good categories are too narrow finds few pages: those that lead to its own stand in categories
beside them. Pages of mutual funds are cited by pages about investing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.taxonomy.marked import covering
from focused_crawler.classify.taxonomy.tree import OTHER, Tree, is_within, line_of, parent_of
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.history import last_position
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl

LEAST_PAGES = 3
LEAST_SHARE = 0.01
"""A class of fewer pages, or of a smaller share of the pages that are not good, is chance."""
LEADING_SHARE = 1 / 3
LEADING_LIFT = 1.5
"""A distant class leads to the topic if so many of its pages do, and so many times as many as elsewhere."""
CATCH_ALLS = frozenset({OTHER, "others"})
"""Leaves of what is nowhere else: to mark one is to give up the focus."""

# CROSS JOIN: SQLite keeps the order, and follows the links of each page; else it tries all pairs of pages.
_CENSUS = """
WITH judged AS (SELECT u.id, p.category, p.is_relevant FROM pages AS p JOIN urls AS u ON u.key = p.key
                WHERE p.category IS NOT NULL AND p.position > ?),
     leaders AS (SELECT DISTINCT s.id FROM judged AS s CROSS JOIN links AS l CROSS JOIN judged AS t
                 WHERE l.source = s.id AND t.id = l.target AND t.is_relevant = 1 AND s.id != t.id)
SELECT category, count(*), sum(is_relevant), count(leaders.id)
FROM judged LEFT JOIN leaders ON leaders.id = judged.id GROUP BY category
"""


@dataclass(frozen=True, slots=True)
class CensusRow:
    """The pages of a crawl whose best leaf is this category."""

    path: str
    pages: int
    relevant: int
    leading: int  # pages with a link to another relevant page
    is_good: bool
    is_near: bool  # a sibling of a good category, or below one that is
    is_suggested: bool


@dataclass(frozen=True, slots=True)
class Related:
    """What a crawl says of the categories around its topic."""

    rows: tuple[CensusRow, ...]  # the most frequent first
    marks: tuple[str, ...]  # all that should be good, what is so already among it; none: no more than that


def census(folder: Path, last: int | None = None) -> list[tuple[str, int, int, int]]:
    """Return (category, pages, relevant pages, pages that lead to relevant ones) of a crawl's folder.

    `last`: of so many pages, those that were recorded last; None: of all.

    CrawlError for a folder without a crawl, or a crawl whose pages no taxonomy judged.
    """
    if not (folder / "crawl.db").is_file() and read_run(folder) is None:
        raise CrawlError(f"{folder} holds no crawl; name its folder, such as crawls/mutual-funds/1")
    with read_crawl(folder) as database:
        after = 0 if last is None else last_position(database) - last
        rows = database.rows(_CENSUS, (after,))
    if not rows:
        raise CrawlError(
            f"the pages of {folder} have no category; crawl with -a strategy=soft_focus or hard_focus"
        )
    return [(str(category), int(pages), int(good), int(lead)) for category, pages, good, lead in rows]


def related(tree: Tree, good: frozenset[str], counted: Iterable[tuple[str, int, int, int]]) -> Related:
    """Find classes that are frequent, not good, and near good ones or often lead to relevant pages.

    `good`: the topmost good categories. A near class must have a page that is relevant or leads to one, if
    the links of pages that are not good are known at all. One that is not near must have `LEAST_PAGES` that
    lead to relevant pages, a third of its own, and that half as often again as the other pages that are not
    good. A leaf of all others is never suggested. What is suggested is joined with the good categories where
    that makes fewer marks.
    """
    counted = [row for row in counted if row[0] in tree]
    bad = [row for row in counted if not _is_good(row[0], good)]
    away = _Away(sum(row[1] for row in bad), sum(row[3] for row in bad))
    rows = tuple(_row(row, good, away) for row in sorted(counted, key=lambda row: (-row[1], row[0])))
    wanted = [row.path for row in rows if row.is_suggested]
    mine = [leaf for leaf in tree.leaves if _is_good(leaf, good)]
    marks = covering(tree, {*wanted, *mine}) if wanted else []
    return Related(rows, tuple(sorted(tree.good_nodes([*good, *marks]))) if wanted else ())


class _Away(NamedTuple):
    """All pages that are not good; after hard focus none leads anywhere, as their links are not kept."""

    pages: int
    leading: int


def _row(counted: tuple[str, int, int, int], good: frozenset[str], away: _Away) -> CensusRow:
    path, pages, relevant, leading = counted
    is_good = _is_good(path, good)
    is_near = not is_good and any(_is_near(path, node) for node in good)
    is_frequent = pages >= max(LEAST_PAGES, LEAST_SHARE * away.pages)
    is_candidate = not is_good and is_frequent and path.rpartition("/")[2] not in CATCH_ALLS
    is_close = relevant + leading > 0 or not away.leading if is_near else _leads(pages, leading, away)
    return CensusRow(path, pages, relevant, leading, is_good, is_near, is_candidate and is_close)


def _leads(pages: int, leading: int, away: _Away) -> bool:
    """Tell whether a class leads to relevant pages markedly more often than the rest that is not good."""
    elsewhere = (away.leading - leading) / max(away.pages - pages, 1)
    return leading >= LEAST_PAGES and leading / pages >= max(LEADING_SHARE, LEADING_LIFT * elsewhere)


def _is_good(path: str, good: frozenset[str]) -> bool:
    return not good.isdisjoint(line_of(path))


def _is_near(path: str, good: str) -> bool:
    """Tell whether a category shares the parent of a good one, which may not be the root."""
    parent = parent_of(good)
    return bool(parent) and is_within(path, parent or "")
