from __future__ import annotations

import os
from pathlib import Path

import pytest

from focused_crawler.crawl.config import RenderSettings
from focused_crawler.edge.rendering.chromium import find_browser, launch_options, private_bytes
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import read


def test_the_named_browser_is_taken(tmp_path: Path) -> None:
    """Before the system's."""
    assert find_browser(tmp_path / "mine") == str(tmp_path / "mine")


def test_the_systems_browser_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the names it has on PATH; without one, Playwright has its own."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser(None) is None
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert find_browser(None) == str(program)
    assert "executable_path" not in launch_options(None)


def test_a_browser_that_cannot_run_is_refused(tmp_path: Path) -> None:
    """In one line, with its path."""
    with pytest.raises(ConfigError, match=r"FOCUSED_BROWSER is '.*gone'; use the path of Chromium"):
        read(RenderSettings, {"FOCUSED_BROWSER": str(tmp_path / "gone")})
    assert read(RenderSettings, {}).browser is None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_memory_of_processes_is_added_up() -> None:
    """Those that are gone count nothing."""
    mine = private_bytes([os.getpid()])
    assert mine > 1_000_000
    assert private_bytes([os.getpid(), 2**22 + 1]) == pytest.approx(mine, rel=0.2)
