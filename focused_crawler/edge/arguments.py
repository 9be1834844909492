"""Spider arguments (`-a name=value`) -> settings; and the command line that starts a worker with them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from typing import Any

from scrapy.settings import BaseSettings
from scrapy.utils.conf import arglist_to_dict

from focused_crawler.crawl.command import ADDRESS, crawl_command
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import did_you_mean
from focused_crawler.topic.topic import Topic, load_topic, topic_names

TOPIC_SPIDER = "topic"
ARGUMENT_PRIORITY = 35  # between Scrapy's "spider" and "cmdline"
SETTING_OF_ARGUMENT = {
    "topic": "FOCUSED_TOPIC",
    "strategy": "FOCUSED_STRATEGY",
    "seed_set": "FOCUSED_SEED_SET",
    "pages": "FOCUSED_PAGES",
    "minutes": "FOCUSED_MINUTES",
    "relevant": "FOCUSED_RELEVANT",
    "job": "FOCUSED_JOB",
    "profile": "FOCUSED_PROFILE",
}

ARGUMENT_HELP = (
    "set a spider argument: topic=NAME or its folder (for the spider topic), strategy=NAME, seed_set=NAME,"
    " pages=N, minutes=N, relevant=N (when to stop), job=NAME (a crawl to begin or to go on with),"
    " profile=NAME (a set of settings)"
)


def apply_arguments(settings: BaseSettings, spider: str, given: Mapping[str, Any]) -> Topic:
    """Write a spider's arguments, the profile and the topic's own choices into `settings`; return the topic.

    `-s` wins over arguments, these over the topic's file, that over a profile. A spider of another name than
    "topic" is the topic of that name; a user's own is that of FOCUSED_TOPIC, if it is set. Arguments that
    begin with an underscore are scrapyd's, and left alone.
    Raises ConfigError for an unknown argument or profile, TopicError for the topic.
    """
    arguments = {name: str(value) for name, value in given.items() if not name.startswith("_")}
    if spider != TOPIC_SPIDER and (spider in topic_names() or not settings.get("FOCUSED_TOPIC")):
        arguments.setdefault("topic", spider)
    for name, value in arguments.items():
        if name not in SETTING_OF_ARGUMENT:
            raise ConfigError(f"unknown argument {name}={value}; {_nearest(name)}")
    name = arguments.get("topic") or settings.get("FOCUSED_TOPIC")
    if not name:
        raise ConfigError(
            "no topic given; type scrapy crawl topic -a topic=NAME (scrapy list shows the names)"
        )
    topic = load_topic(name)
    for argument, value in arguments.items():
        settings.set(SETTING_OF_ARGUMENT[argument], value, priority=ARGUMENT_PRIORITY)
    apply_profile(settings, topic)
    if topic.strategy:
        settings.set("FOCUSED_STRATEGY", topic.strategy, priority="spider")
    settings.set("FOCUSED_TOPIC", str(name), priority="cmdline")
    return topic


def apply_profile(settings: BaseSettings, topic: Topic) -> None:
    """Write the profile that is asked for, else the topic's own, into `settings`; raises ConfigError."""
    from focused_crawler.crawl.profiles import settings_of_profile  # noqa: PLC0415 - a list needs none

    if topic.profile:
        settings.set("FOCUSED_PROFILE", topic.profile, priority="spider")
    if name := settings.get("FOCUSED_PROFILE"):
        for key, value in settings_of_profile(str(name)).items():
            settings.set(key, value, priority="spider")


def _nearest(name: str) -> str:
    known = ", ".join(SETTING_OF_ARGUMENT)
    return did_you_mean(name, SETTING_OF_ARGUMENT, sign="=") or f"use {known}"


def worker_command(topic: str, job: str, opts: argparse.Namespace, frontier: str) -> list[str]:
    """Return the command of one worker: a crawl with the options of the fleet, but its address."""
    arguments = {**spider_arguments(opts), "topic": topic, "job": job}
    settings = {**arglist_to_dict(opts.set), "FOCUSED_FRONTIER": frontier}
    return crawl_command(arguments, settings) + (["-L", opts.loglevel] if opts.loglevel else [])


def worker_environment(setting: Callable[[str], str]) -> dict[str, str]:
    """Return what workers get besides their command, which everybody on the machine can read."""
    return {**os.environ, ADDRESS: setting(ADDRESS)}


def spider_arguments(opts: argparse.Namespace) -> dict[str, str]:
    """Return the arguments after -a; raises ConfigError for one without a value."""
    try:
        return dict(arglist_to_dict(opts.spargs))
    except ValueError:
        raise ConfigError(
            "an argument after -a has no value; use -a NAME=VALUE, as in -a pages=1000"
        ) from None
