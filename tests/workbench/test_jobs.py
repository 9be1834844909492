"""Commands that the workbench starts: one at a time, in processes that outlive it."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.workbench import jobs
from tests.project import until


def ended(folder: Path) -> jobs.StartedJob:
    def has_ended() -> bool:
        job = jobs.read(folder)
        return job is not None and not job.is_running

    until(has_ended, 0.05)
    job = jobs.read(folder)
    assert job is not None
    return job


def test_one_command_runs_at_a_time(tmp_path: Path) -> None:
    """Whoever has started it; the next one may begin when it has ended."""
    assert jobs.read(tmp_path) is None
    words = ["taxonomy", "show", "--topic", "asthma"]
    jobs.start(tmp_path, "Showing the tree", words, {})
    running = jobs.read(tmp_path)
    assert running is not None
    assert (running.what, running.is_running, running.error) == ("Showing the tree", True, "")
    with pytest.raises(CrawlError, match="Showing the tree is under way; wait for its end"):
        jobs.start(tmp_path, "Another", words, {})
    done = ended(tmp_path)
    assert "good for asthma" in " ".join(done.lines) or "asthma" in " ".join(done.lines)
    assert done.error == ""
    jobs.start(tmp_path, "Another", ["taxonomy", "show", "nowhere"], {"FOCUSED_TAXONOMY": tmp_path / "none"})
    done = ended(tmp_path)
    assert done.what == "Another"
    assert "category.toml: not found; give the folder of a taxonomy" in done.error


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """In one line."""
    (tmp_path / "file").touch()
    with pytest.raises(CrawlError, match=r"file/\.job cannot be written to .*; free its folder"):
        jobs.start(tmp_path / "file", "Training", ["train"], {})
