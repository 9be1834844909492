from __future__ import annotations

import random

import pytest

from focused_crawler.crawl.journal import COMMIT_PAGES
from tests.crawls import kills
from tests.crawls.kills import CONCURRENCY, Kill, Ours, run_round

PAGES = 300


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["start", "middle", "stop", "end"])
def test_kill_9_loses_nothing(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl killed and resumed: the short form of benchmarks/crash.py."""
    monkeypatch.setattr(kills, "PATIENCE", 300.0)  # for any machine
    kill = Kill(moment, 1.0 if moment == "end" else 0.3, random.Random(moment).uniform(0.0, 0.2))
    outcome = run_round(Ours, PAGES, [kill], latency=0.002)
    assert outcome.kills == 1 or moment == "end"  # the run may be over before that is seen
    assert (outcome.lost, outcome.double, outcome.stuck) == (0, 0, 0)
    assert outcome.refetched <= CONCURRENCY + COMMIT_PAGES
    assert outcome.recorded == PAGES
