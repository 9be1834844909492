"""The last look before a request is sent: is its page still this worker's to fetch?"""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from focused_crawler.crawl.failure import Failure
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.edge.failures import NoPage


def check_lease(crawler: Crawler, request: Request) -> None:
    """Raise NoPage for a page of a fleet, or its robots.txt, that others may have by now.

    A process that was stopped for a while finds requests that wait to be sent, and does not know that time
    has passed: sent now they would come too early after those of another worker.
    """
    lease = request.meta.get(meta.LEASE) or request.meta.get(meta.ASKED_FOR)
    if lease is None:
        return
    session = crawler.get_extension(CrawlSession)
    if session is None or not session.crawl.plan.config.is_shared:
        return
    if not session.crawl.frontier.holds(lease):
        raise NoPage(Failure("lease_lost", retry=True, is_untried=True))
