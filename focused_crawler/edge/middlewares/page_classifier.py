"""Downloader middleware: parses a page, once, and says how relevant it is."""

from __future__ import annotations

import logging
from typing import NoReturn, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from w3lib.encoding import http_content_type_encoding

from focused_crawler.crawl.analysis import Analysis
from focused_crawler.crawl.analysis_pool import AnalysisFailed, AnalysisPool, Job, WorkerDied
from focused_crawler.crawl.page_recorder import Failure
from focused_crawler.crawl.steering.steering import Judged
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.session import CrawlSession, session_of
from focused_crawler.edge.failures import NoPage, failure_of_status
from focused_crawler.edge.http import PageResponse, validators_of
from focused_crawler.edge.rendering.rendering import Rendering
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.page.url import normalise
from focused_crawler.safety.content import NOT_MODIFIED
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.printable import printable

logger = logging.getLogger(__name__)


class PageClassifierMiddleware:
    """Turns the response of a leased URL into a `PageResponse`, or raises `NoPage`; leaves others alone.

    With worker processes, partition and scores come along with the relevance. Where a page says more in a
    browser, that form of it is the page.
    """

    def __init__(self, crawler: Crawler, session: CrawlSession) -> None:
        self._session = session
        self._stats = crawler.stats
        self._crawl = session.crawl
        self._analyst = session.crawl.plan.analyst
        processes = session.crawl.plan.config.analysis_processes
        self._pool = AnalysisPool(self._analyst, processes) if processes else None
        self._rendering = Rendering.of(crawler, session)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, session_of(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        if meta.LEASE not in request.meta:
            return response
        page = self._crawl.maintenance.page(request.meta[meta.LEASE])
        if response.status == NOT_MODIFIED and page is not None and page.is_at(response.url):
            self._end_unchanged(request, response)
        if self._is_known(request.meta[meta.LEASE], response):
            self._end_known(request, response)
        if response.status != 200:
            raise NoPage(failure_of_status(response))
        if not isinstance(response, TextResponse):
            raise NoPage(Failure("not_html", retry=False))
        self._claim(request, response)
        try:
            with self._crawl.steps.timing("parse"):
                analysis = await self._analyse(request, response)
            if self._rendering is not None:
                response, analysis = await self._rendering.better(request, response, analysis, self._analyse)
        except UnparsablePage:
            raise NoPage(Failure("unparsable", retry=False)) from None
        except AnalysisFailed as error:
            logger.error("Analysis of %s broke:\n%s", printable(response.url), error)
            raise NoPage(Failure("spider_error", retry=False)) from None
        except CrawlError as error:
            self._session.give_up(error)
            raise NoPage(Failure("worker_died", retry=True)) from None
        except WorkerDied:
            raise NoPage(Failure("worker_died", retry=True)) from None
        judged = Judged(analysis.sketch, analysis.is_missing)
        self._crawl.steering.judged(request.meta[meta.LEASE], judged)
        return PageResponse.of(response, analysis)

    def _claim(self, request: Request, response: Response) -> None:
        if not self._crawl.claim(request.meta[meta.LEASE], response.url):
            raise NoPage(Failure("redirect_to_known", retry=False, detail=response.url))

    def _is_known(self, lease: str, response: Response) -> bool:
        """Tell whether a response is a page that an earlier crawl has, as it has it."""
        known = self._crawl.known
        if not known.is_at(lease, response.url):
            return False
        is_sent = response.status == 200 and known.is_same(lease, validators_of(response))
        return is_sent or response.status == NOT_MODIFIED

    def _end_known(self, request: Request, response: Response) -> NoReturn:
        """End the lease of a page that an earlier crawl has: it is no page of this one."""
        self._claim(request, response)
        lease, depth = request.meta[meta.LEASE], int(request.meta.get(meta.DEPTH, 0))
        self._session.known(lease, normalise(response.url) or lease, depth)
        raise IgnoreRequest("known")

    def _end_unchanged(self, request: Request, response: Response) -> NoReturn:
        """End a revisit by 304: there is nothing to be done with its response."""
        self._stats.inc_value("focused/revisits/not_modified")
        self._session.unchanged(request.meta[meta.LEASE], validators_of(response))
        raise IgnoreRequest("unchanged")

    async def spider_closed(self) -> None:
        if self._rendering is not None:
            await self._rendering.close()
        if self._pool is not None:
            await self._pool.close()

    async def _analyse(self, request: Request, response: Response) -> Analysis:
        depth, path = int(request.meta.get(meta.DEPTH, 0)), request.meta.get(meta.PATH)
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        job = Job(response.body, response.url, http_content_type_encoding(content_type), depth, path)
        return self._analyst.classify(*job) if self._pool is None else await self._pool.analyse(job)
