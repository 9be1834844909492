"""Extension: serves the crawl's metrics for Prometheus and OpenTelemetry while it runs."""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.crawl_stats import publish
from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.edge.prometheus.catalogue import Facts, Resource
from focused_crawler.edge.prometheus.listener import announce, listen, target

if TYPE_CHECKING:
    from focused_crawler.edge.prometheus.endpoint import Endpoint

logger = logging.getLogger(__name__)


class MetricsEndpoint:
    """Made before the crawl is opened: where its port is taken, nothing has been written yet."""

    def __init__(self, crawler: Crawler, listener: socket.socket, address: str) -> None:
        self._crawler = crawler
        self._listener = listener
        self._address = address
        self._endpoint: Endpoint | None = None
        self._announced: Path | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        config = CrawlConfig.from_settings(crawler.settings)
        if not config.metrics_ports:
            raise NotConfigured
        listener = listen(config.metrics_address, config.metrics_ports)
        extension = cls(crawler, listener, config.metrics_address)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    async def spider_opened(self) -> None:
        # aiohttp and prometheus_client take a while to load, and most crawls need neither
        from prometheus_client import CollectorRegistry  # noqa: PLC0415

        from focused_crawler.edge.prometheus.collector import CrawlCollector  # noqa: PLC0415
        from focused_crawler.edge.prometheus.endpoint import Endpoint  # noqa: PLC0415

        crawl = crawl_of(self._crawler)
        registry = CollectorRegistry()
        whose = Resource(
            crawl.run.topic, crawl.folder.name, crawl.run.ordered_by, crawl.coordinator.worker or ""
        )
        registry.register(CrawlCollector(whose, self.facts))
        self._endpoint = Endpoint(registry, self._listener, self._address)
        await self._endpoint.start()
        location = target(self._address, self._listener.getsockname()[1])
        with suppress(OSError):  # without it the crawl can be scraped as well
            self._announced = announce(crawl.plan.config.crawls, location)
        logger.info("Metrics: http://%s/metrics", location)

    async def spider_closed(self) -> None:
        if self._announced is not None:
            with suppress(OSError):
                self._announced.unlink(missing_ok=True)
        if self._endpoint is not None:
            await self._endpoint.stop()
        self._listener.close()

    def facts(self) -> Facts:
        """Return the crawl as it is now."""
        crawl = crawl_of(self._crawler)
        publish(crawl, self._crawler.stats)
        return Facts(
            stats=self._crawler.stats.get_stats(),
            frontier=crawl.frontier.stats(),
            bands=crawl.frontier.bands(),
            in_flight=len(crawl.visits),
            steps=crawl.steps,
            workers=crawl.coordinator.workers,
        )
