"""Spider middleware: cuts a page into content blocks (CBP, Lu et al. 2016) before its links are scored."""

from __future__ import annotations

from scrapy.http import Response

from focused_crawler.edge.extensions.component import CrawlComponent
from focused_crawler.edge.http import PageResponse


class BlockPartitionMiddleware(CrawlComponent):
    """Fills `page.blocks` and `page.links`; a worker process that analysed a page has done it already."""

    def process_spider_input(self, response: Response) -> None:
        if isinstance(response, PageResponse):
            with self._crawl.steps.timing("partition"):
                self._crawl.plan.analyst.partition(response.analysis)
