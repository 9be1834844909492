from __future__ import annotations

import sys
from pathlib import Path

import pytest

from focused_crawler.edge.rendering.chromium import install

FAILS = [sys.executable, "-c", "raise SystemExit(1)"]


def writes(path: Path) -> list[str]:
    return [sys.executable, "-c", f"open({str(path)!r}, 'w').close()"]


@pytest.fixture
def no_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without one: nothing is on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_ways_are_tried_in_turn(no_browser: Path) -> None:
    """Until one succeeds; a program that is not there is no error."""
    first, second = no_browser / "first", no_browser / "second"
    assert install([["no-such-program"], FAILS, writes(first), writes(second)])
    assert first.exists()
    assert not second.exists()


def test_a_machine_without_a_browser_is_no_error(no_browser: Path) -> None:
    """It is said, and set-up goes on."""
    assert not install([FAILS])


def test_nothing_is_installed_where_there_is_a_browser(no_browser: Path) -> None:
    """The system's own is taken."""
    program = no_browser / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert install([writes(no_browser / "first")])
    assert not (no_browser / "first").exists()
