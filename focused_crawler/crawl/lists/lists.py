"""The sites and hubs of a topic over all crawls counted, with the marks of a person.

Badia et al. (2006), post-processing: "we update our list of hubs and sites by counting, for each hub or site,
the number of pages found to be relevant. If the number was above a threshold, we kept the hub or site".
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from sqlite3 import Connection
from typing import Literal, NamedTuple

from focused_crawler.crawl.lists.counts import CrawlCount
from focused_crawler.crawl.lists.file import ListFile
from focused_crawler.page.url import url_key
from focused_crawler.store.values import storable, storable_or_none

Mark = Literal["", "kept", "banned"]
Marking = tuple[str, Mark, str | None]
"""Site, or URL of a hub; mark; note, None: the old one."""

LEAST_RELEVANT = 3
"""Relevant pages in one crawl from which on a site or hub is kept: two may be mistakes of the classifier.
In one crawl, and not in all, as the next crawl finds the same pages again."""
LEAST_LED = 10
"""Relevant pages that a hub led to, from which on it is kept: it need not be relevant itself, and is fetched
before any link is. With 3, a crawl of 250 pages spent 8 on pages that link to good sites now and then."""
LEAST_SHARE = 0.05
"""Of the site's pages, or of the hub's links: a few relevant pages do not make a large site good."""
MOST = 10_000
"""Sites, and hubs, that are read: those with a mark and then the best."""
MOST_CRAWLS = 50
"""Crawls whose numbers are stored, those counted last: each may have 10,000 sites."""

_SITES = """
WITH without AS (SELECT id FROM crawls WHERE identity = :without),
    names AS (SELECT site FROM sites WHERE crawl NOT IN without UNION SELECT site FROM site_marks)
SELECT names.site, coalesce(sum(pages), 0), coalesce(sum(relevant), 0), coalesce(max(relevant), 0) AS best,
    count(crawl),
    (SELECT entry FROM sites AS one WHERE one.site = names.site AND entry IS NOT NULL
     AND crawl NOT IN without ORDER BY led DESC, crawl DESC LIMIT 1),
    coalesce(mark, ''), coalesce(note, '')
FROM names LEFT JOIN sites ON sites.site = names.site AND crawl NOT IN without
    LEFT JOIN site_marks ON site_marks.site = names.site
GROUP BY names.site ORDER BY mark IS NULL, best DESC, names.site LIMIT :most
"""
_HUBS = """
WITH without AS (SELECT id FROM crawls WHERE identity = :without),
    names AS (SELECT key FROM hubs WHERE crawl NOT IN without UNION SELECT key FROM hub_marks)
SELECT coalesce(max(hubs.url), max(hub_marks.url)), coalesce(max(links), 0),
    coalesce(max(relevant), 0) AS best, count(crawl), coalesce(max(hosts), 0), max(hubness), max(rating),
    coalesce(mark, ''), coalesce(note, '')
FROM names LEFT JOIN hubs ON hubs.key = names.key AND crawl NOT IN without
    LEFT JOIN hub_marks ON hub_marks.key = names.key
GROUP BY names.key ORDER BY mark IS NULL, best DESC, names.key LIMIT :most
"""
_CRAWL = "INSERT INTO crawls (identity, job, started, counted_at, pages, relevant) VALUES (?, ?, ?, ?, ?, ?)"

_MARK_SITE = """
INSERT OR REPLACE INTO site_marks
VALUES (?1, ?2, coalesce(?3, (SELECT note FROM site_marks WHERE site = ?1), ''))
"""
_MARK_HUB = """
INSERT OR REPLACE INTO hub_marks
VALUES (?1, ?2, ?3, coalesce(?4, (SELECT note FROM hub_marks WHERE key = ?1), ''))
"""
_OLDEST = "SELECT id FROM crawls ORDER BY id DESC LIMIT -1 OFFSET ?"


class ListedSite(NamedTuple):
    """A site over all crawls counted."""

    site: str
    pages: int  # fetched, over all crawls
    relevant: int  # of these
    best: int  # relevant pages in the crawl that found most
    crawls: int  # that went there
    entry: str | None  # its best start page; None: no relevant page there was found yet
    mark: Mark = ""
    note: str = ""

    @property
    def share(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def is_kept(self) -> bool:
        """Tell whether crawls start from it: by the mark of a person, else by what was counted."""
        return _is_kept(self.mark, self.best >= LEAST_RELEVANT, self.share)


class ListedHub(NamedTuple):
    """A page that leads to relevant ones: each number is the highest that a crawl counted."""

    url: str
    links: int  # on it
    relevant: int  # pages that it led to
    crawls: int  # that fetched it
    hosts: int  # that these pages are on
    hubness: float | None  # links to other sites a word; None: not known
    rating: float | None  # as a hub by the distiller; None: never rated
    mark: Mark = ""
    note: str = ""

    @property
    def share(self) -> float:
        """Return the share of its links that led to relevant pages, [0, 1]."""
        return min(1.0, self.relevant / self.links) if self.links else 0.0

    @property
    def is_kept(self) -> bool:
        """Tell whether crawls start from it: by the mark of a person, else by what was counted."""
        return _is_kept(self.mark, self.relevant >= LEAST_LED, self.share)


class CountedCrawl(NamedTuple):
    """A crawl that the lists have counted."""

    job: str
    started: float  # seconds since the epoch
    pages: int
    relevant: int


class Lists(ListFile):
    """The lists in a file, open."""

    def __init__(self, path: Path, *, read_only: bool = False, without: str = "") -> None:
        """Open, and create unless `read_only`; raises TopicError.

        `without`: identity of a crawl whose numbers are left out of sites and hubs.
        """
        super().__init__(path, read_only=read_only)
        self._chosen = {"without": without, "most": MOST}

    def sites(self) -> list[ListedSite]:
        """Return those with a mark, then those with most relevant pages."""
        return [ListedSite(*row) for row in self.rows(_SITES, self._chosen)]

    def hubs(self) -> list[ListedHub]:
        """Return those with a mark, then those that led to most relevant pages."""
        return [ListedHub(*row) for row in self.rows(_HUBS, self._chosen)]

    def crawls(self) -> list[CountedCrawl]:
        """Return the crawls counted, the oldest first."""
        rows = self.rows("SELECT job, started, pages, relevant FROM crawls ORDER BY started, id")
        return [CountedCrawl(*row) for row in rows]

    def count(self, crawl: CrawlCount) -> None:
        """Replace the numbers of a crawl, and drop those of the oldest."""
        totals = (crawl.started, time.time(), crawl.pages, crawl.relevant)
        with self.writing() as connection:
            same = connection.execute("SELECT id FROM crawls WHERE identity = ?", (crawl.identity,))
            _drop(connection, same)
            id = connection.execute(_CRAWL, (crawl.identity, storable(crawl.job), *totals)).lastrowid
            connection.executemany(
                "INSERT INTO sites VALUES (?, ?, ?, ?, ?, ?)", ((id, *site) for site in crawl.sites)
            )
            connection.executemany(
                "INSERT INTO hubs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((id, url_key(hub.url), *hub) for hub in crawl.hubs),
            )
            _drop(connection, connection.execute(_OLDEST, (MOST_CRAWLS,)))

    def forget(self, job: str, started: float | None = None) -> int:
        """Drop the numbers of the crawls of a name, or of the one that began then; return how many."""
        with self.writing() as connection:
            named = connection.execute("SELECT id, started FROM crawls WHERE job = ?", (job,))
            return _drop(connection, [(id,) for id, began in named if started in {None, began}])

    def mark(self, sites: Iterable[Marking] = (), hubs: Iterable[Marking] = ()) -> None:
        """Mark sites, and hubs by their normalised URLs, in place of their marks before.

        Without a note (None) the old one stays. Those with neither a mark nor a note are forgotten.
        """
        with self.writing() as connection:
            connection.executemany(
                _MARK_SITE, ((site, mark, storable_or_none(note)) for site, mark, note in sites)
            )
            rows = ((url_key(url), url, mark, storable_or_none(note)) for url, mark, note in hubs)
            connection.executemany(_MARK_HUB, rows)
            connection.execute("DELETE FROM site_marks WHERE mark = '' AND note = ''")
            connection.execute("DELETE FROM hub_marks WHERE mark = '' AND note = ''")


def _is_kept(mark: Mark, is_enough: bool, share: float) -> bool:
    return mark == "kept" if mark else is_enough and share >= LEAST_SHARE


def _drop(connection: Connection, crawls: Iterable[tuple[int]]) -> int:
    ids = list(crawls)
    connection.executemany("DELETE FROM sites WHERE crawl = ?", ids)
    connection.executemany("DELETE FROM hubs WHERE crawl = ?", ids)
    connection.executemany("DELETE FROM crawls WHERE id = ?", ids)
    return len(ids)
