from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.profiles import profile_names
from focused_crawler.edge.arguments import SETTING_OF_ARGUMENT, apply_arguments
from focused_crawler.safety.errors import ConfigError, TopicError

TOPIC = """
name = "bees"
keywords = ["bee"]
seeds = ["http://bees.example/"]
"""


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees/topic.toml").write_text(TOPIC)
    return tmp_path / "bees"


def applied(spider: str = "topic", given: dict[str, Any] | None = None, **arguments: object) -> Settings:
    settings = Settings(given, priority="cmdline")
    apply_arguments(settings, spider, arguments)
    return settings


@pytest.mark.parametrize("argument", sorted(SETTING_OF_ARGUMENT.keys() - {"topic", "profile"}))
def test_an_argument_is_a_setting(argument: str, topic: Path) -> None:
    """Everything behind the arguments reads settings only."""
    settings = applied(topic=topic, **{argument: 7})
    assert settings[SETTING_OF_ARGUMENT[argument]] == "7"


def test_the_spider_of_a_topic_needs_no_argument() -> None:
    """Its name is the topic."""
    assert applied("asthma")["FOCUSED_TOPIC"] == "asthma"


def test_a_users_own_spider_may_name_another_topic(topic: Path) -> None:
    """By argument or by setting, as the spider `topic` does."""
    assert applied("mine", topic=topic)["FOCUSED_TOPIC"] == str(topic)
    for spider in ("topic", "mine"):
        assert applied(spider, given={"FOCUSED_TOPIC": str(topic)})["FOCUSED_TOPIC"] == str(topic)
    assert applied("asthma", given={"FOCUSED_TOPIC": str(topic)})["FOCUSED_TOPIC"] == "asthma"


def test_who_wins(topic: Path) -> None:
    """A profile gives way to the topic's file, that to an argument, that to -s."""
    with (topic / "topic.toml").open("a") as file:
        file.write('strategy = "lpe"\nprofile = "polite"\n')
    assert applied(topic=topic)["FOCUSED_STRATEGY"] == "lpe"
    assert applied(topic=topic)["DOWNLOAD_DELAY"] == 5.0
    assert applied(topic=topic, strategy="cbp", profile="offline")["FOCUSED_STRATEGY"] == "cbp"
    assert applied(topic=topic, strategy="cbp", profile="offline")["DOWNLOAD_DELAY"] == 0.0
    typed = {"FOCUSED_STRATEGY": "breadth_first", "DOWNLOAD_DELAY": "2"}
    settings = applied(topic=topic, given=typed, strategy="cbp", profile="offline")
    assert (settings["FOCUSED_STRATEGY"], settings["DOWNLOAD_DELAY"]) == ("breadth_first", "2")


def test_arguments_of_scrapyd_are_left_alone(topic: Path) -> None:
    """They begin with an underscore."""
    assert "_job" not in applied(topic=topic, _job="c0ffee", _version="3")


@pytest.mark.parametrize("profile", profile_names())
def test_every_profile_can_be_chosen(profile: str, topic: Path) -> None:
    """Those of the package settings_profiles; what they hold is what a crawl gets."""
    wanted = import_module(f"settings_profiles.{profile}").PROFILE
    assert {name: applied(topic=topic, profile=profile)[name] for name in wanted} == wanted


def test_which_profile_it_was_is_a_setting(topic: Path) -> None:
    """Which run.json has: the topic's own, another one, and -s before both."""
    assert applied(topic=topic)["FOCUSED_PROFILE"] is None
    with (topic / "topic.toml").open("a") as file:
        file.write('profile = "polite"\n')
    assert applied(topic=topic)["FOCUSED_PROFILE"] == "polite"
    assert applied(topic=topic, profile="broad")["FOCUSED_PROFILE"] == "broad"
    typed = applied(topic=topic, given={"FOCUSED_PROFILE": "offline"}, profile="broad")
    assert (typed["FOCUSED_PROFILE"], typed["CONCURRENT_REQUESTS"]) == ("offline", 1)


def test_a_profile_without_settings(topic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is named otherwise in it."""
    (tmp_path / "slow.py").write_text("SETTINGS = {}\n")
    monkeypatch.setattr("settings_profiles.__path__", [str(tmp_path)])
    with pytest.raises(ConfigError, match="the profile slow has no PROFILE; let it say PROFILE = "):
        applied(topic=topic, profile="slow")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"topic": "bees", "pagse": 3}, ConfigError, "unknown argument pagse=3; did you mean pages=?"),
        ({"topic": "bees", "x": 1}, ConfigError, "unknown argument x=1; use topic, strategy, seed_set, "),
        ({"topic": "bees", "profile": "rude"}, ConfigError, "unknown profile 'rude'; use one of broad, "),
        ({}, ConfigError, "no topic given; type scrapy crawl topic -a topic=NAME"),
        ({"topic": ""}, ConfigError, "no topic given"),
        ({"topic": "wasps"}, TopicError, "no topic 'wasps'"),
    ],
)
def test_mistakes(
    arguments: dict[str, object],
    error: type[Exception],
    message: str,
    topic: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each names what was typed, and what would be right."""
    monkeypatch.chdir(topic.parent)
    with pytest.raises(error) as raised:
        applied(**arguments)
    assert str(raised.value).startswith(message)
