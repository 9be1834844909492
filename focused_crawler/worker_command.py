"""How a fleet starts a worker: the command, told what the fleet was told, and the environment."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from scrapy.utils.conf import arglist_to_dict

from focused_crawler.arguments import TOPIC_SPIDER
from focused_crawler.errors import ConfigError

FRONTIER, DATABASE = "FOCUSED_FRONTIER", "FOCUSED_DATABASE"
ADDRESSES = (FRONTIER, DATABASE)


def worker_command(topic: str, job: str, opts: argparse.Namespace) -> list[str]:
    """Return the command of one worker: a crawl, told all that the fleet was told but the addresses."""
    words = [sys.executable, "-m", "scrapy", "crawl", TOPIC_SPIDER]
    for name, value in {**spider_arguments(opts), "topic": topic, "job": job}.items():
        words += ["-a", f"{name}={value}"]
    for name, value in arglist_to_dict(opts.set).items():
        if name not in ADDRESSES:
            words += ["-s", f"{name}={value}"]
    return words + (["-L", opts.loglevel] if opts.loglevel else [])


def worker_environment(setting: Callable[[str], str]) -> dict[str, str]:
    """Return what workers are told besides their command, which everybody on the machine can read."""
    return {**os.environ, **{name: setting(name) for name in ADDRESSES}}


def spider_arguments(opts: argparse.Namespace) -> dict[str, str]:
    """Return the arguments after -a; raises ConfigError for one without a value."""
    try:
        return dict(arglist_to_dict(opts.spargs))
    except ValueError:
        raise ConfigError(
            "an argument after -a has no value; use -a NAME=VALUE, as in -a pages=1000"
        ) from None
