"""A crawl's database -> what it knows of one URL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State
from focused_crawler.store.text import storable
from focused_crawler.why.facts import (
    Event,
    Failure,
    HostFact,
    LinkCount,
    LinkFact,
    NearUrl,
    PageFact,
    QueueFact,
    UrlFacts,
)

MOST_LINKS = 10
MOST_EVENTS = 50
MOST_NEAR = 5
_LOOKED_AT = 2000
"""So many URLs of a host are compared with one that was never seen."""

_QUEUE = """
SELECT u.id, u.url, u.state, u.host, u.tries, u.priority, u.tie, u.depth, u.rank, u.retry_at, p.url
FROM urls AS u LEFT JOIN urls AS p ON p.id = u.parent WHERE u.key = ?
"""
_COUNTED = "SELECT count(*), count(DISTINCT source), count(score) FROM links WHERE target IN (?, ?)"
_LINKS = """
WITH found AS (
    SELECT s.url AS source, t.url AS target, p.fetched_at, p.position, p.relevance, p.depth, l.number,
           p.links, l.anchor, l.block, l.score, l.external,
           max(l.score) OVER (ORDER BY p.position, l.number
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
    FROM links AS l JOIN urls AS s ON s.id = l.source JOIN urls AS t ON t.id = l.target
    LEFT JOIN pages AS p ON p.key = s.key WHERE l.target IN (?, ?)
), judged AS (
    SELECT source, target, fetched_at, position, relevance, depth, number, links, anchor, block, score,
           external, CASE WHEN score > coalesce(highest, -1) THEN 1 ELSE 0 END AS raised
    FROM found
)
SELECT source, target, fetched_at, position, relevance, depth, number, links, anchor, block, score, external,
       raised
FROM judged ORDER BY raised DESC, coalesce(position, 0), number LIMIT ?
"""
_PAGE = """
SELECT position, key, url, requested_url, fetched_at, status, size, depth, links, title, relevance,
       is_relevant, category, duplicate_of, likeness, checked_at, gone_at, run FROM pages
"""
_FAILURE = "SELECT reason, failed_at, run FROM failures WHERE key = ?"
_DECISIONS = """
SELECT decided_at, decision, rule, detail, host, run FROM decisions WHERE {} ORDER BY decided_at DESC, id DESC
LIMIT ?
"""
_REVISITS = """
SELECT visited_at, outcome, relevance, run FROM revisits WHERE page = ?
ORDER BY visited_at DESC, id DESC LIMIT ?
"""
_HOST = "SELECT id, load, asked_at, ready_at, delay, pages, refusals FROM hosts WHERE name = ?"
# The states stand as numbers: only so can the partial indexes be used.
_HOST_PENDING = "SELECT count(*) FROM urls WHERE host = ? AND state = 1"
_HOST_OUT = "SELECT count(*) FROM urls WHERE host = ? AND state IN (2, 3)"
_AHEAD = """
SELECT count(*) FROM urls AS u JOIN hosts AS h ON h.id = u.host WHERE u.state = 1 AND (
    u.tries < ? OR (u.tries = ? AND (u.priority > ? OR (u.priority = ? AND (
        h.load < ? OR (h.load = ? AND u.tie < ?))))))
"""
_FETCHED_NEAR = "SELECT url, 'fetched' FROM pages WHERE host = ? LIMIT ?"
_PENDING_NEAR = "SELECT url, 'pending' FROM urls WHERE state = 1 AND host = ? LIMIT ?"


def read_facts(database: CrawlDatabase, url: str) -> UrlFacts:
    """Return what is known of a normalised URL; raises CrawlError where the database cannot be read."""
    url = storable(url)
    queue = _queue(database, url)
    page = _page(database, url, queue)
    home = host_of(queue.url if queue else url)
    host = _host(database, home)
    ids = _ids(database, queue, page)
    failure = database.rows(_FAILURE, (url_key(url),))
    return UrlFacts(
        url=url,
        queue=queue,
        counted=LinkCount(*database.rows(_COUNTED, ids)[0]) if ids else LinkCount(),
        links=_links(database, ids) if ids else (),
        page=page,
        failure=Failure(*failure[0]) if failure else None,
        events=tuple(_events(database, home, queue, page)),
        host=host[1] if host else None,
        ahead=_ahead(database, queue, host[1].load) if queue and host else None,
        near=() if queue else _near(database, url, host[0] if host else None),
    )


def _queue(database: CrawlDatabase, url: str) -> QueueFact | None:
    rows = database.rows(_QUEUE, (url_key(url),))
    return QueueFact(*rows[0]) if rows else None


def _page(database: CrawlDatabase, url: str, queue: QueueFact | None) -> PageFact | None:
    """Return the page at a URL, or that redirects led to; looked for by what was asked for if it is done."""
    key = url_key(url)
    rows = database.rows(f"{_PAGE} WHERE key = ?", (key,))
    if not rows and queue is not None and queue.state == State.DONE:
        condition = "WHERE requested_key = ? OR requested_url = ? ORDER BY position LIMIT 1"
        rows = database.rows(f"{_PAGE} {condition}", (key, queue.url))
    return PageFact(*rows[0]) if rows else None


def _ids(database: CrawlDatabase, queue: QueueFact | None, page: PageFact | None) -> tuple[int, int] | None:
    """Return the rows of the URL and of the one that was asked for; mostly the same, twice."""
    if queue is None:
        return None
    asked = _queue(database, normalise(page.requested_url) or "") if page else None
    return queue.id, asked.id if asked else queue.id


def _links(database: CrawlDatabase, ids: tuple[int, int]) -> tuple[LinkFact, ...]:
    found = [LinkFact(*row) for row in database.rows(_LINKS, (*ids, MOST_LINKS))]
    return tuple(sorted(found, key=lambda link: (link.position or 0, link.number)))


def _events(
    database: CrawlDatabase, host: str, queue: QueueFact | None, page: PageFact | None
) -> list[Event]:
    """Return what happened to a URL and its host, in order of time."""
    found = _decisions(database, "host = ?", host)
    if queue is not None:
        found += _decisions(database, "url = ?", queue.id)
    if page is not None:
        found.append(_fetched(page, is_end=queue is None or url_key(queue.url) == page.key))
        for at, outcome, relevance, run in database.rows(_REVISITS, (page.position, MOST_EVENTS)):
            detail = "" if relevance is None else f"relevance {relevance:.3f}"
            found.append(Event(at, f"looked at again: {outcome}", "", detail, None, run))
    return sorted(found, key=lambda event: event.at)


def _decisions(database: CrawlDatabase, condition: str, value: object) -> list[Event]:
    rows = database.rows(_DECISIONS.format(condition), (value, MOST_EVENTS))
    return [Event(*row) for row in reversed(rows)]


def _fetched(page: PageFact, *, is_end: bool) -> Event:
    where = "" if is_end else f", at {page.url}"
    return Event(
        page.fetched_at, "fetched", f"http_{page.status}", f"page {page.position}{where}", None, page.run
    )


def _host(database: CrawlDatabase, name: str) -> tuple[int, HostFact] | None:
    rows = database.rows(_HOST, (name,))
    if not rows:
        return None
    id = rows[0][0]
    queued = (database.rows(sql, (id,))[0][0] for sql in (_HOST_PENDING, _HOST_OUT))
    return id, HostFact(name, *rows[0][1:], *queued)


def _ahead(database: CrawlDatabase, queue: QueueFact, load: int) -> int | None:
    """Return how many pending URLs come before a pending one, by the frontier's order."""
    if queue.state != State.PENDING:
        return None
    place = (queue.tries, queue.priority, load)
    values = tuple(value for value in place for _ in range(2))
    return int(database.rows(_AHEAD, (*values, queue.tie))[0][0])


def _near(database: CrawlDatabase, url: str, host: int | None) -> tuple[NearUrl, ...]:
    """Return the known URLs of a host that begin most like a URL that was never seen."""
    rows = database.rows(_FETCHED_NEAR, (host_of(url), _LOOKED_AT))
    if host is not None:
        rows += database.rows(_PENDING_NEAR, (host, _LOOKED_AT))
    nearest = sorted(rows, key=lambda row: (-_common(row[0], url), len(row[0]), row[0]))
    return tuple(NearUrl(*row) for row in nearest[:MOST_NEAR])


def _common(one: str, other: str) -> int:
    """Return how many characters two URLs have in common at their start."""

    def pairs() -> Iterator[tuple[str, str]]:
        return takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))

    return sum(1 for _ in pairs())
