from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from focused_crawler.addon import FocusedCrawlerAddon
from focused_crawler.classify.registry import METHODS
from focused_crawler.classify.settings import METHOD_NAMES, ClassifierSettings
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.discovery.search.base import SearchSettings
from focused_crawler.edge.setting_names import DEFAULTS
from focused_crawler.frontier.base import Rules
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import read


def config(**given: Any) -> CrawlConfig:
    return CrawlConfig.from_settings(Settings(given))


def test_nothing_has_to_be_set() -> None:
    """The defaults make a crawl without limits, by a strategy that exists."""
    default = config()
    assert (default.pages, default.minutes, default.relevant, default.depth_limit) == (0, 0.0, 0, 0)
    assert (default.web, default.models, default.crawls) == (None, None, Path("crawls"))
    assert default.default_strategy in STRATEGIES


def test_classifiers_are_known_by_name() -> None:
    """Ours, the thesaurus, and a user's own."""
    for name in (*METHODS, "thesaurus"):
        assert config(FOCUSED_CLASSIFIER=name).classifier == name
    mine = config(FOCUSED_CLASSIFIER="mine", FOCUSED_CLASSIFIERS='{"mine": "my.Method"}')
    assert mine.classifier == "mine"
    assert tuple(METHODS) == METHOD_NAMES


def test_the_settings_of_a_classifier_have_the_same_defaults() -> None:
    """Whether it is trained by command or in code."""
    assert read(ClassifierSettings, Settings(DEFAULTS)) == ClassifierSettings()


def test_values_from_a_command_line_are_text() -> None:
    """And mean the same."""
    typed = config(FOCUSED_PAGES="10", FOCUSED_MINUTES="0.5", FOCUSED_LINK_THRESHOLD="0.25")
    assert (typed.pages, typed.minutes) == (10, 0.5)
    assert typed.strategy_options[0] == StrategyOptions(threshold=0.25)
    weights = read(ClassifierSettings, Settings({"FOCUSED_SECTION_WEIGHTS": "8,4,2,1"})).section_weights
    assert weights == (8.0, 4.0, 2.0, 1.0)


def test_the_frontier_is_told_what_was_set() -> None:
    """Each of its rules by its own setting."""
    told = config(
        DOWNLOAD_DELAY=2, CONCURRENT_REQUESTS_PER_DOMAIN=3, FOCUSED_HOST_PAGES=4, FOCUSED_MAX_PENDING=5,
        FOCUSED_N_BEST=6, FOCUSED_WAIT_FOR_BEST=0.5, FOCUSED_MAX_TRIES=7, FOCUSED_RETRY_DELAY=8,
        FOCUSED_LEASE_SECONDS=9, FOCUSED_RANDOM_SEED=10,
    )  # fmt: skip
    assert told.rules() == Rules(2, 3, 4, 5, 6, 0.5, 7, 8, 9, 10)


def test_the_default_frontier_is_bounded_in_one_process_alone() -> None:
    """A fleet's server is made for more, and it has a bound if one is set."""
    server = {"FOCUSED_FRONTIER": "postgresql", "FOCUSED_DATABASE": "postgresql://localhost/crawl"}
    bounds = (config(), config(**server), config(**server, FOCUSED_MAX_PENDING=7))
    assert [bound.rules().max_pending for bound in bounds] == [10_000_000, 0, 7]


def test_a_frontier_in_redis_is_of_an_older_version() -> None:
    """One line says what to do instead, and shows no password."""
    with pytest.raises(ConfigError, match="no frontier is in Redis any more; leave it out") as caught:
        config(FOCUSED_FRONTIER="redis://:secret@db/0")
    assert "secret" not in str(caught.value)


def test_a_path_may_begin_at_home() -> None:
    """As it does in a shell."""
    assert config(FOCUSED_WEB="~/web.warc.gz").web == Path.home() / "web.warc.gz"
    assert config(FOCUSED_CRAWLS="~/crawls").crawls == Path.home() / "crawls"


def test_what_was_set_goes_into_run_json() -> None:
    """All settings of ours as they were given, and those of Scrapy's that a crawl goes by."""
    settings = Settings({"FOCUSED_TOPIC": "asthma"})
    FocusedCrawlerAddon().update_settings(settings)
    named = CrawlConfig.from_settings(settings).named
    ours = {name: value for name, value in named.items() if name.startswith("FOCUSED_")}
    assert ours == {**DEFAULTS, "FOCUSED_TOPIC": "asthma"}
    assert {"DOWNLOAD_DELAY", "REDIRECT_MAX_TIMES", "ROBOTSTXT_OBEY"} < named.keys()
    json.dumps(named)


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("FOCUSED_PAGES", "many", "use a whole number of 0 or more"),
        ("FOCUSED_PAGES", -1, "use a whole number of 0 or more"),
        ("FOCUSED_PAGES", 1.5, "use a whole number of 0 or more"),
        ("FOCUSED_PAGES", "nan", "use a whole number of 0 or more"),
        ("FOCUSED_RELEVANT", "inf", "use a whole number of 0 or more"),
        ("FOCUSED_MINUTES", "soon", "use a number of 0 or more"),
        ("FOCUSED_MAX_TRIES", 0, "use a whole number of 1 or more"),
        ("FOCUSED_ANALYSIS_PROCESSES", 10_000, "use a whole number from 0 to 256"),
        ("FOCUSED_RETRY_DELAY", -1, "use a number of 0 or more"),
        ("FOCUSED_LEASE_SECONDS", 0, "use a number of 1 or more"),
        ("FOCUSED_LINK_THRESHOLD", 1.1, "use a number from 0 to 1"),
        ("FOCUSED_JFE_BETA", "half", "use a number from 0 to 1"),
        ("FOCUSED_LPE_SOFT", "block", "use one of page, links"),
        ("FOCUSED_SHARK_INHERITS", "all", "use one of relevant, positive"),
        ("FOCUSED_LEARNING_WEIGHTS", "1,2", "use 3 numbers of 0 or more, as in 0.2,0.2,0.3 (content, link"),
        ("FOCUSED_LEARNING_WEIGHTS", [1, 2, -3], "use 3 numbers of 0 or more"),
        ("FOCUSED_LEARNING_THRESHOLD", "high", "use a number of 0 or more"),
        ("FOCUSED_LEARNING_COUNTS", "some", "use True or False"),
        ("FOCUSED_FRONTIER", "redis?", "use one of sqlite, memory, postgresql"),
        (
            "FOCUSED_CLASSIFIER",
            "thesauruss",
            "use one of ratio_regression, logistic_regression, linear_svm, naive",
        ),
        ("FOCUSED_LINK_SIMILARITY", "", "use one of calibrated, cosine"),
        ("FOCUSED_LINK_SCORERS", "mine.Scorer", "use a dict of name -> import path"),
        ("FOCUSED_JOB", "a/b", "use letters, digits, '-', '_' and '.'"),
        ("FOCUSED_MODELS", "~nobody-here/models", "no user of that name has a home folder here"),
        ("FOCUSED_RETRY_DELAY", 10**400, "use a number of 0 or more"),
        ("FOCUSED_JOB", "..", "use letters, digits, '-', '_' and '.'"),
        ("FOCUSED_PROGRESS_INTERVAL", "often", "use a number of 0 or more"),
        ("DOWNLOAD_DELAY", "long", "use a number of 0 or more"),
        ("CONCURRENT_REQUESTS", 0, "use a whole number of 1 or more"),
        ("DEPTH_LIMIT", -1, "use a whole number of 0 or more"),
    ],
)
def test_a_wrong_value(name: str, value: object, cure: str) -> None:
    """The message names setting and value, and what would be right."""
    with pytest.raises(ConfigError) as raised:
        config(**{name: value})
    assert str(raised.value).startswith(f"{name} is {value!r}; {cure}")


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("FOCUSED_SECTION_WEIGHTS", "4,3", "use 4 numbers of 0 or more, as in 4,3,2,1"),
        ("FOCUSED_SECTION_WEIGHTS", 4, "use 4 numbers of 0 or more, as in 4,3,2,1"),
        ("FOCUSED_MI_TERMS", 0, "use a whole number of 1 or more"),
        ("FOCUSED_INFORMATION_GAIN", "yes", "use one of document, class, none"),
        ("FOCUSED_IG_IN_NORM", "maybe", "use True or False"),
        ("FOCUSED_NB_EXPONENT", "two", "use one of weight, one"),
    ],
)
def test_a_wrong_value_for_training(name: str, value: object, cure: str) -> None:
    """The same holds for `scrapy train`."""
    with pytest.raises(ConfigError) as raised:
        read(ClassifierSettings, Settings({name: value}))
    assert str(raised.value).startswith(f"{name} is {value!r}; {cure}")


@given(st.sampled_from(sorted(DEFAULTS)), st.text() | st.integers() | st.floats() | st.none() | st.booleans())
def test_any_value_is_taken_or_explained(name: str, value: object) -> None:
    """Nothing that can be typed ends in another error than ConfigError."""
    for read_all in (
        CrawlConfig.from_settings,
        partial(read, ClassifierSettings),
        partial(read, SearchSettings),
    ):
        message = name
        try:
            read_all(Settings({name: value}))
        except ConfigError as error:
            message = str(error)
        assert name in message


def test_a_dict_on_the_command_line() -> None:
    """As JSON, which is how Scrapy's own dicts are given there."""
    config = CrawlConfig.from_settings(Settings({"FOCUSED_LINK_SCORERS": '{"mine": "package.module.Class"}'}))
    assert config.link_scorers == {"mine": "package.module.Class"}
