"""Crawls in processes of their own, over the demo web."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.crawl.command import crawl_command
from focused_crawler.crawl.process import CrawlProcess, go_on, start_crawl
from focused_crawler.safety.errors import ConfigError, CrawlError, CrawlInUse, TopicError
from focused_crawler.store.job import run_of, write_run
from focused_crawler.store.opening import is_in_use
from tests.project import until

pytestmark = pytest.mark.slow

Start = Callable[..., CrawlProcess]

OLDER = ("FOCUSED_STRICT_ORDER", "FOCUSED_NEVER_HEARD_OF")
"""Settings that some version had, and this one has not."""


@pytest.fixture
def start(demo_web: Path, tmp_path: Path) -> Start:
    """Starts a crawl of the demo web's topic."""

    def start(*, settings: dict[str, Any] | None = None, **arguments: object) -> CrawlProcess:
        given = {"FOCUSED_WEB": demo_web, "FOCUSED_RANDOM_SEED": 7, **(settings or {})}
        topic = str(demo_web.parent / "demo.topics/astronomy")
        return start_crawl(topic, tmp_path / "crawls", {"profile": "offline", **arguments}, given)

    return start


def typed(settings: dict[str, Any]) -> set[str]:
    return set(crawl_command({}, settings))


def test_a_crawl_is_followed_to_its_end_and_goes_on_with_more(start: Start) -> None:
    """As it began: with its strategy, its web, its own settings, and those of its profile."""
    crawl = start(pages=8, strategy="breadth_first")
    crawl.wait_until_begun()
    assert crawl.wait() == 0
    began = run_of(crawl.folder)
    assert (crawl.folder.name, began.totals["pages"], began.reason) == ("1", 8, "pages_budget")
    assert "Crawl of astronomy" in crawl.log.read_text()
    began.settings |= dict.fromkeys(OLDER, False)  # as an older version has written them
    write_run(crawl.folder, began)
    began.settings = {name: value for name, value in began.settings.items() if name not in OLDER}
    more = go_on(crawl.folder, {"pages": 14})
    more.wait_until_begun()
    assert more.wait() == 0
    run = run_of(crawl.folder)
    assert (run.totals["pages"], run.strategy) == (14, "breadth_first")
    assert typed(run.settings) == typed(began.settings | {"FOCUSED_PAGES": 14})
    assert {"CONCURRENT_REQUESTS=1", "FOCUSED_PROFILE=offline"} <= typed(run.settings)
    assert "FOCUSED_PROFILE=offline" in more.process.args  # not all that a profile sets is in run.json


def test_a_setting_of_none_is_left_out() -> None:
    """It is no contact of the name None."""
    assert typed({"FOCUSED_CONTACT": None}) == typed({})


def test_a_budget_of_nothing_is_none(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """0 pages are any number, also where a user's own settings have another."""
    settings = tmp_path / "config/focused_crawler/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("FOCUSED_PAGES = 5\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    crawl = start(strategy="breadth_first")
    crawl.wait_until_begun()
    assert (crawl.wait(), run_of(crawl.folder).reason) == (0, "pages_budget")
    more = go_on(crawl.folder, {"pages": 0, "relevant": 12})
    more.wait_until_begun()
    assert (more.wait(), run_of(crawl.folder).reason) == (0, "relevant_budget")


def test_a_running_crawl_is_left_alone_and_outlives_an_interrupt(start: Start) -> None:
    """It is in a session of its own; only a signal to itself ends it."""
    crawl = start(job="long", settings={"FOCUSED_WEB_LATENCY": 0.2})
    crawl.wait_until_begun()
    assert is_in_use(crawl.folder)
    assert os.getsid(crawl.process.pid) == crawl.process.pid != os.getsid(0)
    with pytest.raises(CrawlInUse, match="being crawled"):
        start(job="long")
    with pytest.raises(CrawlInUse, match="being crawled"):
        go_on(crawl.folder)
    crawl.process.send_signal(signal.SIGINT)
    crawl.wait()
    assert not is_in_use(crawl.folder)
    assert run_of(crawl.folder).state == "stopped"


def test_what_is_wrong_is_said_in_the_crawls_own_line(start: Start, tmp_path: Path) -> None:
    """And nothing is left of a crawl that could not begin; what can be seen before is refused before."""
    crawl = start(strategy="nothing")
    with pytest.raises(CrawlError, match="nothing"):
        crawl.wait_until_begun()
    until(lambda: not crawl.folder.exists())
    crawl = start(job="killed", pages=2)
    crawl.wait()
    with crawl.log.open("a") as log:
        log.write("error: what an earlier run has said\n")
    again = go_on(crawl.folder, {"pages": 4})
    again.process.kill()
    with pytest.raises(CrawlError, match=r"killed.*before it began"):
        again.wait_until_begun()
    with pytest.raises(ConfigError, match="no argument speed"):
        start(speed=3)
    with pytest.raises(ConfigError, match="job is"):
        start(job="../up")
    with pytest.raises(TopicError, match="no topic"):
        start_crawl("nothing", tmp_path)
