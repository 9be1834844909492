"""A crawl's database -> what it knows of one URL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.schema import State
from focused_crawler.store.text import storable
from focused_crawler.why.events import read_events, read_failure, with_failure
from focused_crawler.why.facts import LinkCount, LinkFact, NearUrl, PageFact, QueueFact, UrlFacts
from focused_crawler.why.queue import DatabaseQueue, QueueReader

MOST_LINKS = 10
MOST_NEAR = 5
_LOOKED_AT = 2000
"""So many URLs of a host are compared with one that was never seen."""

_ID = "SELECT id FROM urls WHERE key = ?"
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
_PAGES = "SELECT count(*) FROM pages WHERE host = ?"
_FETCHED_NEAR = "SELECT url, 'fetched' FROM pages WHERE host = ? LIMIT ?"


def read_facts(database: CrawlDatabase, url: str, frontier: QueueReader | None = None) -> UrlFacts:
    """Return what is known of a normalised URL; raises CrawlError where the database cannot be read.

    `frontier`: where it stands; None: in the database.
    """
    url, queues = storable(url), frontier or DatabaseQueue(database)
    queue = queues.queue(url)
    page = _page(database, url, queue, is_told=queues.is_told())
    home = host_of(queue.url if queue else url)
    host = queues.host(home, int(database.rows(_PAGES, (home,))[0][0]))
    ids = _ids(database, url, page)
    events = read_events(database, home, url, page)
    failure = read_failure(database, url, () if page else events)  # of a page it was a look at it that failed
    return UrlFacts(
        url=url,
        queue=queue,
        counted=LinkCount(*database.rows(_COUNTED, ids)[0]) if ids else LinkCount(),
        links=_links(database, ids) if ids else (),
        page=page,
        again=queues.again(page.url) if page else None,
        failure=failure,
        events=tuple(with_failure(events, failure)),
        host=host,
        ahead=queues.ahead(queue, host) if queue and host and queue.state == State.PENDING else None,
        near=() if queue or page or failure else _near(database, url, queues),
        is_told=queues.is_told(),
        remarks=queues.remarks(),
    )


def _page(database: CrawlDatabase, url: str, queue: QueueFact | None, *, is_told: bool) -> PageFact | None:
    """Return the page at a URL, or that redirects led to.

    What was asked for has no index: it is looked for only if the URL is done, or nobody knows whether it is.
    """
    key = url_key(url)
    rows = database.rows(f"{_PAGE} WHERE key = ?", (key,))
    is_done = queue is not None and queue.state == State.DONE
    if not rows and (is_done or not is_told):
        condition = "WHERE requested_key = ? OR requested_url = ? ORDER BY position LIMIT 1"
        rows = database.rows(f"{_PAGE} {condition}", (key, queue.url if queue else url))
    return PageFact(*rows[0]) if rows else None


def _ids(database: CrawlDatabase, url: str, page: PageFact | None) -> tuple[int, int] | None:
    """Return the rows of the URL and of the one that was asked for; mostly the same, twice."""
    urls = [url] if page is None else [url, normalise(page.requested_url) or ""]
    found = [id for one in urls for (id,) in database.rows(_ID, (url_key(one),))]
    return (found[0], found[-1]) if found else None


def _links(database: CrawlDatabase, ids: tuple[int, int]) -> tuple[LinkFact, ...]:
    found = [LinkFact(*row) for row in database.rows(_LINKS, (*ids, MOST_LINKS))]
    return tuple(sorted(found, key=lambda link: (link.position or 0, link.number)))


def _near(database: CrawlDatabase, url: str, queues: QueueReader) -> tuple[NearUrl, ...]:
    """Return the known URLs of a host that begin most like a URL that was never seen."""
    host = host_of(url)
    rows = database.rows(_FETCHED_NEAR, (host, _LOOKED_AT))
    rows += [(pending, "pending") for pending in queues.pending_of(host, _LOOKED_AT)]
    nearest = sorted(rows, key=lambda row: (-_common(row[0], url), len(row[0]), row[0]))
    return tuple(NearUrl(*row) for row in nearest[:MOST_NEAR])


def _common(one: str, other: str) -> int:
    """Return how many characters two URLs have in common at their start."""

    def pairs() -> Iterator[tuple[str, str]]:
        return takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))

    return sum(1 for _ in pairs())
