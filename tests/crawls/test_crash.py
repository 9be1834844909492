from __future__ import annotations

import random
from pathlib import Path

import pytest

from focused_crawler.crawl.journal import COMMIT_PAGES
from tests.crawls.killed_crawl import Ours, Workers
from tests.crawls.kills import CONCURRENCY, HOSTS, Kill, Means, run_round
from tests.crawls.loopback import WebPlan
from tests.project import Scrapy

PLAN = WebPlan("SMALL", 300, HOSTS, 0.002)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "share"), [("SIGKILL", 0.0), ("SIGKILL", 0.3), ("SIGTERM, SIGKILL", 0.3), ("SIGKILL", 1.0)]
)
def test_kill_9_loses_nothing(what: str, share: float, scrapy: Scrapy, tmp_path: Path) -> None:
    """A crawl killed and resumed: the short form of benchmarks/crash.py."""
    seconds = random.Random(f"{what} {share}").uniform(0.0, 0.2)
    outcome = run_round(Ours, PLAN, [Kill(what, share, seconds, seconds)], tmp_path / "1", Means(scrapy))
    assert outcome.kills.total() == 1 or share == 1.0  # the run may be over before that is seen
    assert outcome.is_good, outcome
    assert outcome.refetched <= CONCURRENCY + COMMIT_PAGES
    assert outcome.found.recorded == PLAN.pages


@pytest.mark.slow
def test_a_killed_analysis_process_costs_no_page(scrapy: Scrapy, tmp_path: Path) -> None:
    """Its pages are analysed by another; and the kill lands, or the benchmark would hit nothing."""
    outcome = run_round(Workers, PLAN, [Kill(*Workers.WHATS, 0.3, 0.1)], tmp_path / "1", Means(scrapy))
    assert outcome.kills.total() == 1
    assert outcome.is_good, outcome
    assert outcome.found.recorded == PLAN.pages
