from __future__ import annotations

import random

import pytest

from benchmarks.crash import run_round


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_kill_9_loses_nothing(seed: int) -> None:
    """A crawl killed at a random moment and resumed: the short form of benchmarks/crash.py."""
    outcome = run_round(300, 1, random.Random(seed), latency=0.002)
    assert (outcome.lost, outcome.double) == (0, 0)
    assert outcome.refetched <= outcome.most_refetched
    assert outcome.recorded == 300
    assert outcome.ended == "finished"
