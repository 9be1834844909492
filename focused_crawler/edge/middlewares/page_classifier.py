"""Downloader middleware: parses a page, once, and judges its relevance."""

from __future__ import annotations

import logging
import time

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from focused_crawler.crawl.analysis import Analysis, Way, takes_long
from focused_crawler.crawl.analysis_pool import PAGE_SECONDS, AnalysisPool, Job
from focused_crawler.crawl.failure import LATE, LISTED, UNCHANGED, Failure
from focused_crawler.crawl.listing_visit import listing_parts
from focused_crawler.crawl.steering.steering import JudgedPage
from focused_crawler.crawl.visit import Visit
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.component import CrawlComponent
from focused_crawler.edge.failures import NoPage, retry_after
from focused_crawler.edge.http import PageResponse, nofollow_for, validators_of
from focused_crawler.edge.own import is_own
from focused_crawler.edge.rendering.rendering import Rendering
from focused_crawler.page.listing import UnreadableListing, reading_listing
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.page.url import normalise
from focused_crawler.safety.aside import Aside, Parts, giving_way
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.printable import printable
from focused_crawler.safety.workers import TaskFailed, WorkerDied, WorkerStuck

logger = logging.getLogger(__name__)


class PageClassifierMiddleware(CrawlComponent):
    """Turns the response of a leased URL into a `PageResponse`, or raises `NoPage`; leaves others alone.

    With worker processes, partition and scores come along with the relevance; without them a long page is
    analysed in parts, since none may hold the event loop. Where a page has more in a browser, that form of
    it is the page.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._analyst = self._crawl.plan.analyst
        processes = self._crawl.plan.config.analysis_processes
        self._pool = (
            AnalysisPool(self._analyst, processes, self._count_stuck, self._count_given_up)
            if processes
            else None
        )
        self._aside = Aside()
        self._rendering = Rendering.of(crawler, self._session, self._aside)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        if meta.LEASE not in request.meta:
            if is_own(request):
                self._session.count_own()
            return response
        visit = self._session.visit_of(request)
        self._respond(visit, response)
        if visit.listing is not None:
            raise NoPage(await self._list(visit, response))
        try:
            with self._crawl.steps.timing("parse"):
                analysis = await self._analyse(request, response)
            if self._rendering is not None:
                response, analysis = await self._rendering.better(request, response, analysis, self._analyse)
        except UnparsablePage:
            raise NoPage(Failure("unparsable", retry=False)) from None
        except TaskFailed as error:
            logger.error("Analysis of %s broke:\n%s", printable(response.url), error)
            raise NoPage(Failure("spider_error", retry=False)) from None
        except CrawlError as error:
            self._session.give_up(error)
            raise NoPage(Failure("worker_died", retry=True)) from None
        except WorkerStuck:
            raise NoPage(Failure("analysis_timeout", retry=False)) from None
        except WorkerDied:
            raise NoPage(Failure("worker_died", retry=True)) from None
        visit.judged = JudgedPage(analysis.sketch, analysis.is_missing, analysis.named)
        assert isinstance(response, TextResponse)  # others are no pages, says the visit
        return PageResponse.of(response, analysis)

    def _respond(self, visit: Visit, response: Response) -> None:
        """Raise NoPage where an answer holds no page to be read."""
        failure: Failure | None = None
        with self._session.keeping():
            failure = visit.respond(
                response.status,
                response.url,
                time.time(),
                validators_of(response),
                retry_after=retry_after(response),
                is_html=visit.listing is not None or isinstance(response, TextResponse),
            )
        if failure is LATE:
            self._session.count_late(response.url)
        if failure is UNCHANGED:
            self._stats.inc_value("focused/revisits/not_modified")
        if failure is not None:
            raise NoPage(failure)

    async def _list(self, visit: Visit, response: Response) -> Failure:
        """Queue what a sitemap or feed lists; return how its visit ended."""
        try:
            listing = await giving_way(reading_listing(response.body, response.url))
        except UnreadableListing as error:
            logger.info("No links from %s (%s)", printable(response.url), error)
            return Failure("no_listing", retry=False)
        with self._session.keeping():
            url = normalise(response.url) or visit.url
            links = await giving_way(listing_parts(visit, self._analyst, listing, url, time.time()))
            self._stats.inc_value(f"focused/listings/{listing.kind}")
            self._stats.inc_value("focused/listings/links", links)
        return LISTED

    def _count_stuck(self, url: str) -> None:
        """Count and log a worker that was replaced, since it came to no end with a page."""
        self._stats.inc_value("focused/analysis/stuck")
        logger.warning("Analysis of %s took over %d s: its worker is replaced", printable(url), PAGE_SECONDS)

    def _count_given_up(self, left: int) -> None:
        """Count and log that one process fewer analyses from now on."""
        self._stats.inc_value("focused/analysis/given_up")
        logger.warning(
            "A process of FOCUSED_ANALYSIS_PROCESSES fails to start and is given up; left: %d", left
        )

    async def spider_closed(self) -> None:
        if self._rendering is not None:
            await self._rendering.close()
        self._aside.close()
        if self._pool is not None:
            await self._pool.close()

    async def _analyse(self, request: Request, response: Response) -> Analysis:
        about = request.meta
        way = Way(int(about.get(meta.DEPTH, 0)), about.get(meta.PATH), about[meta.LEASE])
        encoding = response.encoding if isinstance(response, TextResponse) else None
        nofollow = nofollow_for(response, self._analyst.config.nofollow, self._crawler)
        job = Job(response.body, response.url, encoding, way, nofollow)
        if self._pool is not None:
            return await self._pool.analyse(job)
        return await giving_way(self._classify(job))

    def _classify(self, job: Job) -> Parts[Analysis]:
        analysis = yield from self._analyst.classifying(*job)
        if takes_long(job.body):  # that does as well; of a short page it is the spider middleware's work
            yield from self._analyst.partitioning(analysis)
            yield from self._analyst.order.reading(analysis.page)
        return analysis
