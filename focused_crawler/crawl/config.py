"""Settings -> frozen dataclasses of plain values, checked once. docs/settings.md explains each setting."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from focused_crawler.classify.hmm.settings import MOST_LEVELS, HmmSettings
from focused_crawler.classify.settings import METHOD_NAMES, Aim, ClassifierSettings, Exponent
from focused_crawler.crawl.render_settings import MODES, RenderSettings, checked_browser
from focused_crawler.crawl.steering.settings import SteeringSettings
from focused_crawler.crawl.steering.url_kinds import url_words
from focused_crawler.frontier.base import Rules
from focused_crawler.page.text.weighting import Gain
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import RawSettings, SettingReader
from focused_crawler.store.address import shown
from focused_crawler.store.job import THESAURUS

DEFAULTS: dict[str, Any] = {
    "FOCUSED_TOPIC": "",
    "FOCUSED_STRATEGY": "",
    "FOCUSED_DEFAULT_STRATEGY": "link_classifier",
    "FOCUSED_LINK_SCORERS": {},
    "FOCUSED_SEED_SET": "",
    "FOCUSED_PAGES": 0,
    "FOCUSED_MINUTES": 0,
    "FOCUSED_RELEVANT": 0,
    "FOCUSED_JOB": "",
    "FOCUSED_CRAWLS": "crawls",
    "FOCUSED_MODELS": "",
    "FOCUSED_TAXONOMY": "",
    "FOCUSED_DATABASE": "",
    "FOCUSED_LISTS": "auto",
    "FOCUSED_LIST_PRIOR": 0.25,
    "FOCUSED_KEEP_TEXTS": True,
    "FOCUSED_FRONTIER": "sqlite",
    "FOCUSED_MAX_PENDING": 0,
    "FOCUSED_HOST_PAGES": 0,
    "FOCUSED_N_BEST": 1,
    "FOCUSED_STRICT_ORDER": False,
    "FOCUSED_MAX_TRIES": 3,
    "FOCUSED_RETRY_DELAY": 60,
    "FOCUSED_LEASE_SECONDS": 900,
    "FOCUSED_RANDOM_SEED": 0,
    "FOCUSED_LINK_THRESHOLD": 0.5,
    "FOCUSED_LINK_SIMILARITY": "calibrated",
    "FOCUSED_JFE_BETA": 0.5,
    "FOCUSED_LPE_SOFT": "page",
    "FOCUSED_SHARK_INHERITS": "relevant",
    "FOCUSED_LEARNING_WEIGHTS": [0.2, 0.2, 0.3],
    "FOCUSED_LEARNING_THRESHOLD": 2.1,
    "FOCUSED_LEARNING_COUNTS": True,
    "FOCUSED_BLOCK_ALPHA": 0.5,
    "FOCUSED_BLOCK_MIN_WORDS": 10,
    "FOCUSED_CONTEXT_WORDS": 10,
    "FOCUSED_CLASSIFIER": "logistic_regression",
    "FOCUSED_CLASSIFIERS": {},
    "FOCUSED_BACKGROUND": 100,
    "FOCUSED_RELEVANT_SHARE": 0.1,
    "FOCUSED_THRESHOLD_BY": "cost",
    "FOCUSED_FALSE_POSITIVE_COST": 1.0,
    "FOCUSED_SECTION_WEIGHTS": [4.0, 3.0, 2.0, 1.0],
    "FOCUSED_MI_TERMS": 5000,
    "FOCUSED_MI_MIN_DF": 3,
    "FOCUSED_INFORMATION_GAIN": "document",
    "FOCUSED_IG_IN_NORM": False,
    "FOCUSED_NB_EXPONENT": "weight",
    "FOCUSED_TOPIC_TERMS": 200,
    "FOCUSED_HMM_LEVELS": 4,
    "FOCUSED_HMM_CLUSTERS": 5,
    "FOCUSED_HMM_NEIGHBOURS": 5,
    "FOCUSED_HMM_NORMALISE": True,
    "FOCUSED_HMM_EPSILON": 0.001,
    "FOCUSED_ANALYSIS_PROCESSES": 0,
    "FOCUSED_STOP_ON_ALARM": False,
    "FOCUSED_REVISIT_SHARE": 0.0,
    "FOCUSED_DISTILL_PAGES": 500,
    "FOCUSED_HUB_TRIGGER": 0,
    "FOCUSED_NEAR_DUPLICATES": True,
    "FOCUSED_TRAP_BUDGETS": True,
    "FOCUSED_SKIP_URLS": [],
    "FOCUSED_KNOWN": "",
    "FOCUSED_WEB": "",
    "FOCUSED_WEB_LATENCY": 0.0,
    "FOCUSED_RECORD": "",
    "FOCUSED_RENDER": "auto",
    "FOCUSED_RENDER_SHARE": 0.4,
    "FOCUSED_BROWSER": "",
    "FOCUSED_SEARCH": "local",
    "FOCUSED_SEARXNG_URL": "",
    "FOCUSED_SEARCH_TIMEOUT": 10,
    "FOCUSED_CONTACT": "",
    "FOCUSED_ALLOWED_NETWORKS": [],
    "FOCUSED_CONTENT_TYPES": ["text/html", "application/xhtml+xml"],
    "FOCUSED_MAX_PAGE_BYTES": 1024 * 1024,
    "FOCUSED_PROGRESS_INTERVAL": 10,
    "FOCUSED_METRICS_PORT": 0,
    "FOCUSED_METRICS_ADDRESS": "127.0.0.1",
}
FRONTIERS = ("sqlite", "memory")
SERVERS = ("redis://", "rediss://")
"""How the address of a frontier begins that several processes share."""
LISTS = ("auto", "on", "off")
SIMILARITIES = ("calibrated", "cosine")
SOFT_EVIDENCE = ("page", "links")
HEIRS = ("relevant", "positive")


@dataclass(frozen=True, slots=True)
class CrawlConfig:
    """All that a crawl is told by settings; 0 means no limit in the three budgets."""

    topic: str
    strategy: str
    default_strategy: str
    link_scorers: dict[str, str]
    classifier: str  # to train; "thesaurus": what judges pages, trained or not
    classifiers: dict[str, str]
    seed_set: str
    pages: int
    minutes: float
    relevant: int
    job: str
    crawls: Path
    models: Path | None
    taxonomy: Path | None  # None: the project's own, where a strategy needs one
    database: str  # address of a PostgreSQL database, with its password if it has one; empty: crawl.db
    lists: str  # of sites and hubs: auto, on, off
    list_prior: float  # weight of a site's share of relevant pages in the score of a link, [0, 1]
    keeps_texts: bool
    frontier: str  # sqlite, memory, or the address of a server, with its password if it has one
    max_pending: int  # URLs; 0: any number
    host_pages: int  # 0: any number
    n_best: int
    strict_order: bool
    max_tries: int
    retry_delay: float  # seconds, doubled with every further try
    lease_seconds: float
    random_seed: int
    link_threshold: float
    link_similarity: str
    jfe_beta: float
    lpe_soft: str
    shark_inherits: str
    learning_weights: tuple[float, float, float]  # content, link, siblings
    learning_threshold: float
    learning_counts: bool
    hmm_neighbours: int
    hmm_normalise: bool
    hmm_epsilon: float
    block_alpha: float
    block_min_words: int
    context_words: int
    analysis_processes: int  # 0: pages are analysed in the crawl's own process
    stops_on_alarm: bool
    revisit_share: float  # of what is fetched, [0, 1]
    steering: SteeringSettings
    rendering: RenderSettings
    skipped_words: tuple[str, ...]  # no link with one of these in its URL is followed
    known: Path | None  # folder of an earlier crawl, whose unchanged pages are no pages of this one
    web: Path | None
    depth_limit: int  # 0: none
    host_delay: float  # seconds between two requests to one host
    per_host: int  # requests to one host at a time
    concurrency: int
    metrics_ports: range  # the first free one is taken; empty: nobody is told
    metrics_address: str
    named: dict[str, Any] = field(default_factory=dict)  # the settings as given, for run.json

    @classmethod
    def from_settings(cls, settings: RawSettings) -> CrawlConfig:
        """Read and check; raises ConfigError that names the setting, its value and what would be right."""
        read = SettingReader(settings, DEFAULTS)
        for name in ("FOCUSED_PROGRESS_INTERVAL", "FOCUSED_WEB_LATENCY", "DOWNLOAD_TIMEOUT"):
            read.number(name, 0)  # for components that read it themselves
        for name in ("ROBOTSTXT_OBEY", "COOKIES_ENABLED", "DOWNLOAD_VERIFY_CERTIFICATES"):
            read.flag(name)
        classifiers = read.mapping("FOCUSED_CLASSIFIERS")
        config = cls(
            topic=read.text("FOCUSED_TOPIC"),
            strategy=read.text("FOCUSED_STRATEGY"),
            default_strategy=read.text("FOCUSED_DEFAULT_STRATEGY"),
            link_scorers=read.mapping("FOCUSED_LINK_SCORERS"),
            classifier=read.choice("FOCUSED_CLASSIFIER", (*METHOD_NAMES, THESAURUS, *classifiers)),
            classifiers=classifiers,
            seed_set=read.text("FOCUSED_SEED_SET"),
            pages=int(read.number("FOCUSED_PAGES", 0, whole=True)),
            minutes=read.number("FOCUSED_MINUTES", 0),
            relevant=int(read.number("FOCUSED_RELEVANT", 0, whole=True)),
            job=read.file_name("FOCUSED_JOB"),
            crawls=read.path("FOCUSED_CRAWLS") or Path(),
            models=read.path("FOCUSED_MODELS"),
            taxonomy=read.path("FOCUSED_TAXONOMY"),
            database=read.text("FOCUSED_DATABASE"),
            lists=read.choice("FOCUSED_LISTS", LISTS),
            list_prior=read.number("FOCUSED_LIST_PRIOR", 0, 1),
            keeps_texts=read.flag("FOCUSED_KEEP_TEXTS"),
            frontier=_frontier(read),
            max_pending=int(read.number("FOCUSED_MAX_PENDING", 0, whole=True)),
            host_pages=int(read.number("FOCUSED_HOST_PAGES", 0, whole=True)),
            n_best=int(read.number("FOCUSED_N_BEST", 1, whole=True)),
            strict_order=read.flag("FOCUSED_STRICT_ORDER"),
            max_tries=int(read.number("FOCUSED_MAX_TRIES", 1, whole=True)),
            retry_delay=read.number("FOCUSED_RETRY_DELAY", 0),
            lease_seconds=read.number("FOCUSED_LEASE_SECONDS", 1),
            random_seed=int(read.number("FOCUSED_RANDOM_SEED", 0, whole=True)),
            link_threshold=read.number("FOCUSED_LINK_THRESHOLD", 0, 1),
            link_similarity=read.choice("FOCUSED_LINK_SIMILARITY", SIMILARITIES),
            jfe_beta=read.number("FOCUSED_JFE_BETA", 0, 1),
            lpe_soft=read.choice("FOCUSED_LPE_SOFT", SOFT_EVIDENCE),
            shark_inherits=read.choice("FOCUSED_SHARK_INHERITS", HEIRS),
            learning_weights=read.weights("FOCUSED_LEARNING_WEIGHTS", "content", "link", "siblings"),
            learning_threshold=read.number("FOCUSED_LEARNING_THRESHOLD", 0),
            learning_counts=read.flag("FOCUSED_LEARNING_COUNTS"),
            hmm_neighbours=int(read.number("FOCUSED_HMM_NEIGHBOURS", 1, whole=True)),
            hmm_normalise=read.flag("FOCUSED_HMM_NORMALISE"),
            hmm_epsilon=read.number("FOCUSED_HMM_EPSILON", 0, 1),
            block_alpha=read.number("FOCUSED_BLOCK_ALPHA", 0),
            block_min_words=int(read.number("FOCUSED_BLOCK_MIN_WORDS", 0, whole=True)),
            context_words=int(read.number("FOCUSED_CONTEXT_WORDS", 0, whole=True)),
            analysis_processes=int(read.number("FOCUSED_ANALYSIS_PROCESSES", 0, whole=True)),
            stops_on_alarm=read.flag("FOCUSED_STOP_ON_ALARM"),
            revisit_share=read.number("FOCUSED_REVISIT_SHARE", 0, 1),
            steering=_steering_settings(read),
            rendering=_render_settings(read),
            skipped_words=url_words(settings.get("FOCUSED_SKIP_URLS") or ()),
            known=read.path("FOCUSED_KNOWN"),
            web=read.path("FOCUSED_WEB"),
            depth_limit=int(read.number("DEPTH_LIMIT", 0, whole=True)),
            host_delay=read.number("DOWNLOAD_DELAY", 0),
            per_host=int(read.number("CONCURRENT_REQUESTS_PER_DOMAIN", 1, whole=True)),
            concurrency=int(read.number("CONCURRENT_REQUESTS", 1, whole=True)),
            metrics_ports=read.ports("FOCUSED_METRICS_PORT"),
            metrics_address=read.text("FOCUSED_METRICS_ADDRESS"),
            named={name: settings.get(name) for name in sorted(DEFAULTS)}
            | {
                "FOCUSED_DATABASE": shown(read.text("FOCUSED_DATABASE")),
                "FOCUSED_FRONTIER": _shown_frontier(read.text("FOCUSED_FRONTIER")),
            },
        )
        if config.is_shared:
            _check_shared(config)
        return config

    @property
    def is_shared(self) -> bool:
        """Tell whether several processes, on any machines, may work on the crawl."""
        return self.frontier not in FRONTIERS

    @property
    def uses_lists(self) -> bool:
        """Tell whether a crawl starts from the lists of its topic, and is counted there in the end."""
        return self.lists == "on" or (self.lists == "auto" and self.web is None)

    def rules(self) -> Rules:
        """Return what the frontier has to keep."""
        return Rules(
            delay=self.host_delay,
            per_host=self.per_host,
            host_pages=self.host_pages,
            max_pending=self.max_pending,
            n_best=self.n_best,
            strict_order=self.strict_order,
            max_tries=self.max_tries,
            retry_delay=self.retry_delay,
            lease_seconds=self.lease_seconds,
            seed=self.random_seed,
        )


def _frontier(read: SettingReader) -> str:
    text = read.text("FOCUSED_FRONTIER")
    if not set(text) & set(":/@"):  # else it may hold a password, and is shown by nobody
        return str(read.choice("FOCUSED_FRONTIER", (*FRONTIERS, "redis://HOST:PORT")))
    from focused_crawler.frontier.redis.client import check_address  # noqa: PLC0415 - loads slowly

    check_address(text)
    return text


def _shown_frontier(text: str) -> str:
    if not text.startswith(SERVERS):
        return text
    from focused_crawler.frontier.redis.client import shown_address  # noqa: PLC0415 - loads slowly

    return shown_address(text)


def _check_shared(config: CrawlConfig) -> None:
    """Refuse what workers cannot do together."""
    if not config.database:
        raise ConfigError(
            "FOCUSED_FRONTIER is a server, but FOCUSED_DATABASE is empty; workers share both, as in"
            " -s FOCUSED_DATABASE=postgresql://USER@HOST/DATABASE"
        )
    for name, is_set in (
        ("FOCUSED_N_BEST", config.n_best > 1),
        ("FOCUSED_STRICT_ORDER", config.strict_order),
        ("FOCUSED_REVISIT_SHARE", config.revisit_share > 0),
        ("FOCUSED_HUB_TRIGGER", config.steering.hub_trigger > 0),
        ("FOCUSED_KNOWN", config.known is not None),
        ("FOCUSED_RECORD", bool(config.named["FOCUSED_RECORD"])),
    ):
        if is_set:
            raise ConfigError(
                f"{name} is for a crawl of one process; leave it out, or set FOCUSED_FRONTIER=sqlite"
            )


def _steering_settings(read: SettingReader) -> SteeringSettings:
    return SteeringSettings(
        distill_pages=int(read.number("FOCUSED_DISTILL_PAGES", 0, 1_000_000_000, whole=True)),
        hub_trigger=int(read.number("FOCUSED_HUB_TRIGGER", 0, 10_000, whole=True)),
        near_duplicates=read.flag("FOCUSED_NEAR_DUPLICATES"),
        trap_budgets=read.flag("FOCUSED_TRAP_BUDGETS"),
    )


def _render_settings(read: SettingReader) -> RenderSettings:
    return RenderSettings(
        mode=read.choice("FOCUSED_RENDER", MODES),
        share=read.number("FOCUSED_RENDER_SHARE", 0, 1),
        browser=checked_browser(read.path("FOCUSED_BROWSER")),
    )


def classifier_settings(settings: RawSettings) -> ClassifierSettings:
    """Read how a classifier is to be trained; raises ConfigError."""
    read = SettingReader(settings, DEFAULTS)
    return ClassifierSettings(
        classifier=read.text("FOCUSED_CLASSIFIER"),
        classifiers=read.mapping("FOCUSED_CLASSIFIERS"),
        background=int(read.number("FOCUSED_BACKGROUND", 0, whole=True)),
        relevant_share=read.number("FOCUSED_RELEVANT_SHARE", 0.001, 0.999),
        threshold_by=read.choice("FOCUSED_THRESHOLD_BY", get_args(Aim)),
        false_positive_cost=read.number("FOCUSED_FALSE_POSITIVE_COST", 0.001, 1000),
        section_weights=read.weights("FOCUSED_SECTION_WEIGHTS", "headline", "keywords", "anchor", "body"),
        mi_terms=int(read.number("FOCUSED_MI_TERMS", 1, whole=True)),
        mi_min_df=int(read.number("FOCUSED_MI_MIN_DF", 1, whole=True)),
        information_gain=read.choice("FOCUSED_INFORMATION_GAIN", get_args(Gain)),
        ig_in_norm=read.flag("FOCUSED_IG_IN_NORM"),
        exponent=read.choice("FOCUSED_NB_EXPONENT", get_args(Exponent)),
        topic_terms=int(read.number("FOCUSED_TOPIC_TERMS", 1, whole=True)),
    )


def hmm_settings(settings: RawSettings) -> HmmSettings:
    """Read how the HMM crawlers are to be trained; raises ConfigError."""
    read = SettingReader(settings, DEFAULTS)
    return HmmSettings(
        levels=int(read.number("FOCUSED_HMM_LEVELS", 2, MOST_LEVELS, whole=True)),
        clusters=int(read.number("FOCUSED_HMM_CLUSTERS", 1, whole=True)),
        random_seed=int(read.number("FOCUSED_RANDOM_SEED", 0, whole=True)),
    )
