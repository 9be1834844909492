"""The one place where components are switched on and ordered."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Self

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from focused_crawler.crawl.fetching import FETCHING
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.edge.download.guard import GuardedDownloadHandler
from focused_crawler.edge.download.slots import ForgetfulDownloader
from focused_crawler.edge.download.virtual_web import VirtualWebDownloadHandler, web_from_settings
from focused_crawler.edge.extensions.budget import BudgetExtension
from focused_crawler.edge.extensions.metrics import MetricsEndpoint
from focused_crawler.edge.extensions.monitor import CrawlMonitor
from focused_crawler.edge.extensions.orders import Orders
from focused_crawler.edge.extensions.progress import Progress
from focused_crawler.edge.extensions.session import CrawlSession
from focused_crawler.edge.extensions.web_recorder import WebRecorder
from focused_crawler.edge.hostile_text import LogEscaping, SafeCsvItemExporter
from focused_crawler.edge.middlewares.block_partition import BlockPartitionMiddleware
from focused_crawler.edge.middlewares.bounded_compression import BoundedCompressionMiddleware
from focused_crawler.edge.middlewares.bounded_redirect import (
    BoundedMetaRefreshMiddleware,
    BoundedRedirectMiddleware,
)
from focused_crawler.edge.middlewares.content_limits import ContentLimitsMiddleware
from focused_crawler.edge.middlewares.hints import HintsMiddleware
from focused_crawler.edge.middlewares.link_scoring import LinkScoringMiddleware
from focused_crawler.edge.middlewares.page_classifier import PageClassifierMiddleware
from focused_crawler.edge.middlewares.robots import RobotsMiddleware
from focused_crawler.edge.pipelines import (
    CrawlDatabasePipeline,
    DuplicateContentPipeline,
    HarvestRatePipeline,
    PagePipelines,
    TargetRecallPipeline,
)
from focused_crawler.edge.scheduler import FocusedScheduler
from focused_crawler.edge.scrapy_settings import (
    check_components,
    check_feeds,
    check_log,
    check_scrapy_settings,
)
from focused_crawler.edge.setting_names import DEFAULTS, check_names
from focused_crawler.report.live import with_bar
from focused_crawler.safety.address import user_agent
from focused_crawler.safety.content import PageLimits
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.name_servers import NameSettings
from focused_crawler.safety.program import used_in_a_program
from focused_crawler.safety.progress import show_by
from focused_crawler.safety.settings import read

Components = dict[str, tuple[tuple[type, int], ...]]
OTHER_SCHEMES = ("file", "ftp", "s3", "data")

# For every spider.
GUARDS: Components = {
    "EXTENSIONS": ((LogEscaping, 900),),  # after all that add log handlers
    "DOWNLOADER_MIDDLEWARES": (
        (BoundedRedirectMiddleware, 600),  # nearest the downloader: no body of a redirect is decompressed
        (BoundedCompressionMiddleware, 590),
        (ContentLimitsMiddleware, 585),  # after decompression: sees the final size
        (BoundedMetaRefreshMiddleware, 580),
        (RobotsMiddleware, 100),
        (HintsMiddleware, 40),  # nearest the engine: hears of errors that nobody deals with
    ),
}
REPLACED = {
    "DOWNLOADER_MIDDLEWARES": (
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware",
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
    ),
}
SIZE_MARGIN = 256 * 1024  # the handler's own limit is a backstop behind FOCUSED_MAX_PAGE_BYTES

# For a spider with a topic.
FOCUS: Components = {
    "EXTENSIONS": (
        (MetricsEndpoint, -110),  # where its port is taken, no crawl is opened
        (CrawlSession, -100),  # first made: all others read it, and it names the feed
        (BudgetExtension, 10),
        (CrawlMonitor, 15),
        (Orders, 16),
        (Progress, 20),
    ),
    "DOWNLOADER_MIDDLEWARES": (
        (PageClassifierMiddleware, 50),  # nearest the engine: sees what all others have finished with
    ),
    "SPIDER_MIDDLEWARES": (
        (BlockPartitionMiddleware, 420),  # on input
        (LinkScoringMiddleware, 10),  # on output, last: what a user's middleware drops has no links to follow
    ),
    "ITEM_PIPELINES": (
        (DuplicateContentPipeline, 100),  # a copy is no further relevant page: all that follow may know
        # Behind a user's pipelines, since a page that one of them drops is none.
        (TargetRecallPipeline, 880),  # says what is a target, by which the rate is judged where all are known
        (HarvestRatePipeline, 890),
        (CrawlDatabasePipeline, 900),  # last: what it records is final
    ),
}
# Scrapy's rules stay, for a spider's own requests. Offsite and retry pass a visit by (`own.PASSES_BY`).
# HttpError, depth, referer and URL length have nothing to do there: the status of its page is 2xx, its links
# are no requests.
NOT_NEEDED = {"EXTENSIONS": ("scrapy.extensions.logstats.LogStats",)}  # Progress tells
REMOTE_CONTROL = "scrapy.extensions.remote_control.RemoteControl"
TALKATIVE = (
    "scrapy.middleware",
    "scrapy.addons",
    "scrapy.crawler",
    "scrapy.extensions.feedexport",
    "scrapy.extensions.memusage",
)  # no other extension: what one says its user has asked for, as the password of the telnet console


class FocusedCrawlerAddon:
    """Makes every spider of the project fetch safely, and one with a topic crawl focused."""

    def __init__(self, spider: type[Spider] | None = None) -> None:
        """Take the spider that is to crawl, where that is known."""
        self._asks_for_pages = _is_of_a_command(spider)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.spidercls)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        settings.set("LOG_LEVEL", "INFO", priority="default")
        settings.set("LOG_VERSIONS", [], priority="default")  # run.json holds them
        check_log(settings)
        if settings.get("COMMANDS_MODULE") != "focused_crawler.edge.menu":
            used_in_a_program()  # `scrapy` has no commands of ours there
        if settings.get("LOG_LEVEL") != "DEBUG":
            logging.getLogger("scrapy.utils.log").addFilter(_is_warning)  # its level is set anew after this
        logging.getLogger("asyncio").addFilter(_in_a_line)  # it tells why a crawl did not begin

    def update_settings(self, settings: BaseSettings) -> None:
        show_by(with_bar)
        level = logging.NOTSET if settings.get("LOG_LEVEL") == "DEBUG" else logging.WARNING
        for name in TALKATIVE:
            logging.getLogger(name).setLevel(level)  # of the process: other crawls in it may want another
        check_names(settings)
        check_components(settings)
        for name, value in {**DEFAULTS, **FETCHING}.items():
            settings.set(name, value, priority="addon")
        settings.set("USER_AGENT", user_agent(settings.get("FOCUSED_CONTACT") or ""), priority="addon")
        limits = read(PageLimits, settings)
        settings.set("DOWNLOAD_MAXSIZE", limits.max_page_bytes + SIZE_MARGIN, priority="addon")
        read(NameSettings, settings)
        read(SearchSettings, settings)  # an address with a password is refused before run.json names it
        settings.set("FEED_EXPORTERS", {"csv": SafeCsvItemExporter}, priority="addon")
        self._wire(settings, GUARDS, REPLACED)
        if not settings.getbool("REMOTE_CONTROL_ENABLED"):  # it loads a web server to find that out
            known = settings.getdict("EXTENSIONS_BASE")
            others = {name: order for name, order in known.items() if name != REMOTE_CONTROL}
            settings.set("EXTENSIONS_BASE", others, priority="addon")
        check_scrapy_settings(settings)
        self._choose_web(settings)
        if settings.get("FOCUSED_TOPIC") and not self._asks_for_pages and not _is_shell(settings):
            check_feeds(settings)
            settings.set("SCHEDULER", FocusedScheduler, priority="addon")
            settings.set("DOWNLOADER", ForgetfulDownloader, priority="addon")  # the frontier remembers hosts
            settings.set("ITEM_PROCESSOR", PagePipelines, priority="addon")
            self._wire(settings, FOCUS, NOT_NEEDED)

    def _choose_web(self, settings: BaseSettings) -> None:
        if settings.get("FOCUSED_RECORD"):
            settings.setdefault_in_component_priority_dict("EXTENSIONS", WebRecorder, 30)
        web = web_from_settings(settings)
        if web is not None:
            web.close()  # it is there, and its index is built before the crawl begins
            settings.set("DOWNLOAD_DELAY", 0.0, priority="addon")  # nobody to be polite to
        handler = VirtualWebDownloadHandler if web is not None else GuardedDownloadHandler
        handlers = {"http": handler, "https": handler, **dict.fromkeys(OTHER_SCHEMES)}
        settings.set("DOWNLOAD_HANDLERS", handlers, priority="addon")

    def _wire(
        self, settings: BaseSettings, wanted: Components, unwanted: Mapping[str, Sequence[str]]
    ) -> None:
        for family, components in wanted.items():
            for component, order in components:
                settings.setdefault_in_component_priority_dict(family, component, order)
        for family, paths in unwanted.items():
            for path in paths:
                settings.setdefault_in_component_priority_dict(family, load_object(path), None)


def _is_shell(settings: BaseSettings) -> bool:
    """Tell whether it is `scrapy shell` that asks: for a page at a time, from a thread, and for no crawl."""
    priority = settings.getpriority("DUPEFILTER_CLASS")
    is_its_own = priority == SETTINGS_PRIORITIES["command"]
    return is_its_own and settings["DUPEFILTER_CLASS"] == "scrapy.dupefilters.BaseDupeFilter"


def _is_of_a_command(spider: type[Spider] | None) -> bool:
    """Tell whether a spider asks for what a command of Scrapy wants: parse, fetch, check or bench.

    That is no crawl, least of all the topic's last one that has stopped.
    """
    return spider is not None and spider.start.__module__.startswith("scrapy.commands.")


def _in_a_line(record: logging.LogRecord) -> bool:
    """Let an error of ours be one line in the log, too: the project may have Scrapy's commands alone."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, FocusedCrawlerError):
        record.msg, record.args, record.exc_info = str(error), None, None
    return True


def _is_warning(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING
