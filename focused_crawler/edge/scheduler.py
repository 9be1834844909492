"""Scrapy's scheduler over the frontier: a Request is built only when the frontier gives its URL out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler, Scheduler
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser
from scrapy.utils.asyncio import CallLaterResult, call_later
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure as TwistedFailure

from focused_crawler.crawl.steering.revisit_store import CONDITIONS
from focused_crawler.crawl.visit import Visit
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.component import CrawlComponent
from focused_crawler.edge.failures import asked_host, classify
from focused_crawler.edge.http import user_agent_of
from focused_crawler.edge.middlewares.robots import sitemaps_named
from focused_crawler.edge.own import PASSES_BY, is_own
from focused_crawler.frontier.base import LONGEST_WAIT, Candidate
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.content import LISTING_BYTES


class FocusedScheduler(CrawlComponent, BaseScheduler):
    """Gives out the best URL whose host may be asked now, and never more than may be in flight.

    So at concurrency 1 the links of a page are queued before the next URL is chosen. A request is one of
    three. A redirect of a leased URL waits in a short lane in memory and goes first; one to a host that may
    not be asked yet is put aside until it may. It stays part of its lease: after a crash the URL that led
    there is fetched again. One with `focused_priority` in its meta hands its URL over to the frontier. Every
    other is a spider's own: Scrapy's scheduler holds it, with its dupe filter, queues and job directory, and
    it goes before the frontier's URLs as long as the budget has room.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent = user_agent_of(crawler)
        self._frontier = self._crawl.frontier
        self._own = Scheduler.from_crawler(crawler)
        self._own_waiting = 0  # requests that it holds: to count them costs more than a page should
        self._has_own = False  # any was made
        self._lane: deque[Request] = deque()
        self._aside: list[tuple[float, int, Request]] = []  # heap: a redirect, and when it may go on
        self._numbers = count()
        self._woken: Request | None = None  # what the alarm gives out, on its way back in
        self._alarm: CallLaterResult | None = None
        self._alarm_at = 0.0
        self._is_open = True
        crawler.signals.connect(self.robots_parsed, signals.robots_parsed)
        crawler.signals.connect(self.sitemaps_named, sitemaps_named)

    def open(self, spider: Spider) -> Deferred[None] | None:
        opened = self._own.open(spider)
        self._own_waiting = len(self._own)  # those of a job that goes on
        self._has_own = self._own_waiting > 0
        return opened

    def close(self, reason: str) -> Deferred[None] | None:
        self._is_open = False
        if self._alarm is not None:
            self._alarm.cancel()
        return self._own.close(reason)

    def has_pending_requests(self) -> bool:
        has_more = False
        with self._session.keeping():
            has_more = bool(self._lane or self._aside or self._own_waiting) or self._crawl.visits.has_more()
        return has_more or self._session.failure is not None  # which ends the crawl, not that nothing is left

    def __len__(self) -> int:
        return len(self._frontier) + len(self._lane) + len(self._aside) + self._own_waiting

    def enqueue_request(self, request: Request) -> bool:
        accepted = False
        if not self._is_open:  # a spider's start goes on for a moment when a crawl is closed
            return accepted
        if request is self._woken:
            self._lane.appendleft(request)
            return True
        if meta.LEASE not in request.meta and meta.PRIORITY not in request.meta:
            return self._accept_own(request)
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
            self._crawl.pace(asked_host(request.url), urlsplit(request.url).scheme, delay)
        if delay > self._crawl.plan.config.host_delay:
            self._stats.inc_value("focused/robots/crawl_delay")
            self._slow_down(request, delay)

    def sitemaps_named(self, host: str, sitemaps: Sequence[str]) -> None:
        """Keep what sitemaps a host names, until it has shown relevant pages."""
        listings = self._crawl.visits.context.steering.listings
        if listings is not None:
            listings.name(host, sitemaps)

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
        return self._accept_url(request)

    def _accept_own(self, request: Request) -> bool:
        accepted = self._own.enqueue_request(request)
        self._own_waiting += accepted
        self._has_own |= accepted
        return accepted

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
        priority = float(request.meta[meta.PRIORITY])
        depth = int(request.meta.get(meta.DEPTH, 0))
        parent, path = request.meta.get(meta.PARENT), request.meta.get(meta.PATH)
        return self._frontier.add([Candidate(url, priority, depth, parent, path)]) > 0

    def _next(self, now: float) -> Request | None:
        while self._aside and self._aside[0][0] <= now:
            redirect = heappop(self._aside)[-1]
            ready_at = self._session.visit_of(redirect).go_on(redirect.url, now)
            if ready_at is not None:
                self._queue_redirect(redirect, ready_at, now)
        request = self._lane.popleft() if self._lane else self._next_own() or self._from_frontier(now)
        if request is None and self._aside:
            self._wake_at(self._aside[0][0], now)
        return request

    def _next_own(self) -> Request | None:
        """Return the spider's own request that Scrapy would send next, if the budget has room for it."""
        if not self._own_waiting or not self._crawl.has_budget(self._own_in_flight()):
            return None
        request = self._own.next_request()
        self._own_waiting = len(self._own)
        return request

    def _own_in_flight(self) -> int:
        """Return the number of the spider's own requests in flight, where a page budget has to know it."""
        if not self._has_own or not self._crawl.plan.budget.pages:
            return 0
        return sum(map(is_own, self._crawler.engine.downloader.active))

    def _from_frontier(self, now: float) -> Request | None:
        self._crawl.visits.expire(now)
        if not self._crawl.has_room(aside=len(self._aside), own=self._own_in_flight()):
            return None
        visit = self._crawl.next_visit(now)
        if visit is not None:
            return self._request(visit)
        self._wake_at(self._crawl.visits.next_ready_at(now), now)
        return None

    def _request(self, visit: Visit) -> Request:
        lease = visit.lease
        values: dict[str, Any] = PASSES_BY | {
            meta.LEASE: lease.url,
            meta.PRIORITY: lease.priority,
            meta.DEPTH: lease.depth,
            meta.TRIES: lease.tries,
        }
        if lease.parent is not None:
            values[meta.PARENT] = lease.parent
        if visit.listing is not None:
            values |= {meta.LISTING: visit.listing.kind, "download_maxsize": LISTING_BYTES}
        elif lease.path is not None:
            values[meta.PATH] = lease.path
        if visit.revisit is not None or lease.tries:  # Scrapy's HTTP cache has what came the time before
            values["dont_cache"] = True
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
