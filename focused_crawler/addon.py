"""The one place where components are switched on and ordered."""

from __future__ import annotations

import logging
from typing import Any

from scrapy.settings import BaseSettings, Settings

from focused_crawler import __version__
from focused_crawler.config import DEFAULTS
from focused_crawler.download_guard import GuardedDownloadHandler
from focused_crawler.download_handler import VirtualWebDownloadHandler
from focused_crawler.extensions.budget import BudgetExtension
from focused_crawler.extensions.progress import Progress
from focused_crawler.extensions.session import CrawlSession
from focused_crawler.extensions.web_recorder import WebRecorder
from focused_crawler.middlewares.block_partition import BlockPartitionMiddleware
from focused_crawler.middlewares.link_scoring import LinkScoringMiddleware
from focused_crawler.middlewares.page_classifier import PageClassifierMiddleware
from focused_crawler.pipelines.crawl_database import CrawlDatabasePipeline
from focused_crawler.pipelines.duplicate_content import DuplicateContentPipeline
from focused_crawler.pipelines.harvest_rate import HarvestRatePipeline
from focused_crawler.pipelines.target_recall import TargetRecallPipeline
from focused_crawler.scheduler import FocusedScheduler

# Safe and polite fetching, for every spider of the project. Profiles and the command line may change each.
FETCHING: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 1.0,
    "DOWNLOAD_DELAY_JITTER": 0.0,  # the frontier paces hosts; the slot only holds redirects to the same pace
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "REDIRECT_MAX_TIMES": 10,
    "COOKIES_ENABLED": False,
    "HTTPPROXY_ENABLED": False,  # behind a proxy the address guard cannot see where a request goes
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "STATS_DUMP": False,  # the report and run.json hold the figures
}

OTHER_SCHEMES = ("file", "ftp", "s3", "data")

EXTENSIONS = (
    (CrawlSession, 0),  # first made, because all others read it
    (BudgetExtension, 10),
    (Progress, 20),
)
DOWNLOADER_MIDDLEWARES = (
    (PageClassifierMiddleware, 50),  # nearest the engine: sees the response that all others have finished with
)
SPIDER_MIDDLEWARES = (
    (BlockPartitionMiddleware, 420),  # on input
    (LinkScoringMiddleware, 460),  # on output
)
ITEM_PIPELINES = (
    (DuplicateContentPipeline, 100),  # a copy is no further relevant page: known before rates are counted
    (TargetRecallPipeline, 200),  # says what is a target, by which the rate is judged where all are known
    (HarvestRatePipeline, 300),
    (CrawlDatabasePipeline, 900),  # last: what it records is final
)
# The frontier retries, a page is accepted by status in the classifier, links never travel as requests.
NOT_NEEDED = {
    "DOWNLOADER_MIDDLEWARES": (
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
        "scrapy.downloadermiddlewares.retry.RetryMiddleware",
    ),
    "SPIDER_MIDDLEWARES": (
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware",
        "scrapy.spidermiddlewares.referer.RefererMiddleware",
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware",
        "scrapy.spidermiddlewares.depth.DepthMiddleware",
    ),
    "EXTENSIONS": ("scrapy.extensions.logstats.LogStats",),
}
TALKATIVE = ("scrapy.utils.log", "scrapy.middleware", "scrapy.addons", "scrapy.crawler", "scrapy.extensions")


class FocusedCrawlerAddon:
    """Makes every spider of the project fetch safely, and one with a topic crawl focused."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        settings.set("LOG_LEVEL", "INFO", priority="default")
        if settings.get("LOG_LEVEL") != "DEBUG":
            for name in TALKATIVE:
                logging.getLogger(name).setLevel(logging.WARNING)

    def update_settings(self, settings: Settings) -> None:
        for name, value in {**DEFAULTS, **FETCHING}.items():
            settings.set(name, value, priority="addon")
        settings.set("USER_AGENT", user_agent(settings.get("FOCUSED_CONTACT")), priority="addon")
        self._choose_web(settings)
        if settings.get("FOCUSED_TOPIC"):
            self._focus(settings)

    def _choose_web(self, settings: Settings) -> None:
        if settings.get("FOCUSED_RECORD"):
            settings.setdefault_in_component_priority_dict("EXTENSIONS", WebRecorder, 30)
        if settings.get("FOCUSED_WEB"):
            settings.set("DOWNLOAD_DELAY", 0.0, priority="addon")  # nobody to be polite to
        handler = VirtualWebDownloadHandler if settings.get("FOCUSED_WEB") else GuardedDownloadHandler
        handlers = {"http": handler, "https": handler, **dict.fromkeys(OTHER_SCHEMES)}
        settings.set("DOWNLOAD_HANDLERS", handlers, priority="addon")

    def _focus(self, settings: Settings) -> None:
        settings.set("SCHEDULER", FocusedScheduler, priority="addon")
        for family in ("EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"):
            for component, order in globals()[family]:
                settings.setdefault_in_component_priority_dict(family, component, order)
        for family, paths in NOT_NEEDED.items():
            for path in paths:
                settings.setdefault_in_component_priority_dict(family, path, None)


def user_agent(contact: str | None) -> str:
    """Return who we say we are, with the contact where one is given."""
    return f"focused-crawler/{__version__}" + (f" (+{contact})" if contact else "")
