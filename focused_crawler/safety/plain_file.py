"""Files that are read whole: a pipe would be waited for without end, and a device has no end."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO


def open_plain(path: Path) -> BinaryIO:
    """Open a file for reading; raises OSError, also for all that is no plain file."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - Path.open has no opener
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is a pipe or a device, no plain file", str(path))
    return file


def read_plain(path: Path, most: int = sys.maxsize) -> bytes:
    """Return what a file holds; raises OSError as `open_plain` does, and for more than `most` bytes."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", str(path))
        return file.read()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # Windows has none, and no pipes in folders
