"""A crawl's database -> what it knows of one URL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State
from focused_crawler.store.text import storable
from focused_crawler.why.events import read_events, read_failure, with_failure
from focused_crawler.why.facts import (
    QUEUED,
    HostFact,
    LinkCount,
    LinkFact,
    NearUrl,
    PageFact,
    QueueFact,
    UrlFacts,
)

MOST_LINKS = 10
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
_HOST = "SELECT id, load, asked_at, ready_at, delay, pages, refusals FROM hosts WHERE name = ?"
# The states stand as numbers: only so can the partial indexes be used.
_HOST_PENDING = "SELECT count(*) FROM urls WHERE host = ? AND state = 1"
_HOST_OUT = "SELECT count(*) FROM urls WHERE host = ? AND state IN (2, 3)"
_HOST_PAGES = "SELECT count(*) FROM pages WHERE host = ?"
_ANY_HOST = "SELECT 1 FROM hosts LIMIT 1"
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
    events = read_events(database, home, url, page)
    failure = read_failure(database, url, () if page else events)  # of a page it was a look at it that failed
    return UrlFacts(
        url=url,
        queue=queue,
        counted=LinkCount(*database.rows(_COUNTED, ids)[0]) if ids else LinkCount(),
        links=_links(database, ids) if ids else (),
        page=page,
        again=_again(database, page),
        failure=failure,
        events=tuple(with_failure(events, failure)),
        host=host[1] if host else None,
        ahead=_ahead(database, queue, host[1].load) if queue and host else None,
        near=() if queue or page or failure else _near(database, url, host[0] if host else None),
    )


def _queue(database: CrawlDatabase, url: str) -> QueueFact | None:
    rows = database.rows(_QUEUE, (url_key(url),))
    return QueueFact(*rows[0]) if rows else None


def _page(database: CrawlDatabase, url: str, queue: QueueFact | None) -> PageFact | None:
    """Return the page at a URL, or that redirects led to.

    What was asked for has no index: it is looked for only if the URL is done, or nobody knows whether it is.
    """
    key = url_key(url)
    rows = database.rows(f"{_PAGE} WHERE key = ?", (key,))
    is_done = queue is not None and queue.state == State.DONE
    if not rows and (is_done or not database.rows(_ANY_HOST)):  # no host: the frontier is in memory
        condition = "WHERE requested_key = ? OR requested_url = ? ORDER BY position LIMIT 1"
        rows = database.rows(f"{_PAGE} {condition}", (key, queue.url if queue else url))
    return PageFact(*rows[0]) if rows else None


def _again(database: CrawlDatabase, page: PageFact | None) -> State | None:
    """Return where a page stands in the frontier, None if it is not in there again."""
    queue = None if page is None else _queue(database, page.url)
    state = None if queue is None else State(queue.state)
    return state if state in QUEUED else None


def _ids(database: CrawlDatabase, queue: QueueFact | None, page: PageFact | None) -> tuple[int, int] | None:
    """Return the rows of the URL and of the one that was asked for; mostly the same, twice."""
    if queue is None:
        return None
    asked = _queue(database, normalise(page.requested_url) or "") if page else None
    return queue.id, asked.id if asked else queue.id


def _links(database: CrawlDatabase, ids: tuple[int, int]) -> tuple[LinkFact, ...]:
    found = [LinkFact(*row) for row in database.rows(_LINKS, (*ids, MOST_LINKS))]
    return tuple(sorted(found, key=lambda link: (link.position or 0, link.number)))


def _host(database: CrawlDatabase, name: str) -> tuple[int, HostFact] | None:
    rows = database.rows(_HOST, (name,))
    if not rows:
        return None
    id = rows[0][0]
    counted = [(_HOST_PENDING, id), (_HOST_OUT, id), (_HOST_PAGES, name)]
    return id, HostFact(name, *rows[0][1:], *(database.rows(sql, (of,))[0][0] for sql, of in counted))


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
