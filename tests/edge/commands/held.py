"""What is done to a command before it begins."""

from __future__ import annotations

import io
import os
import sys
import time

from focused_crawler.experiment.folder import RUNS, ExperimentFolder, Record
from tests.project import PATIENCE

ROWS = 13
"""Of runs.csv: the first names the columns."""


def experiment() -> None:
    """Let an experiment wait when runs.csv has so many rows: it can be stopped there, however late."""
    append = ExperimentFolder.append

    def held(folder: ExperimentFolder, record: Record) -> None:
        append(folder, record)
        if len((folder.path / RUNS).read_text().splitlines()) >= ROWS:
            time.sleep(PATIENCE)

    ExperimentFolder.append = held  # type: ignore[method-assign]


def without_affinity() -> None:
    """Let the system not say which processors a process may use, as on macOS."""
    del os.sched_getaffinity


def ascii_terminal() -> None:
    """Let it write as to a terminal of the locale C."""
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(encoding="ascii", errors="strict")
