"""A pytest plugin for Scrapy's own tests: records how each ends, and adds the add-on to every crawl.

SCRAPY_TESTS_MODE is `stock` (no add-on), `addon` (the add-on, with Scrapy's own defaults in place of ours) or
`topic` (a topic beside). SCRAPY_TESTS_OUTCOMES names the file that is written.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

MODE = os.environ.get("SCRAPY_TESTS_MODE", "stock")
HUGE = 1024**3
TOPIC = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://bees.example/"]
"""


class Outcomes:
    """How tests ended, as the process knows it that the workers report to."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._found[report.nodeid] = "failed"
        elif report.when == "call" or report.skipped:
            self._found.setdefault(report.nodeid, report.outcome)

    def pytest_sessionfinish(self) -> None:
        Path(os.environ["SCRAPY_TESTS_OUTCOMES"]).write_text(json.dumps(self._found, indent=0))


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Outcomes())
    if MODE != "stock":
        add_addon(MODE == "topic")


def add_addon(has_topic: bool) -> None:
    """Make the add-on one of Scrapy's default settings."""
    from scrapy.settings import default_settings  # noqa: PLC0415 - with no add-on nothing of ours is loaded

    from focused_crawler.addon import FETCHING, FocusedCrawlerAddon  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="scrapy-tests-"))
    (folder / "bees").mkdir()
    (folder / "bees/topic.toml").write_text(TOPIC)
    ours = {
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8, ::1/128",
        "FOCUSED_MAX_PAGE_BYTES": HUGE,
        **({"FOCUSED_TOPIC": str(folder / "bees")} if has_topic else {}),
    }
    defaults = {
        name: getattr(default_settings, name)
        for name in (*FETCHING, "USER_AGENT", "DOWNLOAD_MAXSIZE")
        if hasattr(default_settings, name)
    }

    class WithScrapysDefaults(FocusedCrawlerAddon):
        """The add-on where a user has set all that it sets of Scrapy's."""

        @classmethod
        def update_pre_crawler_settings(cls, settings: Any) -> None:
            """The level of the log is a setting, too."""

        def update_settings(self, settings: Any) -> None:
            crawls = tempfile.mkdtemp(dir=folder)  # many crawlers are made and never closed
            for name, value in {**ours, "FOCUSED_CRAWLS": crawls}.items():
                settings.set(name, value, priority="project")
            before = {name for name in defaults if settings.getpriority(name) > 0}
            super().update_settings(settings)
            for name in defaults.keys() - before:
                settings.set(name, defaults[name], priority="addon")
            others = {"file": "file.FileDownloadHandler", "ftp": "ftp.FTPDownloadHandler"}
            others |= {"data": "datauri.DataURIDownloadHandler", "s3": "s3.S3DownloadHandler"}
            handlers = dict(settings["DOWNLOAD_HANDLERS"])
            for scheme, path in others.items():
                if handlers.get(scheme) is None:
                    handlers[scheme] = f"scrapy.core.downloader.handlers.{path}"
            settings.set("DOWNLOAD_HANDLERS", handlers, priority="addon")

    default_settings.ADDONS = {WithScrapysDefaults: 0}
