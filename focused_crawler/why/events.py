"""What was decided and done about a URL, its page and its host, and why there is no page."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.why.facts import LOOKED_AT_AGAIN, Event, Failure, PageFact

MOST_EVENTS = 50

_FAILED = "failed"

_ID = "SELECT id FROM urls WHERE key = ?"
_FAILURE = "SELECT reason, failed_at, run FROM failures WHERE key = ?"
_DECISIONS = """
SELECT decided_at, decision, rule, detail, host, run FROM decisions WHERE {} ORDER BY decided_at DESC, id DESC
LIMIT ?
"""
_REVISITS = """
SELECT visited_at, outcome, relevance, run FROM revisits WHERE page = ?
ORDER BY visited_at DESC, id DESC LIMIT ?
"""


def read_events(database: CrawlDatabase, host: str, url: str, page: PageFact | None) -> list[Event]:
    """Return what happened to a URL, its page and its host, in order of time.

    A page was asked for at one URL, and is looked at again at the one where it was found.
    """
    key = url_key(url)
    keys = {key} if page is None else {key, page.key, url_key(page.requested_url)}
    ids = [id for key in keys for (id,) in database.rows(_ID, (key,))]
    found = _decisions(database, "host = ?", host)
    found += [event for id in ids for event in _decisions(database, "url = ?", id)]
    if page is not None:
        found += [_fetched(page, is_end=key == page.key), *_revisits(database, page)]
    return sorted(found, key=lambda event: event.at)


def read_failure(database: CrawlDatabase, url: str, events: Sequence[Event]) -> Failure | None:
    """Return why a URL gave no page, by table `failures` or by its decision: either may be missing."""
    rows = database.rows(_FAILURE, (url_key(url),))
    decided = _failed(events)
    if rows:
        failure = Failure(*rows[0])
        details = [event.detail for event in decided if event.rule == failure.reason]
        return failure._replace(detail=details[-1]) if details else failure
    if decided:
        last = decided[-1]
        return Failure(last.rule, last.at, last.run, last.detail)
    return None


def with_failure(events: list[Event], failure: Failure | None) -> list[Event]:
    """Return events with a failure of which none tells: an older version wrote no decisions."""
    if failure is None or _failed(events):
        return events
    told = Event(failure.failed_at, _FAILED, failure.reason, run=failure.run)
    return sorted([*events, told], key=lambda event: event.at)


def _failed(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.what == _FAILED and event.host is None]


def _decisions(database: CrawlDatabase, condition: str, value: object) -> list[Event]:
    rows = database.rows(_DECISIONS.format(condition), (value, MOST_EVENTS))
    return [Event(*row) for row in reversed(rows)]


def _revisits(database: CrawlDatabase, page: PageFact) -> list[Event]:
    rows = database.rows(_REVISITS, (page.position, MOST_EVENTS))
    return [_revisit(*row) for row in reversed(rows)]


def _fetched(page: PageFact, *, is_end: bool) -> Event:
    where = "" if is_end else f", at {page.url}"
    return Event(
        page.fetched_at, "fetched", f"http_{page.status}", f"page {page.position}{where}", run=page.run
    )


def _revisit(at: float, outcome: str, relevance: float | None, run: int | None) -> Event:
    detail = "" if relevance is None else f"relevance {relevance:.3f}"
    return Event(at, LOOKED_AT_AGAIN, outcome, detail, run=run)
