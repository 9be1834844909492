from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import BaseSettings, Settings

from focused_crawler import __version__
from focused_crawler.addon import REMOTE_CONTROL, FocusedCrawlerAddon
from focused_crawler.edge.extensions.progress import Progress
from focused_crawler.edge.pipelines import HarvestRatePipeline
from focused_crawler.edge.setting_names import DEFAULTS
from focused_crawler.safety.errors import ConfigError, WebError


def changed(given: dict[str, Any]) -> dict[str, Any]:
    """Return every setting that the add-on sets, classes by their names; of components those it sets."""
    before = Settings(given)
    after = before.copy()
    FocusedCrawlerAddon().update_settings(after)
    return {name: plain(after[name], before.get(name)) for name in after if is_touched(name, before, after)}


def is_touched(name: str, before: Settings, after: Settings) -> bool:
    is_component = name in {"EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"}
    is_set = after.getpriority(name) != before.getpriority(name)
    return is_set or (is_component and dict(after[name]) != dict(before[name]))


def plain(value: Any, before: Any) -> Any:
    if isinstance(value, BaseSettings | dict):
        old = named(before or {})
        return {key: item for key, item in named(value).items() if old.get(key, "absent") != item}
    return name_of(value)


def named(components: Mapping[Any, Any]) -> dict[str, Any]:
    return {name_of(key): name_of(value) for key, value in components.items()}


def name_of(value: Any) -> Any:
    if isinstance(value, type):
        return value.__name__
    is_path = isinstance(value, str) and value.startswith("scrapy.") and value.count(".") > 1
    return value.rpartition(".")[2] if is_path else value


FETCHING = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 1.0,
    "DNS_TIMEOUT": 10,
    "DOWNLOAD_DELAY_JITTER": 0.0,
    "DOWNLOAD_HANDLERS": {
        "http": "GuardedDownloadHandler",
        "https": "GuardedDownloadHandler",
        **dict.fromkeys(("data", "file", "ftp", "s3")),
    },
    "DOWNLOAD_MAXSIZE": 1310720,
    "DOWNLOAD_TIMEOUT": 30,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_WARNSIZE": 0,
    "FEED_EXPORTERS": {"csv": "SafeCsvItemExporter"},
    "HTTPPROXY_ENABLED": False,
    "REDIRECT_MAX_TIMES": 10,
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "STATS_DUMP": False,
    "TELNETCONSOLE_ENABLED": False,
    "USER_AGENT": f"focused-crawler/{__version__}",
}
GUARDS = {
    "DOWNLOADER_MIDDLEWARES": {
        "HintsMiddleware": 40,
        "RobotsMiddleware": 100,
        "BoundedMetaRefreshMiddleware": 580,
        "ContentLimitsMiddleware": 585,
        "BoundedCompressionMiddleware": 590,
        "BoundedRedirectMiddleware": 600,
        "HttpCompressionMiddleware": None,
        "MetaRefreshMiddleware": None,
        "RedirectMiddleware": None,
        "RobotsTxtMiddleware": None,
    },
    "EXTENSIONS": {"LogEscaping": 900},
    "EXTENSIONS_BASE": {},  # without one of them
}
FOCUS = {
    "SCHEDULER": "FocusedScheduler",
    "DOWNLOADER": "ForgetfulDownloader",
    "ITEM_PROCESSOR": "PagePipelines",
    "DOWNLOADER_MIDDLEWARES": {
        "PageClassifierMiddleware": 50,
        **GUARDS["DOWNLOADER_MIDDLEWARES"],
    },
    "SPIDER_MIDDLEWARES": {
        "LinkScoringMiddleware": 10,
        "BlockPartitionMiddleware": 420,
    },
    "ITEM_PIPELINES": {
        "DuplicateContentPipeline": 100,
        "TargetRecallPipeline": 880,
        "HarvestRatePipeline": 890,
        "CrawlDatabasePipeline": 900,
    },
    "EXTENSIONS": {
        "MetricsEndpoint": -110,
        "CrawlSession": -100,
        "BudgetExtension": 10,
        "CrawlMonitor": 15,
        "Orders": 16,
        "Progress": 20,
        "LogEscaping": 900,
        "LogStats": None,
    },
    "EXTENSIONS_BASE": {},
}


def test_a_spider_without_a_topic_only_fetches_safely() -> None:
    """Guards and manners, but Scrapy's own scheduler, pipelines and spider middlewares."""
    assert changed({}) == {**DEFAULTS, **FETCHING, **GUARDS}


def test_a_spider_with_a_topic_crawls_focused() -> None:
    """This is all of the wiring: a change to it is a change here."""
    given = {"FOCUSED_TOPIC": "asthma"}
    defaults = {name: value for name, value in DEFAULTS.items() if name not in given}
    assert changed(given) == {**defaults, **FETCHING, **FOCUS}


def test_a_virtual_web_takes_the_place_of_the_network(demo_web: Path) -> None:
    """And nobody there has to be waited for."""
    both = changed({"FOCUSED_WEB": str(demo_web), "FOCUSED_RECORD": "web.warc.gz"})
    assert both["DOWNLOAD_HANDLERS"]["https"] == "VirtualWebDownloadHandler"
    assert both["DOWNLOAD_DELAY"] == 0.0
    assert both["EXTENSIONS"] == {"LogEscaping": 900, "WebRecorder": 30}


def test_whatever_the_user_sets_stays() -> None:
    """A setting, a component that is switched off, another place in the order."""
    given = {
        "FOCUSED_TOPIC": "asthma",
        "DOWNLOAD_DELAY": 5,
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "EXTENSIONS": {Progress: None},
        "ITEM_PIPELINES": {HarvestRatePipeline: 7},
    }
    settings = Settings(given)
    FocusedCrawlerAddon().update_settings(settings)
    assert settings["DOWNLOAD_DELAY"] == 5
    assert settings["SCHEDULER"] == "scrapy.core.scheduler.Scheduler"
    assert settings["EXTENSIONS"][Progress] is None
    assert settings["ITEM_PIPELINES"][HarvestRatePipeline] == 7


@pytest.mark.parametrize("is_wanted", [True, False])
def test_remote_control_is_loaded_where_it_is_wanted(is_wanted: bool) -> None:
    """It is off by default, and every crawl would load a web server for it."""
    settings = Settings({"REMOTE_CONTROL_ENABLED": True} if is_wanted else {})
    known = dict(settings["EXTENSIONS_BASE"])
    FocusedCrawlerAddon().update_settings(settings)
    gone = known.keys() - settings["EXTENSIONS_BASE"].keys()
    assert gone == (set() if is_wanted else {REMOTE_CONTROL})


def test_the_user_agent_says_how_to_reach_us() -> None:
    """Where the user gave a contact."""
    agent = changed({"FOCUSED_CONTACT": "https://example.org/bot"})["USER_AGENT"]
    assert agent == f"focused-crawler/{__version__} (+https://example.org/bot)"


def test_a_setting_that_does_not_exist() -> None:
    """A slip of the pen would change nothing, silently."""
    with pytest.raises(
        ConfigError, match=r"no setting is called FOCUSED_PAGSE; did you mean FOCUSED_PAGES\?"
    ):
        changed({"FOCUSED_PAGSE": 3})


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("FOCUSED_ALLOWED_NETWORKS", "home", ConfigError),
        ("FOCUSED_CONTENT_TYPES", "html", ConfigError),
        ("FOCUSED_MAX_PAGE_BYTES", "1 MB", ConfigError),
        ("FOCUSED_WEB_LATENCY", "-1", ConfigError),
        ("FOCUSED_WEB", "gone.warc.gz", WebError),
    ],
)
def test_what_would_only_show_in_the_middle_of_a_crawl_is_checked(
    name: str, value: str, error: type[Exception]
) -> None:
    """Scrapy would log some of these and crawl nothing; the message names what is wrong."""
    with pytest.raises(error, match=f"{name}|{value}"):
        changed({name: value})


def test_a_log_at_debug_has_all_again() -> None:
    """Loggers are the process's: what one crawl quiets, the next may want to hear."""
    logger = logging.getLogger("scrapy.extensions.feedexport")
    for level, quiet in (("INFO", logging.WARNING), ("DEBUG", logging.NOTSET)):
        changed({"LOG_LEVEL": level})
        assert logger.level == quiet


def test_what_an_extension_says_is_in_the_log() -> None:
    """Its user has switched it on, and reads the password of the telnet console nowhere else."""
    changed({"TELNETCONSOLE_ENABLED": True, "LOG_LEVEL": "INFO"})
    for name in ("scrapy.extensions", "scrapy.extensions.telnet", "scrapy.extensions.throttle"):
        assert logging.getLogger(name).level == logging.NOTSET


@pytest.mark.parametrize("web", ["", "demo_web"])
def test_no_crawl_does_without_the_guard(web: str, request: pytest.FixtureRequest) -> None:
    """Without a reactor Scrapy's own handler comes before the add-on's, which only a user may want."""
    given = {
        "TWISTED_REACTOR_ENABLED": False,
        "FOCUSED_WEB": str(request.getfixturevalue(web)) if web else "",
    }
    with pytest.raises(ConfigError, match="TWISTED_REACTOR_ENABLED is False; use True"):
        changed(given)
    changed(
        {
            **given,
            "DOWNLOAD_HANDLERS": {"http": "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"},
        }
    )
