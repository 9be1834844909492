"""A crawl's database -> what it knows of one URL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os.path import commonprefix

from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.page.url import host_of, normalise, url_key
from focused_crawler.report.why.facts import (
    QUEUED,
    REVISITED,
    Event,
    FailureFact,
    HostFact,
    LinkCount,
    LinkFact,
    NearUrl,
    PageFact,
    QueueFact,
    UrlFacts,
)
from focused_crawler.report.why.way import way_to
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RUNNING, STOPPED, RunInfo
from focused_crawler.store.rows import read_counters
from focused_crawler.store.schema import State
from focused_crawler.store.values import storable

# 3: out when a crawl by an earlier version was killed.
_QUEUE = """
SELECT u.id, u.url, CASE u.state WHEN 3 THEN 1 ELSE u.state END,
       u.host, u.tries, u.priority, u.tie, u.depth, u.rank, u.retry_at, p.url
FROM urls AS u LEFT JOIN urls AS p ON p.id = u.parent WHERE u.key = ?
"""
# The states stand as numbers: only so can the partial indexes be used.
_HOST = """
SELECT name, load, asked_at, ready_at, delay, pages, refusals,
       (SELECT count(*) FROM urls WHERE host = hosts.id AND state = 1),
       (SELECT count(*) FROM urls WHERE host = hosts.id AND state = 2)
FROM hosts WHERE name = ?
"""
_ANY_HOST = "SELECT 1 FROM hosts LIMIT 1"
_AHEAD = """
SELECT count(*) FROM urls AS u JOIN hosts AS h ON h.id = u.host WHERE u.state = 1 AND (
    u.tries < ? OR (u.tries = ? AND (u.priority > ? OR (u.priority = ? AND (
        h.load < ? OR (h.load = ? AND u.tie < ?))))))
"""
_PENDING = """
SELECT url, 'pending' FROM urls WHERE state = 1 AND host = (SELECT id FROM hosts WHERE name = ?) LIMIT ?
"""


def _queue(database: CrawlDatabase, url: str) -> QueueFact | None:
    """Return where a URL stands; None: no page links to it, and it was never queued."""
    rows = database.rows(_QUEUE, (url_key(url),))
    return QueueFact(*rows[0]) if rows else None


def _again(database: CrawlDatabase, url: str) -> State | None:
    """Return where a URL stands that is queued although its page is recorded; None: it is not."""
    queue = _queue(database, url)
    state = None if queue is None else State(queue.state)
    return state if state in QUEUED else None


def _host(database: CrawlDatabase, name: str) -> HostFact | None:
    """Return how a host stands; None: nothing of it was queued."""
    rows = database.rows(_HOST, (name,))
    return HostFact._make((*rows[0], int(database.rows(_PAGES, (name,))[0][0]))) if rows else None


def _ahead(database: CrawlDatabase, queue: QueueFact, host: HostFact) -> int:
    """Return how many pending URLs come before a pending one."""
    place = (queue.tries, queue.priority, host.load)
    values = tuple(value for value in place for _ in range(2))
    return int(database.rows(_AHEAD, (*values, queue.tie))[0][0])


MOST_EVENTS = 50

_FAILED = "failed"
_LOWERED, _HELD = "lowered", "held"

_ID = "SELECT id FROM urls WHERE key = ?"
_WAS_LOWERED = "SELECT 1 FROM lowered WHERE key = ?"
_FAILURE = "SELECT reason, failed_at, run FROM failures WHERE key = ?"
_DECISIONS = """
SELECT decided_at, decision, rule, detail, host, run FROM decisions WHERE {} ORDER BY decided_at DESC, id DESC
LIMIT ?
"""
_ORDERS = "SELECT done_at, what, answer FROM orders WHERE done_at IS NOT NULL ORDER BY id DESC LIMIT ?"
_REVISITS = """
SELECT visited_at, outcome, relevance, run FROM revisits WHERE page = ?
ORDER BY visited_at DESC, id DESC LIMIT ?
"""


def read_events(database: CrawlDatabase, host: str, url: str, page: PageFact | None) -> list[Event]:
    """Return what happened to a URL, its page, its host and that one's domain, in order of time.

    A page was asked for at one URL, and is revisited at the one where it was found.
    """
    key = url_key(url)
    keys = {key} if page is None else {key, page.key, url_key(page.requested_url)}
    ids = [id for key in keys for (id,) in database.rows(_ID, (key,))]
    found = [event for name in {host, domain_of(host)} for event in _decisions(database, "host = ?", name)]
    found += [event for id in ids for event in _decisions(database, "url = ?", id)]
    if ids:
        orders = database.rows(_ORDERS, (MOST_EVENTS,))
        found += [Event(at, "order", what, answer or "") for at, what, answer in orders]
    if page is not None:
        found += [_fetched(page, is_end=key == page.key), *_revisits(database, page)]
    return sorted(found, key=lambda event: event.at)


def read_failure(database: CrawlDatabase, url: str, events: Sequence[Event]) -> FailureFact | None:
    """Return why a URL gave no page, by table `failures` or by its decision: either may be missing."""
    rows = database.rows(_FAILURE, (url_key(url),))
    decided = _failed(events)
    if rows:
        failure = FailureFact(*rows[0])
        details = [event.detail for event in decided if event.rule == failure.reason]
        return failure._replace(detail=details[-1]) if details else failure
    if decided:
        last = decided[-1]
        return FailureFact(last.rule, last.at, last.run, last.detail)
    return None


def read_lowered(database: CrawlDatabase, url: str, events: Sequence[Event]) -> Event | None:
    """Return what made a URL come last; of one whose domain floods, that this one was held. None: nothing."""
    own = [event for event in events if event.what == _LOWERED and event.host is None]
    if own:
        return own[-1]
    if not database.rows(_WAS_LOWERED, (url_key(url),)):
        return None
    return next((event for event in events if event.what == _HELD), None)


def with_failure(events: list[Event], failure: FailureFact | None) -> list[Event]:
    """Return events with a failure that none of them names: an older version wrote no decisions."""
    if failure is None or _failed(events):
        return events
    event = Event(failure.failed_at, _FAILED, failure.reason, run=failure.run)
    return sorted([*events, event], key=lambda one: one.at)


def _failed(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.what == _FAILED and event.host is None]


def _decisions(database: CrawlDatabase, condition: str, value: object) -> list[Event]:
    rows = database.rows(_DECISIONS.format(condition), (value, MOST_EVENTS))
    return [Event(*row) for row in reversed(rows)]


def _fetched(page: PageFact, *, is_end: bool) -> Event:
    where = "" if is_end else f", at {page.url}"
    return Event(
        page.fetched_at, "fetched", f"http_{page.status}", f"page {page.position}{where}", run=page.run
    )


def _revisits(database: CrawlDatabase, page: PageFact) -> Iterator[Event]:
    for at, outcome, relevance, run in database.rows(_REVISITS, (page.position, MOST_EVENTS))[::-1]:
        yield Event(
            at, REVISITED, outcome, "" if relevance is None else f"relevance {relevance:.3f}", run=run
        )


MOST_LINKS = 10
MOST_NEAR = 5
_LOOKED_AT = 2000
"""So many URLs of a host are compared with one that was never seen."""

_COUNTED = "SELECT count(*), count(DISTINCT source), count(score) FROM links WHERE target IN (?, ?)"
_LINKS = """
WITH found AS (
    SELECT s.url AS source, t.url AS target, p.position, p.relevance, p.depth, l.number, p.links,
           l.anchor, l.block, l.score, l.external,
           (SELECT rule FROM decisions AS d WHERE d.url = s.id AND decision = 'listed' LIMIT 1) AS listing,
           coalesce(p.fetched_at, (
               SELECT min(decided_at) FROM decisions AS d WHERE d.url = s.id AND decision = 'listed'
           )) AS seen_at
    FROM links AS l JOIN urls AS s ON s.id = l.source JOIN urls AS t ON t.id = l.target
    LEFT JOIN pages AS p ON p.key = s.key WHERE l.target IN (?, ?)
)
SELECT source, target, seen_at, position, relevance, depth, number, links, anchor, block, score, external,
       CASE WHEN score > coalesce(max(score) OVER (ORDER BY coalesce(seen_at, 0), position, number
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1) THEN 1 ELSE 0 END AS raised, listing
FROM found ORDER BY raised DESC, coalesce(seen_at, 0), position, number LIMIT ?
"""
_PAGE = f"SELECT {', '.join(PageFact._fields)} FROM pages"  # noqa: S608 - our own names
_PAGES = "SELECT count(*) FROM pages WHERE host = ?"
_FETCHED_NEAR = "SELECT url, 'fetched' FROM pages WHERE host = ? LIMIT ?"


def as_it_is(database: CrawlDatabase, run: RunInfo) -> RunInfo:
    """Return a run as it is now: run.json lags behind, and that of a fleet knows its own machine alone."""
    run = replace(run, totals={**run.totals, "pages": read_counters(database).get("pages", 0)})
    if not run.is_shared:
        return run
    ended = STOPPED if run.state == RUNNING else run.state
    return replace(run, state=RUNNING if database.location.is_locked() else ended)


def read_facts(database: CrawlDatabase, url: str) -> UrlFacts:
    """Return what is known of a normalised URL; raises CrawlError where the database cannot be read."""
    url = storable(url)
    queue, has_outcomes = _queue(database, url), bool(database.rows(_ANY_HOST))
    page = _page(database, url, queue, has_outcomes=has_outcomes)
    home = host_of(queue.url if queue else url)
    host = _host(database, home)
    ids = _ids(database, url, page)
    events = read_events(database, home, url, page)
    failure = read_failure(database, url, () if page else events)  # of a page, it was a revisit that failed
    return UrlFacts(
        url=url,
        queue=queue,
        counted=LinkCount(*database.rows(_COUNTED, ids)[0]) if ids else LinkCount(),
        links=_links(database, ids) if ids else (),
        page=page,
        again=_again(database, page.url) if page else None,
        failure=failure,
        events=tuple(with_failure(events, failure)),
        host=host,
        ahead=_ahead(database, queue, host) if queue and host and queue.state == State.PENDING else None,
        near=() if queue or page or failure else _near(database, url),
        way=way_to(database, page.url if page else url) if queue or page else (),
        lowered=read_lowered(database, url, events),
        has_outcomes=has_outcomes,
    )


def _page(
    database: CrawlDatabase, url: str, queue: QueueFact | None, *, has_outcomes: bool
) -> PageFact | None:
    """Return the page at a URL, or that redirects led to.

    What was asked for has no index: it is looked for only if the URL is done, or nobody knows whether it is.
    """
    key = url_key(url)
    rows = database.rows(f"{_PAGE} WHERE key = ?", (key,))
    is_done = queue is not None and queue.state == State.DONE
    if not rows and (is_done or not has_outcomes):
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


def _near(database: CrawlDatabase, url: str) -> tuple[NearUrl, ...]:
    """Return the known URLs of a host that begin most like a URL that was never seen."""
    host = host_of(url)
    rows = database.rows(_FETCHED_NEAR, (host, _LOOKED_AT))
    rows += database.rows(_PENDING, (host, _LOOKED_AT))
    common = {row[0]: len(commonprefix([row[0], url])) for row in rows}  # noqa: RUF071 - of characters, not of folders
    nearest = sorted(rows, key=lambda row: (-common[row[0]], len(row[0]), row[0]))
    return tuple(NearUrl(*row) for row in nearest[:MOST_NEAR])
