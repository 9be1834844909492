"""Edits of a taxonomy's files: all changes of an edit happen, or none, and the last ones can be taken back.

An edit is written down before its first change (`pending.json`) and becomes history after its last one.
Whoever opens the folder next finishes what a killed process began. Steps done twice have the same end.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.safety.whole_file import replace_file

FOLDER = ".edits"
PENDING = "pending.json"
KEPT = 100
"""Edits that can be taken back."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """A file gets another text. Paths are those from the taxonomy's folder, or absolute."""

    path: str
    before: str
    after: str

    def do(self, root: Path) -> None:
        """Write it; raises OSError."""
        replace_file(root / self.path, self.after.encode())

    def problem(self, root: Path) -> str | None:
        """Return why it cannot be done on top of what is there now; None: it can."""
        try:
            is_same = (root / self.path).read_bytes() == self.before.encode()
        except OSError:
            is_same = False
        return None if is_same else f"{place(root / self.path)} was changed since"

    @property
    def inverse(self) -> TextChange:
        return TextChange(self.path, self.after, self.before)


@dataclass(frozen=True, slots=True)
class PathChange:
    """A file or folder gets another path."""

    source: str
    target: str

    def do(self, root: Path) -> None:
        """Move it, unless that is done; raises OSError."""
        source, target = root / self.source, root / self.target
        if os.path.lexists(source) and not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)

    def problem(self, root: Path) -> str | None:
        """Return why it cannot be done with what is there now; None: it can."""
        if not os.path.lexists(root / self.source):
            return f"{place(root / self.source)} is not there any more"
        return (
            f"{place(root / self.target)} is there already" if os.path.lexists(root / self.target) else None
        )

    @property
    def inverse(self) -> PathChange:
        return PathChange(self.target, self.source)


Step = TextChange | PathChange


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that can be taken back."""

    number: int
    what: str  # as a sentence without its full stop
    done_at: float  # seconds since the epoch
    steps: tuple[Step, ...]
    takes_back: bool = False  # it is the edit of this number that is being taken back


class EditLog:
    """What is being changed in a taxonomy's folder, and what was; only to be used within `editing`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / FOLDER
        self._given = 0

    def edits(self) -> list[Edit]:
        """Return the edits that can be taken back, the last one first."""
        files = sorted(self._folder.glob("[0-9]*.json"), reverse=True)
        return [edit for file in files if (edit := _read(file)) is not None]

    def scratch(self, name: str) -> str:
        """Return a new path for what the next edit puts aside, or makes before it begins."""
        self._folder.mkdir(exist_ok=True)
        self._given += 1
        path = f"{self._next()}-{self._given}-{name}"
        while os.path.lexists(self._folder / path):  # of one that was killed before its edit
            self._given += 1
            path = f"{self._next()}-{self._given}-{name}"
        return f"{FOLDER}/{path}"

    def do(self, what: str, steps: Sequence[Step]) -> None:
        """Do all steps or, where one fails, none; raises TopicError."""
        self._carry_out(Edit(self._next(), what, time.time(), tuple(steps)))
        self._forget()

    def undo(self) -> Edit:
        """Take the last edit back and return it; raises TopicError, also where files have changed since."""
        edits = self.edits()
        if not edits:
            raise TopicError(f"{place(self._root)} has no edit to take back")
        last = edits[0]
        back = [step.inverse for step in reversed(last.steps)]
        if problem := next(filter(None, (step.problem(self._root) for step in _independent(back))), None):
            raise TopicError(f"{last.what}: cannot be taken back: {problem}; change the files by hand")
        self._carry_out(replace(last, steps=tuple(back), takes_back=True))
        return last

    def finish(self) -> None:
        """Do what is left of an edit, or of taking one back, that was cut off; raises OSError, TopicError."""
        pending = self._folder / PENDING
        if not pending.exists():
            return
        edit = _read(pending)
        if edit is None:
            raise TopicError(f"{place(pending)}: is no edit that could be finished; remove the file")
        for step in edit.steps:
            step.do(self._root)
        self._settle(edit)

    def _carry_out(self, edit: Edit) -> None:
        try:
            self._folder.mkdir(exist_ok=True)
            self._write_down(edit)
            self._all_or_none(edit.steps)
            self._settle(edit)
        except OSError as error:
            raise _cannot(self._root, error) from None

    def _settle(self, edit: Edit) -> None:
        if edit.takes_back:
            self._drop(edit.number)
            (self._folder / PENDING).unlink()
        else:
            (self._folder / PENDING).rename(self._file(edit.number))

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:08}.json"

    def _all_or_none(self, steps: Sequence[Step]) -> None:
        done: list[Step] = []
        try:
            for step in steps:
                step.do(self._root)
                done.append(step)
        except OSError:
            for step in reversed(done):
                step.inverse.do(self._root)
            (self._folder / PENDING).unlink()
            raise

    def _write_down(self, edit: Edit) -> None:
        steps = [{"kind": type(step).__name__, **asdict(step)} for step in edit.steps]
        record = {**asdict(edit), "steps": steps}
        replace_file(self._folder / PENDING, json.dumps(record, indent=1).encode())

    def _next(self) -> int:
        return max((int(file.stem) for file in self._folder.glob("[0-9]*.json")), default=0) + 1

    def _forget(self) -> None:
        for edit in self.edits()[KEPT:]:
            self._drop(edit.number)

    def _drop(self, number: int) -> None:
        """Forget an edit; without its record what it had put aside is of no use."""
        self._file(number).unlink(missing_ok=True)
        for left in self._folder.glob(f"{number}-*"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink()


@contextmanager
def editing(root: Path) -> Iterator[EditLog]:
    """Keep others out of a taxonomy's files, which are whole then; raises TopicError."""
    with _locked(root, fcntl.LOCK_EX):
        log = EditLog(root)
        _finish(log, root)
        yield log


@contextmanager
def reading(root: Path) -> Iterator[None]:
    """Let nobody edit a taxonomy's files, which are whole then; raises TopicError.

    An edit that was cut off is finished first.
    """
    while True:
        with _locked(root, fcntl.LOCK_SH):
            if not (root / FOLDER / PENDING).exists():
                yield
                return
        with editing(root):
            pass


def _finish(log: EditLog, root: Path) -> None:
    try:
        log.finish()
    except OSError as error:
        raise TopicError(
            f"{place(root / FOLDER / PENDING)}: an edit was cut off and cannot be finished"
            f" ({error.strerror}); make the folder writable and give the same command again"
        ) from None


@contextmanager
def _locked(root: Path, kind: int) -> Iterator[None]:
    """Lock a folder; the lock goes with the process."""
    try:
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise TopicError(f"{place(root)}: cannot be read: {error.strerror}") from None
    try:
        fcntl.flock(opened, kind)
        yield
    finally:
        os.close(opened)


def _independent(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps that none before them makes possible: the others cannot be checked in advance."""
    made: list[str] = []
    for step in steps:
        path = step.path if isinstance(step, TextChange) else step.source
        if not any(path == other or path.startswith(f"{other}/") for other in made):
            yield step
        if isinstance(step, PathChange):
            made.append(step.target)
        else:
            made.append(step.path)


def _read(file: Path) -> Edit | None:
    """Return the edit that a file holds, None for one that is not there or cannot be read."""
    try:
        record: dict[str, Any] = json.loads(file.read_bytes())
        steps = tuple(_step(**step) for step in record["steps"])
        return Edit(**{**record, "steps": steps})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _step(kind: str, **fields: str) -> Step:
    return TextChange(**fields) if kind == TextChange.__name__ else PathChange(**fields)


def _cannot(root: Path, error: OSError) -> TopicError:
    return TopicError(f"{place(root)}: cannot be changed: {error.strerror}; nothing was")
