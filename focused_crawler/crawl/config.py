"""Settings of a crawl, read and checked once. docs/reference/settings.md explains each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from focused_crawler.classify.settings import METHOD_NAMES, ClassifierName, ClassifierSettings, HmmSettings
from focused_crawler.crawl.steering.hubs import SteeringSettings
from focused_crawler.frontier.base import Rules
from focused_crawler.link_scoring.registry import DEFAULT, OPTIONS
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.nofollow import NOFOLLOW
from focused_crawler.safety.address import RequestSettings
from focused_crawler.safety.content import PageLimits
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.name_servers import NameSettings
from focused_crawler.safety.settings import (
    RawSettings,
    choice,
    defaults,
    file_name,
    flag,
    mapping,
    number,
    of_scrapy,
    parse_choice,
    parse_path,
    path,
    ports,
    random_seed,
    read,
    setting,
    text,
    text_of,
    whole,
)
from focused_crawler.safety.workers import MOST_PROCESSES
from focused_crawler.store.address import shown
from focused_crawler.store.job import SHARED
from focused_crawler.store.judges import UNLEARNT
from focused_crawler.topic.scope import Scope, url_words

FRONTIERS = ("sqlite", "memory", SHARED)


def frontier_named(name: str, value: Any) -> str:
    """Return where a frontier is to be; raises ConfigError, which shows no address and so no password."""
    given = str(value or "").strip()
    if set(given) & set(":/@"):
        raise ConfigError(
            f"{name} is an address, but no frontier is in Redis any more; leave it out (unset {name})"
            " and begin a new job with scrapy fleet, which needs FOCUSED_DATABASE only"
        )
    return parse_choice(name, given, FRONTIERS)


def _browser(name: str, value: Any) -> Path | None:
    program = parse_path(name, value)
    if program is not None and not (program.is_file() and os.access(program, os.X_OK)):
        raise ConfigError(
            f"{name} is {str(program)!r}; use the path of Chromium's program, or leave it empty"
        )
    return program


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """How much of a crawl may be rendered in a browser, and by which one."""

    mode: str = choice("FOCUSED_RENDER", "auto", ("auto", "needed", "all", "off"))
    """auto: as needed on the live web, off on a recorded one and as root, where a browser has no sandbox."""
    share: float = number("FOCUSED_RENDER_SHARE", 0.4, most=1)  # of the fetched pages that may be rendered
    browser: Path | None = setting("FOCUSED_BROWSER", "", _browser)  # None: the first Chromium that is found


@dataclass(frozen=True, slots=True)
class ComponentSettings:
    """What components read themselves, checked before the crawl begins."""

    progress_interval: float = number("FOCUSED_PROGRESS_INTERVAL", 10)  # seconds
    web_latency: float = number("FOCUSED_WEB_LATENCY", 0.0)  # seconds
    download_timeout: float = number("DOWNLOAD_TIMEOUT", 180)  # seconds
    obeys_robots: bool = flag("ROBOTSTXT_OBEY", False)
    takes_cookies: bool = flag("COOKIES_ENABLED", True)
    verifies_certificates: bool = flag("DOWNLOAD_VERIFY_CERTIFICATES", False)
    redirect_hops: int = whole("REDIRECT_MAX_TIMES", 20)


MAX_PENDING = 10_000_000
"""URLs of the largest frontier, by default: some 3 GB in SQLite; few crawls of one process come near."""


@dataclass(frozen=True, slots=True)
class CrawlConfig(ClassifierName):
    """All settings of a crawl; 0 means no limit in the three budgets."""

    topic: str = text("FOCUSED_TOPIC")
    strategy: str = text("FOCUSED_STRATEGY")
    default_strategy: str = text("FOCUSED_DEFAULT_STRATEGY", DEFAULT)
    link_scorers: dict[str, str] = mapping("FOCUSED_LINK_SCORERS", "focused_crawler.link_scorers")
    seed_set: str = text("FOCUSED_SEED_SET")
    pages: int = whole("FOCUSED_PAGES", 0)
    minutes: float = number("FOCUSED_MINUTES", 0)
    relevant: int = whole("FOCUSED_RELEVANT", 0)
    job: str = file_name("FOCUSED_JOB")
    profile: str = text("FOCUSED_PROFILE")  # whose settings these are, beside others; empty: of none
    crawls: Path = setting("FOCUSED_CRAWLS", "crawls", lambda *given: parse_path(*given) or Path())
    models: Path | None = path("FOCUSED_MODELS")
    taxonomy: Path | None = path("FOCUSED_TAXONOMY")  # None: the project's own, where a strategy needs one
    database: str = text("FOCUSED_DATABASE")  # address of PostgreSQL, with its password; empty: crawl.db
    lists: str = choice("FOCUSED_LISTS", "auto", ("auto", "on", "off"))  # of sites and hubs
    list_prior: float = number("FOCUSED_LIST_PRIOR", 0.25, most=1)
    """Weight of a site's share of relevant pages in the score of a link."""
    keeps_texts: bool = flag("FOCUSED_KEEP_TEXTS", True)
    frontier: str = setting("FOCUSED_FRONTIER", "sqlite", frontier_named)
    max_pending: int = whole("FOCUSED_MAX_PENDING", MAX_PENDING)
    """URLs; 0: any number, and so is the default in a fleet, whose server is made for more."""
    host_pages: int = whole("FOCUSED_HOST_PAGES", 0)  # 0: any number
    n_best: int = whole("FOCUSED_N_BEST", 1, 1)
    wait_for_best: float = number("FOCUSED_WAIT_FOR_BEST", 0.8, most=1)
    """Share of the best pending priority that a URL needs, else its slot waits for the best one's host."""
    max_tries: int = whole("FOCUSED_MAX_TRIES", 3, 1)
    retry_delay: float = number("FOCUSED_RETRY_DELAY", 60)  # seconds, doubled with every further try
    lease_seconds: float = number("FOCUSED_LEASE_SECONDS", 900, 1)
    random_seed: int = random_seed()
    block_alpha: float = number("FOCUSED_BLOCK_ALPHA", 0.5)
    block_min_words: int = whole("FOCUSED_BLOCK_MIN_WORDS", 10)
    context_words: int = whole("FOCUSED_CONTEXT_WORDS", 10)
    analysis_processes: int = whole("FOCUSED_ANALYSIS_PROCESSES", 0, most=MOST_PROCESSES)
    """0: analysis in the crawl's own process."""
    stops_on_alarm: bool = flag("FOCUSED_STOP_ON_ALARM", False)
    revisit_share: float = number("FOCUSED_REVISIT_SHARE", 0.0, most=1)  # of what is fetched
    skipped_words: tuple[str, ...] = setting("FOCUSED_SKIP_URLS", [], lambda _, value: url_words(value or ()))
    """No link with one of these in its URL is followed."""
    nofollow: str = choice("FOCUSED_NOFOLLOW", NOFOLLOW[0], NOFOLLOW)
    known: Path | None = path("FOCUSED_KNOWN")
    """Folder of an earlier crawl, whose unchanged pages are no pages of this one."""
    web: Path | None = path("FOCUSED_WEB")
    record: str = text("FOCUSED_RECORD")
    metrics_ports: range = ports("FOCUSED_METRICS_PORT")  # the first free one is used; empty: not served
    metrics_address: str = text("FOCUSED_METRICS_ADDRESS", "127.0.0.1")
    depth_limit: int = whole("DEPTH_LIMIT", 0)  # 0: none
    host_delay: float = number("DOWNLOAD_DELAY", 0)  # seconds between two requests to one host
    per_host: int = whole("CONCURRENT_REQUESTS_PER_DOMAIN", 8, 1)  # requests to one host at a time
    concurrency: int = whole("CONCURRENT_REQUESTS", 16, 1)
    steering: SteeringSettings = field(default_factory=SteeringSettings)
    rendering: RenderSettings = field(default_factory=RenderSettings)
    limits: PageLimits = field(default_factory=PageLimits)
    strategy_options: tuple[StrategyOptions, ...] = ()  # one a class
    named: dict[str, Any] = field(default_factory=dict)  # the settings as given, for run.json

    @classmethod
    def from_settings(cls, settings: RawSettings) -> CrawlConfig:
        """Read and check; raises ConfigError that names the setting, its value and what would be right."""
        read(ComponentSettings, settings)
        config = read(
            cls,
            settings,
            steering=read(SteeringSettings, settings),
            rendering=read(RenderSettings, settings),
            limits=read(PageLimits, settings),
            strategy_options=tuple(read(options, settings) for options in OPTIONS),
            named=_named(settings),
        )
        parse_choice("FOCUSED_CLASSIFIER", config.classifier, (*METHOD_NAMES, *UNLEARNT, *config.classifiers))
        if config.is_shared:
            _check_shared(config)
        return config

    @property
    def is_shared(self) -> bool:
        """Tell whether several processes, on any machines, may work on the crawl."""
        return self.frontier == SHARED

    @property
    def uses_lists(self) -> bool:
        """Tell whether a crawl starts from the lists of its topic, and is counted there in the end."""
        return self.lists == "on" or (self.lists == "auto" and self.web is None)

    def scope(self, own: Scope) -> Scope:
        """Return a topic's scope with FOCUSED_SKIP_URLS and DEPTH_LIMIT; of two depths the smaller holds."""
        depths = [depth for depth in (own.depth, self.depth_limit) if depth]
        return replace(own, words=self.skipped_words, depth=min(depths, default=0))

    def rules(self) -> Rules:
        """Return what the frontier has to keep."""
        return Rules(
            delay=self.host_delay,
            per_host=self.per_host,
            host_pages=self.host_pages,
            max_pending=0 if self.is_shared and self.max_pending == MAX_PENDING else self.max_pending,
            n_best=self.n_best,
            wait_for_best=self.wait_for_best,
            max_tries=self.max_tries,
            retry_delay=self.retry_delay,
            lease_seconds=self.lease_seconds,
            seed=self.random_seed,
        )


DEFAULTS: dict[str, Any] = defaults(
    CrawlConfig,
    *OPTIONS,
    ClassifierSettings,
    HmmSettings,
    SteeringSettings,
    RenderSettings,
    RequestSettings,
    NameSettings,
    PageLimits,
    ComponentSettings,
)
"""The settings of a crawl and of training; `addon.py` adds those of searches."""

OF_SCRAPY = of_scrapy(CrawlConfig, RequestSettings, PageLimits, ComponentSettings)
"""Scrapy's own that run.json names as well."""


def _named(settings: RawSettings) -> dict[str, Any]:
    """Return the settings that make a crawl what it is, as they were given, without passwords."""
    names: Iterable[str] = (name for name in settings if isinstance(name, str))
    named = {name: settings.get(name) for name in sorted(names) if name.startswith("FOCUSED_")}
    named |= {name: value for name in OF_SCRAPY if (value := settings.get(name)) is not None}
    return named | {"FOCUSED_DATABASE": shown(text_of(settings, "FOCUSED_DATABASE"))}


def _check_shared(config: CrawlConfig) -> None:
    """Refuse what several workers cannot do."""
    if not config.database:
        raise ConfigError(
            f"FOCUSED_FRONTIER is {SHARED}, but FOCUSED_DATABASE is empty; workers share it, as in"
            " -s FOCUSED_DATABASE=postgresql://USER@HOST/DATABASE"
        )
    for name, is_set in (
        ("FOCUSED_HUB_TRIGGER", config.steering.hub_trigger > 0),
        ("FOCUSED_RECORD", bool(config.record)),
    ):
        if is_set:
            raise ConfigError(f"{name} is for a crawl of one process; a fleet has to leave it out")
