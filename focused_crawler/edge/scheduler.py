"""Scrapy's scheduler over the frontier: a Request is built only when the frontier gives its URL out."""

from __future__ import annotations

import time
from collections import deque
from heapq import heappop, heappush
from itertools import count
from typing import Any

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser
from scrapy.utils.asyncio import CallLaterResult, call_later
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure as TwistedFailure

from focused_crawler.crawl.steering.revisit_store import CONDITIONS
from focused_crawler.crawl.visit import Visit
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.session import CrawlComponent
from focused_crawler.edge.failures import asked_host, classify
from focused_crawler.edge.http import user_agent_of
from focused_crawler.frontier.base import LONGEST_WAIT, Candidate
from focused_crawler.page.url import normalise, url_key


class FocusedScheduler(CrawlComponent, BaseScheduler):
    """Gives out the best URL whose host may be asked now, and never more than may be in flight.

    So at concurrency 1 the links of a page are queued before the next URL is chosen. Requests that cannot
    live in the frontier (a redirect of a leased URL; a spider's own POST or callback) wait in a short lane in
    memory and go first; a redirect to a host that may not be asked yet is put aside until it may. It stays
    part of its lease: after a crash the URL that led there is fetched again.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent = user_agent_of(crawler)
        self._frontier = self._crawl.frontier
        self._lane: deque[Request] = deque()
        self._aside: list[tuple[float, int, Request]] = []  # heap: a redirect, and when it may go on
        self._numbers = count()
        self._woken: Request | None = None  # what the alarm gives out, on its way back in
        self._alarm: CallLaterResult | None = None
        self._alarm_at = 0.0
        self._is_open = True
        crawler.signals.connect(self.robots_parsed, signals.robots_parsed)

    def close(self, reason: str) -> Deferred[None] | None:
        self._is_open = False
        if self._alarm is not None:
            self._alarm.cancel()
        return None

    def has_pending_requests(self) -> bool:
        return bool(self._lane or self._aside) or self._crawl.visits.has_more()

    def __len__(self) -> int:
        return len(self._frontier) + len(self._lane) + len(self._aside)

    def enqueue_request(self, request: Request) -> bool:
        accepted = False
        if not self._is_open:  # a spider's start goes on for a moment when a crawl is closed
            return accepted
        if request is self._woken:
            self._lane.appendleft(request)
            return True
        with self._session.keeping():
            accepted = self._accept(request)
        self._count("enqueued" if accepted else "refused")
        return accepted

    def next_request(self) -> Request | None:
        request = None
        with self._session.keeping():
            request = self._next(time.time())
        if request is not None:
            self._count("dequeued")
        return request

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Keep the delay that a site asks for in its robots.txt (Crawl-delay)."""
        if not self._crawl.is_polite:
            return
        delay = min(float(robotparser.crawl_delay(self._agent) or 0.0), LONGEST_WAIT)
        with self._session.keeping():
            self._crawl.pace(asked_host(request.url), delay)
        if delay > self._crawl.plan.config.host_delay:
            self._stats.inc_value("focused/robots/crawl_delay")
            self._slow_down(request, delay)

    def _slow_down(self, request: Request, delay: float) -> None:
        """Let the downloader obey a host's delay too: the frontier cannot see when its URLs are sent.

        The page that waited for robots.txt follows it at the usual distance.
        """
        downloader = self._crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None and slot.delay < delay:
            slot.lastseen -= delay - slot.delay
            slot.delay = delay

    def _accept(self, request: Request) -> bool:
        if meta.LEASE in request.meta:
            return self._accept_redirect(request)
        if _is_plain(request):
            return self._accept_url(request)
        self._lane.append(request)
        return True

    def _accept_redirect(self, request: Request) -> bool:
        """Take a redirect of a leased URL, unless it ends the visit."""
        visit, now = self._session.visit_of(request), time.time()
        ready_at = visit.redirect(request.url, now)
        if ready_at is None:
            return False
        request.meta.pop("download_slot", None)  # its slot is that of the host it came from
        if url_key(request.url) != url_key(visit.url):
            for name in CONDITIONS:  # they are about the page that it came from
                request.headers.pop(name, None)
            request.headers.update(visit.conditions(normalise(request.url) or request.url))
        self._queue_redirect(request, ready_at, now)
        return True

    def _queue_redirect(self, request: Request, ready_at: float, now: float) -> None:
        """Let a redirect go on, at once or when its host may be asked."""
        if ready_at <= now:
            self._lane.append(request)
        else:
            again = min(
                ready_at, now + self._crawl.plan.config.lease_seconds / 2
            )  # renews the lease each time
            heappush(self._aside, (again, next(self._numbers), request))
            self._wake_at(again, now)

    def _accept_url(self, request: Request) -> bool:
        url = normalise(request.url)
        if url is None:
            return False
        priority = float(request.meta.get(meta.PRIORITY, _to_unit(request.priority)))
        depth = int(request.meta.get(meta.DEPTH, 0))
        parent, path = request.meta.get(meta.PARENT), request.meta.get(meta.PATH)
        return self._frontier.add([Candidate(url, priority, depth, parent, path)]) > 0

    def _next(self, now: float) -> Request | None:
        while self._aside and self._aside[0][0] <= now:
            redirect = heappop(self._aside)[-1]
            ready_at = self._session.visit_of(redirect).go_on(redirect.url, now)
            if ready_at is not None:
                self._queue_redirect(redirect, ready_at, now)
        request = self._lane.popleft() if self._lane else self._from_frontier(now)
        if request is None and self._aside:
            self._wake_at(self._aside[0][0], now)
        return request

    def _from_frontier(self, now: float) -> Request | None:
        self._crawl.visits.expire(now)
        if not self._crawl.has_room(aside=len(self._aside)):
            return None
        visit = self._crawl.next_visit(now)
        if visit is not None:
            return self._request(visit)
        self._wake_at(self._crawl.visits.next_ready_at(now), now)
        return None

    def _request(self, visit: Visit) -> Request:
        lease = visit.lease
        values: dict[str, Any] = {
            meta.LEASE: lease.url,
            meta.PRIORITY: lease.priority,
            meta.DEPTH: lease.depth,
            meta.TRIES: lease.tries,
        }
        if lease.parent is not None:
            values[meta.PARENT] = lease.parent
        if lease.path is not None:
            values[meta.PATH] = lease.path
        headers = dict(visit.conditions(lease.url))
        return Request(lease.url, errback=self._failed, headers=headers, meta=values)

    def _failed(self, failure: TwistedFailure) -> list[Any]:
        request: Request = failure.request  # type: ignore[attr-defined]
        self._session.fail(self._session.visit_of(request), classify(failure.value))
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
        with self._session.keeping():
            self._woken = self._next(time.time())
        if self._woken is not None:
            engine.crawl(self._woken)  # back through enqueue_request into the lane, and the engine awake
            self._woken = None

    def _count(self, what: str) -> None:
        self._stats.inc_value(f"focused/scheduler/{what}")


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
