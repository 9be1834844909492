from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from focused_crawler.safety import progress
from focused_crawler.safety.progress import HowFar


def test_a_pipe_that_nobody_reads_stops_no_work(tmp_path: Path) -> None:
    """Whoever shows it may have ended, or not have begun: its reader gets what is written after that."""
    pipe = tmp_path / "progress"
    os.mkfifo(pipe)
    progress.write_to(pipe)
    try:
        work = Thread(target=progress.note, args=("pages", 1, 1), daemon=True)
        work.start()
        work.join(10)
        assert not work.is_alive()
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        progress.note("pages", 2, 2)
        assert os.read(reader, 100) == b'["pages", 2, 2]'
        os.close(reader)
    finally:
        progress.write_to(None)


@pytest.mark.parametrize("name", ["progress.json", "missing/progress.json"])
def test_a_file_that_cannot_be_written_stops_no_work(tmp_path: Path, name: str) -> None:
    """What is read of it is whole, or nothing."""
    progress.write_to(tmp_path / name)
    try:
        progress.note("pages", 1, 1)
    finally:
        progress.write_to(None)
    written = HowFar("pages", 1, 1) if name == "progress.json" else None
    assert progress.how_far(tmp_path / name) == written
