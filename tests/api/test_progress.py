"""How far a crawl of a program has come, when nobody else can tell."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import focused_crawler as fc
from tests.project import until


@pytest.mark.slow
def test_a_killed_crawl_has_stopped_and_a_frontier_in_memory_is_not_counted(
    demo_web: Path, tmp_path: Path
) -> None:
    """Its database holds no URL of it: none is left to fetch would be wrong."""
    running = fc.crawl(
        demo_web.parent / "demo.topics/astronomy",
        web=demo_web,
        profile="offline",
        crawls=tmp_path,
        settings={"FOCUSED_WEB_LATENCY": 0.05, "FOCUSED_FRONTIER": "memory"},
    )
    until(lambda: running.progress().pages > 0)
    assert running.progress().pending is None
    assert str(running.progress()).endswith("), running")
    os.kill(running._process.process.pid, signal.SIGKILL)
    *_, last = running
    assert (last.state, running.exit_code) == ("stopped", -signal.SIGKILL)
