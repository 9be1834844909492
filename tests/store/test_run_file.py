from __future__ import annotations

import time
from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.job import FINISHED, STOPPED, RunInfo, read_run
from focused_crawler.store.run_file import RunFile


def info(judge: str = "model") -> RunInfo:
    return RunInfo(
        topic="bees", title="Bees", job="1", strategy="lpe", seed_set="", web=None, trained=True, judge=judge
    )


def begun(folder: Path, state: str = STOPPED) -> RunInfo:
    """Return what one run has left in a folder."""
    run = info()
    file = RunFile(folder, run)
    run.state = state
    file.write({"pages": 7})
    return run


def test_a_first_run_has_none_before_it(tmp_path: Path) -> None:
    """It began when it began."""
    file = RunFile(tmp_path, info())
    assert (file.judged_before, file.was_finished) == ("", False)
    file.write({"pages": 1})
    written = read_run(tmp_path)
    assert written is not None
    assert written.started == file.began <= written.ended
    assert written.totals == {"pages": 1}


def test_time_is_that_of_all_runs(tmp_path: Path) -> None:
    """And the crawl began with the first of them."""
    first = begun(tmp_path)
    file = RunFile(tmp_path, run := info())
    assert file.seconds >= first.seconds > 0
    file.write({})
    assert run.started == first.started
    assert run.seconds >= first.seconds


def test_time_passes_as_it_does_elsewhere(tmp_path: Path) -> None:
    """It counts from when the run began, not from when the machine did."""
    began = time.monotonic()
    seconds = begun(tmp_path).seconds
    assert 0 < seconds <= time.monotonic() - began


@pytest.mark.parametrize(("judge", "before"), [("model", ""), ("words", "model")])
def test_another_judge_is_noticed(judge: str, before: str, tmp_path: Path) -> None:
    """Relevances of two judges do not compare."""
    begun(tmp_path)
    assert RunFile(tmp_path, info(judge)).judged_before == before


@pytest.mark.parametrize(("state", "was_finished"), [(FINISHED, True), (STOPPED, False)])
def test_how_the_run_before_ended(state: str, was_finished: bool, tmp_path: Path) -> None:
    """What has been brought to its end is told from what goes on."""
    begun(tmp_path, state)
    assert RunFile(tmp_path, info()).was_finished is was_finished


def test_a_broken_file_is_said(tmp_path: Path) -> None:
    """Nothing is written over it."""
    (tmp_path / "run.json").write_text("{", "utf-8")
    with pytest.raises(CrawlError, match="cannot be read"):
        RunFile(tmp_path, info())
