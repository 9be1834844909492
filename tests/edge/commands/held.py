"""Commands that wait shortly before their end: a test can stop them there, however late it comes."""

from __future__ import annotations

import time

from focused_crawler.experiment.folder import RUNS, ExperimentFolder, Record
from tests.project import PATIENCE

ROWS = 13
"""Of runs.csv: the first names the columns."""


def experiment() -> None:
    """Let an experiment wait when runs.csv has so many rows."""
    append = ExperimentFolder.append

    def held(folder: ExperimentFolder, record: Record) -> None:
        append(folder, record)
        if len((folder.path / RUNS).read_text().splitlines()) >= ROWS:
            time.sleep(PATIENCE)

    ExperimentFolder.append = held  # type: ignore[method-assign]
