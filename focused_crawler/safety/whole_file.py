"""Files that are there whole or not at all: written beside their place, then put into it in one step."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from threading import get_native_id

UNFINISHED = re.compile(r"\..+\.\d+\.unfinished")
"""The name of a file whose writer was killed, or is at work."""

_DAY = 24 * 3600.0
_MOST = 200
"""Bytes of a file's name in that of its unfinished one: 255 are all that a name may have."""


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Give an empty file to write to, which takes the place of `path` in the end; an error leaves nothing.

    Others may write the same file at the time: each has its own, and the last one wins. A symbolic link stays
    and its target is replaced. Owner and mode stay, too; into a stream goes what is whole. Raises OSError.
    """
    if is_stream(path):
        with TemporaryDirectory() as folder:
            temporary = Path(folder) / path.name
            temporary.touch()
            yield temporary
            with temporary.open("rb") as whole, path.open("ab") as stream:
                copyfileobj(whole, stream)
        return
    path = Path(os.path.realpath(path))
    _tidy(path)
    id = get_native_id()  # of the process, or of its thread
    temporary = path.with_name(f"{_hidden(path)}.{id}.unfinished")
    temporary.unlink(missing_ok=True)
    temporary.touch()
    with suppress(FileNotFoundError):
        _make_like(temporary, path.stat())
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _hidden(path: Path) -> str:
    """Return what the names of a file's unfinished ones begin with."""
    return f".{os.fsencode(path.name)[:_MOST].decode(errors='ignore')}"


def _tidy(path: Path) -> None:
    """Remove what killed writers of a file have left: nobody has written to it for a day."""
    for left in path.parent.glob(f"{escape(_hidden(path))}.*"):
        with suppress(OSError):  # another process tidies up, too
            if UNFINISHED.fullmatch(left.name) and time.time() - left.stat().st_mtime > _DAY:
                left.unlink()


def _make_like(path: Path, other: os.stat_result) -> None:
    """Give a file the owner of another, as root does who writes for a user, and its mode.

    As far as its file system has them: a share or a stick of another system may refuse either.
    """
    with suppress(OSError):
        os.chown(path, other.st_uid, other.st_gid, follow_symlinks=False)
    with suppress(OSError):
        path.chmod(other.st_mode & 0o777)


def is_stream(path: Path) -> bool:
    """Tell whether there is a pipe, a device, or the file that the standard output goes to (/dev/stdout)."""
    if not path.is_file():
        return path.exists() and not path.is_dir()
    try:
        return sys.__stdout__ is not None and os.path.samestat(path.stat(), os.fstat(1))
    except OSError:  # who goes on in the background may have closed it
        return False


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that survives a power cut, whole or not at all; all can read a new one. Raises OSError."""
    with unfinished(path) as temporary:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not path.exists():
            with suppress(OSError):
                temporary.chmod(0o644)
