"""The models beside a topic's model: one that waits to be accepted, and the one before.

`candidate` and `previous` are folders in the model's own. Each step leaves a model in its place whole or
not at all; a command that was killed between two is given once more.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from focused_crawler.classify.model_file import MODEL, read_files, write_files
from focused_crawler.safety.errors import ModelError
from focused_crawler.safety.whole_file import replace_file

CANDIDATE, PREVIOUS = "candidate", "previous"
REPORT, RECORD = "training.html", "comparison.json"
"""What is said of a model, beside it: for people, and for programs."""


def is_model(folder: Path) -> bool:
    """Tell whether there is a model in a folder."""
    return (folder / MODEL.header).exists()


def before_replacing(folder: Path) -> None:
    """Keep a folder's model, if it can be read, where `roll_back` finds it, and forget the candidate."""
    if is_model(folder):
        with suppress(ModelError):
            _copy(folder, folder / PREVIOUS)
    shutil.rmtree(folder / CANDIDATE, ignore_errors=True)


def accept(folder: Path) -> bool:
    """Put the candidate in the model's place, which becomes the previous one; False: there is none.

    Raises ModelError, for damaged files as well.
    """
    candidate = folder / CANDIDATE
    if not is_model(candidate):
        return False
    if not _are_same(candidate, folder):  # else this was killed between the two
        if is_model(folder):
            _copy(folder, folder / PREVIOUS)
        _copy(candidate, folder)
    shutil.rmtree(candidate, ignore_errors=True)
    return True


def roll_back(folder: Path) -> None:
    """Put the previous model in the model's place, which becomes the candidate; ModelError: there is none."""
    previous = folder / PREVIOUS
    if not is_model(previous):
        raise ModelError(f"{folder} has no earlier model: nothing was accepted in place of one")
    if not _are_same(previous, folder):
        _copy(folder, folder / CANDIDATE)
        _copy(previous, folder)
    shutil.rmtree(previous, ignore_errors=True)


def _are_same(one: Path, other: Path) -> bool:
    return is_model(other) and read_files(one) == read_files(other)


def _copy(source: Path, target: Path) -> None:
    header, weights = read_files(source)
    write_files(target, header, weights)
    try:
        for name in (REPORT, RECORD):
            if (source / name).exists():
                replace_file(target / name, (source / name).read_bytes())
            else:
                (target / name).unlink(missing_ok=True)
    except OSError as error:
        raise ModelError(
            f"cannot write the report to {target}: {error.strerror}; choose a folder you may write to"
        ) from error
