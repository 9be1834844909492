"""Scrapy's scheduler over the frontier: a Request is built only when the frontier gives its URL out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Self

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import CallLaterResult, call_later
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure as TwistedFailure

from focused_crawler import meta
from focused_crawler.crawl import Failure
from focused_crawler.extensions.session import CrawlSession, session_of
from focused_crawler.failures import failure_of
from focused_crawler.frontier.base import Candidate, Lease
from focused_crawler.page.url import normalise, url_key


class FocusedScheduler(BaseScheduler):
    """Gives out the best URL whose host may be asked now, and never more than may be in flight.

    So at concurrency 1 the links of a page are queued before the next URL is chosen. Requests that cannot
    live in the frontier (a redirect of a leased URL; a spider's own POST or callback) wait in a short lane in
    memory and go first. A redirect stays part of its lease: after a crash the URL that led there is fetched
    again.
    """

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._crawler = crawler
        self._session = session
        self._crawl = session.crawl
        self._frontier = session.crawl.frontier
        self._lane: deque[Request] = deque()
        self._alarm: CallLaterResult | None = None
        self._alarm_at = 0.0
        self._is_open = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    def open(self, spider: Spider) -> Deferred[None] | None:
        return None

    def close(self, reason: str) -> Deferred[None] | None:
        self._is_open = False
        if self._alarm is not None:
            self._alarm.cancel()
        return None

    def has_pending_requests(self) -> bool:
        return bool(self._lane) or len(self._frontier) > 0

    def __len__(self) -> int:
        return len(self._frontier) + len(self._lane)

    def add_links(self, links: Iterable[Candidate]) -> int:
        """Queue the scored links of a page in one batch; return how many URLs were new."""
        return self._frontier.add(links)

    def enqueue_request(self, request: Request) -> bool:
        accepted = False
        if not self._is_open:  # a spider's start goes on for a moment when a crawl is closed
            return accepted
        with self._session.keeping():
            accepted = self._accept(request)
        self._count("enqueued" if accepted else "refused")
        return accepted

    def next_request(self) -> Request | None:
        request = self._lane.popleft() if self._lane else self._from_frontier()
        if request is not None:
            self._count("dequeued")
        return request

    def _accept(self, request: Request) -> bool:
        if meta.LEASE in request.meta:
            return self._accept_continuation(request)
        if _is_plain(request):
            return self._accept_url(request)
        self._lane.append(request)
        return True

    def _accept_continuation(self, request: Request) -> bool:
        """Take a redirect of a leased URL, unless its target is, or was, somebody else's to fetch."""
        lease = request.meta[meta.LEASE]
        target = normalise(request.url)
        if target is None:
            self._session.fail(lease, Failure("redirect_refused", retry=False))
            return False
        if url_key(target) != url_key(lease) and self._frontier.is_known(target):
            self._session.fail(lease, Failure("redirect_to_known", retry=False))
            return False
        self._lane.append(request)
        return True

    def _accept_url(self, request: Request) -> bool:
        url = normalise(request.url)
        if url is None:
            return False
        priority = float(request.meta.get(meta.PRIORITY, _to_unit(request.priority)))
        depth = int(request.meta.get(meta.DEPTH, 0))
        return self.add_links([Candidate(url, priority, depth, request.meta.get(meta.PARENT))]) > 0

    def _from_frontier(self) -> Request | None:
        if not self._crawl.has_room():
            return None
        now = time.time()
        with self._session.keeping():
            lease = self._crawl.next_lease(now)
            if lease is not None:
                return self._request(lease)
            self._wake_at(self._frontier.next_ready_at(), now)
        return None

    def _request(self, lease: Lease) -> Request:
        values: dict[str, Any] = {
            meta.LEASE: lease.url,
            meta.PRIORITY: lease.priority,
            meta.DEPTH: lease.depth,
            meta.TRIES: lease.tries,
        }
        if lease.parent is not None:
            values[meta.PARENT] = lease.parent
        return Request(lease.url, errback=self._failed, meta=values)

    def _failed(self, failure: TwistedFailure) -> list[Any]:
        request: Request = failure.request  # type: ignore[attr-defined]
        self._session.fail(request.meta[meta.LEASE], failure_of(failure), request.meta[meta.TRIES])
        return []

    def _wake_at(self, when: float | None, now: float) -> None:
        """See to it that the engine asks again at `when`: by itself it would only after its five seconds."""
        if when is None or (self._alarm is not None and self._alarm_at <= when):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = when
        self._alarm = call_later(max(0.0, when - now), self._ring)

    def _ring(self) -> None:
        self._alarm = None
        engine = self._crawler.engine
        if engine.spider is None or engine.needs_backout():
            return
        request = self._from_frontier()
        if request is not None:
            engine.crawl(request)  # back through enqueue_request into the lane, and the engine awake

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"focused/scheduler/{what}")


def _is_plain(request: Request) -> bool:
    """Tell whether URL, priority and depth are all there is to a request."""
    return (
        request.method == "GET"
        and request.callback is None
        and request.errback is None
        and not request.body
        and not request.cookies
        and not request.cb_kwargs
    )


def _to_unit(priority: int) -> float:
    """Map Scrapy's integer priority to [0, 1]: 0 to a half, 1,000 and more to 1."""
    return min(1.0, max(0.0, 0.5 + priority / 2000))
