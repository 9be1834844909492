from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from focused_crawler.api import process
from focused_crawler.safety import program
from tests.project import Scrapy


@pytest.fixture(autouse=True)
def started_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API names commands in its own way: other tests of the process go on without."""
    monkeypatch.setattr(program, "_started", [])


@pytest.fixture
def in_forks(scrapy: Scrapy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run commands to their end without the seconds that each takes to import what it needs."""

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        done = scrapy.run(*command[3:])  # after python -m focused_crawler
        return subprocess.CompletedProcess(command, done.code, done.out, done.err)

    monkeypatch.setattr(process, "subprocess", SimpleNamespace(run=run, DEVNULL=subprocess.DEVNULL))
