"""Pages that were asked for again: which may be, what is known of them, and what came of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from focused_crawler.crawl.steering.revisits import Observation, Revisitable
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.values import storable, storable_or_none

CONDITIONS = ("If-None-Match", "If-Modified-Since")

_CHUNK = 1000
_LEADERS = 1000
"""Without a distillation, so many pages count as hubs, and so many as popular."""

# Only pages that the frontier would take: what is queued already, or of a host that is closed, is left out.
_PAGES = """
SELECT p.position, p.url, p.host, p.relevance, coalesce(p.checked_at, p.fetched_at), p.gone_at,
       coalesce(r.authority, 0), coalesce(r.hub, 0)
FROM pages AS p JOIN urls AS u ON u.key = p.key JOIN hosts AS h ON h.name = p.host
LEFT JOIN ratings AS r ON r.page = p.position
WHERE p.position > ? AND p.duplicate_of IS NULL AND coalesce(p.checked_at, p.fetched_at) NOT BETWEEN ? AND ?
      AND u.state IN (4, 5) AND h.ready_at < 1e300
ORDER BY p.position LIMIT ?
"""
_VISITS = """
SELECT r.page, p.host, p.fetched_at, r.visited_at, r.outcome
FROM revisits AS r JOIN pages AS p ON p.position = r.page
WHERE r.page > ? AND r.page <= ? AND r.outcome <> 'failed' ORDER BY r.page, r.id
"""
_BEST_RATINGS = "SELECT max(authority), max(hub) FROM ratings"
_POPULAR = """
WITH popular AS (
    SELECT target, count(*) AS links FROM links WHERE external = 1
    GROUP BY target ORDER BY count(*) DESC, target LIMIT ?
)
SELECT p.position, popular.links FROM popular JOIN urls AS u ON u.id = popular.target
JOIN pages AS p ON p.key = u.key
"""
_HUBS = """
SELECT parent, count(*) FROM pages WHERE parent IS NOT NULL AND is_relevant = 1
GROUP BY parent ORDER BY count(*) DESC, parent LIMIT ?
"""
_KNOWN = """
SELECT position, url, host, checksum, etag, last_modified, is_relevant, is_target, gone_at,
       coalesce(
           (SELECT max(visited_at) FROM revisits WHERE page = position AND outcome <> 'failed'), fetched_at)
FROM pages WHERE key = ?
"""
_CANDIDATE = """
SELECT p.url, p.depth, p.parent, u.path FROM pages AS p LEFT JOIN urls AS u ON u.key = p.key
WHERE p.position = ?
"""
MOST_SITEMAPS = 20
"""That are read again by a run."""
_SITEMAPS = """
SELECT u.url, u.depth, p.url, u.path FROM urls AS u LEFT JOIN urls AS p ON p.id = u.parent
WHERE u.id IN (SELECT url FROM decisions WHERE decision = 'listed' AND rule = 'sitemap')
ORDER BY u.id LIMIT ?
"""
_NOT_DONE = """
SELECT u.state, count(*) FROM pages AS p JOIN urls AS u ON u.key = p.key WHERE u.state IN (1, 2, 3, 6)
GROUP BY u.state
"""
_QUEUED = (
    "SELECT p.position, p.host FROM pages AS p JOIN urls AS u ON u.key = p.key WHERE u.state IN (1, 2, 3)"
)
_REVISIT = "INSERT INTO revisits (page, visited_at, outcome, relevance, run) VALUES (?, ?, ?, ?, ?)"


class Outcome(StrEnum):
    """What a revisit found; the values of the column `revisits.outcome`."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    FAILED = "failed"


class Validators(NamedTuple):
    """What a server says a version of a page can be told by; see RFC 9110, 8.8."""

    etag: str | None = None
    last_modified: str | None = None

    def conditions(self) -> dict[str, str]:
        """Return the headers of a request that is answered by 304 while the page is as it was.

        >>> Validators(etag='"1"').conditions()
        {'If-None-Match': '"1"'}
        """
        return {name: value for name, value in zip(CONDITIONS, self, strict=True) if value}


NO_VALIDATORS = Validators()


class KnownPage(NamedTuple):
    """What a revisit is compared with."""

    page: int  # pages.position
    url: str
    host: str
    checksum: str | None
    validators: Validators
    is_relevant: bool
    is_target: bool | None
    gone_at: float | None
    seen_at: float  # when it was last visited, and its server told how it was

    def is_at(self, url: str) -> bool:
        """Tell whether this is the page of that URL."""
        return url_key(self.url) == url_key(storable(url))


@dataclass(frozen=True, slots=True)
class _Leaders:
    """What popularity and hubs are measured by: the best ratings, else counts of links and pages."""

    authority: float
    hub: float
    popular: dict[int, int]  # position -> links from other sites
    hubs: dict[str, int]  # URL -> relevant pages that it led to

    def popularity(self, page: int, authority: float) -> float:
        """Return the share of the most popular page's, in [0, 1]."""
        return min(1.0, (authority or self.popular.get(page, 0)) / self.authority)

    def hubness(self, url: str, hub: float) -> float:
        """Return the share of the best hub's, in [0, 1]."""
        return min(1.0, (hub or self.hubs.get(url, 0)) / self.hub)


class RevisitStore:
    """Reads and writes what maintenance goes by. It never commits: a revisit ends with its lease."""

    def __init__(self, database: CrawlDatabase, pages: PageStore) -> None:
        self._database = database
        self._pages = pages

    def known(self, url: str) -> KnownPage | None:
        """Return the recorded page of a URL."""
        found = self._database.rows(_KNOWN, (url_key(storable(url)),))
        return _page(*found[0]) if found else None

    def not_done(self) -> dict[int, int]:
        """Return how many recorded pages are queued again, or were dropped then, by state; reads all."""
        return dict(self._database.rows(_NOT_DONE))

    def queued(self) -> dict[int, str]:
        """Return position and host of the recorded pages that are queued again; reads all."""
        return dict(self._database.rows(_QUEUED))

    def candidate(self, page: int) -> Candidate:
        """Return a page as a candidate for the frontier, before all that is new."""
        url, depth, parent, path = self._database.rows(_CANDIDATE, (page,))[0]
        return Candidate(url, 1.0, depth, parent, path)

    def sitemaps(self) -> list[Candidate]:
        """Return sitemaps that were read, as candidates for the frontier."""
        found = self._database.rows(_SITEMAPS, (MOST_SITEMAPS,))
        return [Candidate(url, 1.0, depth, parent, path) for url, depth, parent, path in found]

    def revisitable(self, before: float, now: float) -> Iterator[Revisitable]:
        """Yield the pages not visited since that time, a chunk in memory at a time; no copies.

        A visit after `now` was made while the clock was wrong.
        """
        leaders, last = self._leaders(), 0
        while rows := self._database.rows(_PAGES, (last, before, now, _CHUNK)):
            first, last = last, rows[-1][0]
            visits = self._visits(first, last)
            for page, url, host, relevance, seen_at, gone_at, authority, hub in rows:
                yield Revisitable(
                    page=page,
                    host=host,
                    relevance=relevance,
                    popularity=leaders.popularity(page, authority),
                    hub=leaders.hubness(url, hub),
                    age=now - seen_at,
                    is_gone=gone_at is not None,
                    visits=[visit for _, visit in visits.get(page, ())],
                )

    def visits(self) -> Iterator[tuple[str, Observation]]:
        """Yield all visits, each with its host, those of some pages in memory at a time."""
        end = self._database.rows("SELECT coalesce(max(page), 0) FROM revisits")[0][0]
        for first in range(0, end, _CHUNK):
            for visits in self._visits(first, first + _CHUNK).values():
                yield from visits

    def unchanged(
        self, page: KnownPage, at: float, run: int, validators: Validators, links: int | None = None
    ) -> None:
        """Write down that a page had its old text; `links`: how many it has, if it was sent."""
        etag, last_modified = validators
        self._database.execute(
            "UPDATE pages SET checked_at = ?, gone_at = NULL, etag = coalesce(?, etag),"
            " last_modified = coalesce(?, last_modified), links = coalesce(?, links) WHERE position = ?",
            (at, storable_or_none(etag), storable_or_none(last_modified), links, page.page),
        )
        self._record(page, at, Outcome.UNCHANGED, run)

    def changed(self, page: KnownPage, at: float, run: int, found: PageItem) -> None:
        """Replace a page by what was found."""
        self._pages.replace_page(found)
        self._database.execute(
            "UPDATE pages SET checked_at = ?, gone_at = NULL WHERE position = ?", (at, page.page)
        )
        self._record(page, at, Outcome.CHANGED, run, found.relevance)

    def missed(self, page: KnownPage, at: float, run: int, *, is_gone: bool) -> None:
        """Write down that there was no page: gone, or perhaps for now only. What was recorded of it stays."""
        gone_at = at if is_gone else None
        self._database.execute(
            "UPDATE pages SET checked_at = ?, gone_at = coalesce(gone_at, ?) WHERE position = ?",
            (at, gone_at, page.page),
        )
        self._record(page, at, Outcome.GONE if is_gone else Outcome.FAILED, run)

    def _record(
        self, page: KnownPage, at: float, outcome: Outcome, run: int, relevance: float | None = None
    ) -> None:
        self._database.execute(_REVISIT, (page.page, at, outcome.value, relevance, run))
        self._pages.count(revisits=1)

    def _visits(self, first: int, last: int) -> dict[int, list[tuple[str, Observation]]]:
        """Return the visits of the pages after `first` up to `last`, with their hosts, in their order."""
        found: defaultdict[int, list[tuple[str, Observation]]] = defaultdict(list)
        before: tuple[int, float, bool] = (0, 0.0, False)
        for page, host, fetched_at, visited_at, outcome in self._database.rows(_VISITS, (first, last)):
            if page != before[0]:
                before = (page, fetched_at, False)
            _, seen_at, was_gone = before
            is_gone = outcome == Outcome.GONE
            is_changed = outcome == Outcome.CHANGED or is_gone != was_gone
            found[page].append((host, Observation(max(0.0, visited_at - seen_at), is_changed)))
            before = (page, visited_at, is_gone)
        return found

    def _leaders(self) -> _Leaders:
        authority, hub = self._database.rows(_BEST_RATINGS)[0]
        if authority is not None:
            return _Leaders(authority or 1.0, hub or 1.0, {}, {})
        popular: dict[int, int] = dict(self._database.rows(_POPULAR, (_LEADERS,)))
        hubs: dict[str, int] = dict(self._database.rows(_HUBS, (_LEADERS,)))
        return _Leaders(max(popular.values(), default=1), max(hubs.values(), default=1), popular, hubs)


def _page(page: int, url: str, host: str, checksum: str | None, *row: Any) -> KnownPage:
    etag, last_modified, is_relevant, is_target, gone_at, seen_at = row
    validators, is_target = Validators(etag, last_modified), None if is_target is None else bool(is_target)
    return KnownPage(page, url, host, checksum, validators, bool(is_relevant), is_target, gone_at, seen_at)
