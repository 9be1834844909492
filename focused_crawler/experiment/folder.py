"""The folder of an experiment: what it is made of, and its runs so far, from which a killed one goes on."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from focused_crawler.experiment.measures import Case
from focused_crawler.safety.closing import Closing
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.whole_file import UNFINISHED, unfinished

FORMAT = 1
ABOUT, RUNS = "experiment.json", "runs.csv"
_INSTALLED = {"program", "libraries"}
"""What runs depend on that nobody gives."""


class Record(NamedTuple):
    """A row of runs.csv: what a run came to."""

    web: str
    topic: str
    seed_set: str
    strategy: str
    pages: int
    relevant: int
    cpu_seconds: float
    reason: str  # why it ended: see `measures`
    code: str  # of a user's own strategy: fingerprint of its module

    @property
    def case(self) -> Case:
        """Return which run it was."""
        return Case(*self[:4])

    @classmethod
    def read(cls, cells: Sequence[str]) -> Self:
        """Return the record of a row; raises ValueError."""
        web, topic, seed_set, strategy, pages, relevant, seconds, reason, code = cells
        return cls(web, topic, seed_set, strategy, int(pages), int(relevant), float(seconds), reason, code)


class ExperimentFolder(Closing):
    """Everything in it appears whole or not at all; a run counts once its visits and its row are there.

    Nobody else writes to it until it is closed.
    """

    def __init__(self, path: Path, made_of: Mapping[str, str]) -> None:
        """Make the folder, or go on with one that is made of the same; CrawlError if it is not."""
        self.path = path
        known = self._made_of()
        if clash := next((name for name in known if made_of.get(name, known[name]) != known[name]), None):
            what, cure = (
                ("version", "") if clash in _INSTALLED else ("experiment", "give the same again, or ")
            )
            raise CrawlError(
                f"{path} holds runs of another {what} ({clash} is {known[clash]}, not {made_of[clash]});"
                f" {cure}name another folder with --out"
            )
        self._lock = _locked(path)
        self._drop_unfinished()
        about = {"format": FORMAT, "made_of": {**known, **made_of}}
        write_whole(path / ABOUT, json.dumps(about, indent=2, ensure_ascii=False) + "\n")
        self._cut_torn_row()

    def close(self) -> None:
        self._lock.close()

    def records(self) -> dict[Case, Record]:
        """Return the runs that were made, the last row of each; raises CrawlError for a broken file."""
        path = self.path / RUNS
        if not path.exists():
            return {}
        try:
            rows = list(csv.reader(io.StringIO(path.read_text("utf-8"), newline="")))
            records = [Record.read(row) for row in rows[1:]]
        except (ValueError, OSError) as error:
            raise CrawlError(
                f"{path} cannot be read ({error}); move it away to make its runs again"
            ) from None
        return {record.case: record for record in records}

    def append(self, record: Record) -> None:
        """Add a row to runs.csv."""
        path = self.path / RUNS
        rows = [Record._fields] if not path.exists() or not path.stat().st_size else []
        with _writing(path), path.open("a", encoding="utf-8", newline="") as file:
            file.write(csv_text([*rows, record]))

    def _made_of(self) -> dict[str, str]:
        path = self.path / ABOUT
        try:
            about = json.loads(path.read_text("utf-8"))
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']}, not {FORMAT}")
            return dict(about["made_of"])
        except (FileNotFoundError, NotADirectoryError):
            self._check_is_free()
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CrawlError(f"{path} cannot be read ({error}); name another folder with --out") from None

    def _check_is_free(self) -> None:
        """Refuse to write among somebody's files."""
        if self.path.is_dir() and any(not entry.name.startswith(".") for entry in self.path.iterdir()):
            raise CrawlError(f"{self.path} holds other files; name a new or empty folder with --out")

    def _drop_unfinished(self) -> None:
        """Remove the files whose writer was killed."""
        for path in self.path.rglob(".*"):
            if UNFINISHED.fullmatch(path.name) and path.is_file():
                with _writing(path):
                    path.unlink(missing_ok=True)

    def _cut_torn_row(self) -> None:
        """Drop the end of a row whose writer was killed."""
        path = self.path / RUNS
        if path.exists() and not (text := path.read_bytes()).endswith(b"\n"):
            with _writing(path):
                os.truncate(path, text.rfind(b"\n") + 1)


def _locked(path: Path) -> BinaryIO:
    """Keep others out of the folder for as long as this process lives."""
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)
        file = (path / ".lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise CrawlError(
            f"another experiment is writing to {path}; wait for it, or name another --out"
        ) from None
    return file


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole or not at all; its folder is made. Raises CrawlError."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished(path) as temporary:
            temporary.write_bytes(data)


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV, a line each."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CrawlError(
            f"cannot write {path} ({error.strerror}); fix that, or name another folder with --out"
        ) from None
