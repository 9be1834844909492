"""The links of a recorded page, with what became of where they lead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from focused_crawler.page.url import normalise, url_key
from focused_crawler.store.database import CrawlDatabase

_SOURCE = "(SELECT id FROM urls WHERE key = ?)"
_LINKS = f"""
SELECT l.number, t.url, l.anchor, l.block, l.score, l.external, states.name, p.relevance, p.is_relevant,
       f.reason
FROM links AS l JOIN urls AS t ON t.id = l.target JOIN states ON states.state = t.state
LEFT JOIN pages AS p ON p.key = t.key LEFT JOIN failures AS f ON f.key = t.key
WHERE l.source = {_SOURCE} ORDER BY coalesce(l.score, -1) DESC, l.number LIMIT ?
"""  # noqa: S608 - our own words
_COUNTED = f"SELECT count(*), count(score) FROM links WHERE source = {_SOURCE}"  # noqa: S608


# Links know an example by the URL it was found at in the end, or by the one that was asked for.
_EXAMPLES = "SELECT key FROM pages WHERE requested_key {among} UNION SELECT key FROM urls WHERE key {among}"


class PageLink(NamedTuple):
    """A link of a page."""

    number: int  # from 0
    url: str
    anchor: str
    block: int  # from 0
    score: float | None  # [0, 1]; None: not followed
    is_external: bool  # it leads to another site
    state: str  # of its URL in the frontier, where the crawl's database holds that
    relevance: float | None  # of its page; None: not fetched
    is_relevant: bool
    failure: str | None  # why there is no page


class PageLinks(NamedTuple):
    """The best links of a page, and how many it has."""

    best: tuple[PageLink, ...]
    total: int
    followed: int  # of these


def links_of(database: CrawlDatabase, key: int, most: int) -> PageLinks:
    """Return the links of the page with a key, those with the highest scores first."""
    rows = (PageLink(*row) for row in database.rows(_LINKS, (key, most)))
    best = [
        row._replace(is_external=bool(row.is_external), is_relevant=bool(row.is_relevant)) for row in rows
    ]
    return PageLinks(tuple(best), *database.rows(_COUNTED, (key,))[0])


def linked_keys(database: CrawlDatabase, examples: Iterable[str]) -> list[int]:
    """Return the keys by which links know examples."""
    keys = database.many(sorted({url_key(url) for name in examples if (url := normalise(name))}))
    return [key for (key,) in database.rows(_EXAMPLES.format(among=database.among), (keys, keys))]
