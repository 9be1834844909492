"""What a fleet tells its workers."""

from __future__ import annotations

from argparse import Namespace

import pytest

from focused_crawler.edge.arguments import spider_arguments, worker_command, worker_environment
from focused_crawler.safety.errors import ConfigError

ADDRESS = {"FOCUSED_DATABASE": "postgresql://ann:secret@localhost:1/crawls"}


def test_a_worker_is_told_what_the_fleet_was_told() -> None:
    """But for the address, which everybody on the machine could read in its command."""
    address = [f"{name}={value}" for name, value in ADDRESS.items()]
    opts = Namespace(spargs=["pages=100", "topic=x"], set=["DOWNLOAD_DELAY=2", *address], loglevel="DEBUG")
    words = worker_command("/topics/asthma", "spring", opts, "postgresql")[1:]
    assert words == [
        "-m", "focused_crawler", "crawl", "topic", "-a", "pages=100", "-a", "topic=/topics/asthma",
        "-a", "job=spring", "-s", "DOWNLOAD_DELAY=2", "-s", "FOCUSED_FRONTIER=postgresql", "-L", "DEBUG",
    ]  # fmt: skip


def test_the_address_is_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that the fleet was started with; what it was told last counts."""
    monkeypatch.setenv("FOCUSED_DATABASE", "postgresql://elsewhere")
    monkeypatch.setenv("HTTP_PROXY", "http://proxy")
    environment = worker_environment(ADDRESS.__getitem__)
    assert environment.items() >= {**ADDRESS, "HTTP_PROXY": "http://proxy"}.items()


def test_an_argument_has_a_value() -> None:
    """One line says how to write it."""
    with pytest.raises(ConfigError, match="use -a NAME=VALUE"):
        spider_arguments(Namespace(spargs=["pages"]))
