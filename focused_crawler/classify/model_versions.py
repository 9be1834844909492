"""The models beside a topic's model: one that waits to be accepted, and the one before.

`candidate` and `previous` are folders in the model's own. Each step leaves a model in its place whole or
not at all; a command that was killed between two is given once more, and does what is left to be done.
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


def has(folder: Path, packed: tuple[bytes, bytes]) -> bool:
    """Tell whether a folder's model is this one: no candidate may be then, as it would be a taken one."""
    with suppress(ModelError):
        return is_model(folder) and read_files(folder) == packed
    return False


def before_replacing(folder: Path) -> None:
    """Keep a folder's model, if it can be read, where `roll_back` finds it, and forget the candidate."""
    if is_model(folder):
        with suppress(ModelError):
            _copy(folder, folder / PREVIOUS)
    forget_candidate(folder)


def forget_candidate(folder: Path) -> None:
    """Delete the model that waits, if one does."""
    _forget(folder / CANDIDATE)


def accept(folder: Path) -> bool:
    """Put the candidate in the model's place, which becomes the previous one; False: there is none.

    Raises ModelError, for damaged files as well.
    """
    candidate = folder / CANDIDATE
    if not is_model(candidate):
        return False
    if is_model(folder) and not _are_same(candidate, folder):  # else this was killed after it
        _copy(folder, folder / PREVIOUS)
    _copy(candidate, folder)
    forget_candidate(folder)
    return True


def roll_back(folder: Path) -> bool:
    """Put the previous model in the model's place, which becomes the candidate; tell whether there is one.

    The first model was put where none was: it becomes the candidate, and leaves its place empty. A candidate
    that waits is overwritten. ModelError: nothing was there before. Does nothing more until
    `forget_previous`, which is for when a crawl has the model too.
    """
    previous = folder / PREVIOUS
    if not is_model(previous):
        _take_away(folder)
        return False
    if not _are_same(previous, folder):
        _copy(folder, folder / CANDIDATE)
    _copy(previous, folder)
    return True


def forget_previous(folder: Path) -> None:
    """End what `roll_back` began."""
    _forget(folder / PREVIOUS)


def can_roll_back(folder: Path) -> bool:
    """Tell whether there is something to return to: a model, or what judged before the first one."""
    return is_model(folder) or is_model(folder / PREVIOUS)


def loses_candidate(folder: Path) -> bool:
    """Tell whether `roll_back` overwrites a candidate that is nowhere else."""
    candidate = folder / CANDIDATE
    if not is_model(folder) or not is_model(candidate):
        return False
    others = [read_files(place) for place in (folder, folder / PREVIOUS) if is_model(place)]
    is_begun = len(set(others)) < len(others)  # by a command that was killed: this one copies no more
    return not is_begun and not any(has(candidate, packed) for packed in others)


def _take_away(folder: Path) -> None:
    """Make the only model the candidate; nothing, if it is."""
    candidate = folder / CANDIDATE
    if not is_model(folder):
        if is_model(candidate):
            return
        raise ModelError(
            f"{folder} has no earlier model, nor one to take away: words judge; scrapy train makes a model"
        )
    _copy(folder, candidate)
    for name in (MODEL.header, MODEL.arrays, REPORT, RECORD):
        (folder / name).unlink(missing_ok=True)


def _are_same(one: Path, other: Path) -> bool:
    return is_model(other) and read_files(one) == read_files(other)


def _forget(place: Path) -> None:
    """Delete a model; one of which a part is left, as this was killed, is none."""
    with suppress(NotADirectoryError):  # who writes a model there will say so
        (place / MODEL.header).unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)


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
