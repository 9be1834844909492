"""A package of the project that holds files instead of code, as a folder on the disk."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from focused_crawler.errors import TopicError


@cache
def package_folder(name: str) -> Path:
    """Return the folder of a top-level package; raises `TopicError` outside a project.

    Out of a zip (a scrapyd egg) it is copied to a folder that lives as long as the process.
    """
    try:
        root = resources.files(name)
    except ModuleNotFoundError:
        raise TopicError(
            f"no {name} package here; run this in the project's folder (scrapy.cfg lies there)"
        ) from None
    return root if isinstance(root, Path) else _unpacked(root, name)


def _unpacked(root: Traversable, name: str) -> Path:
    target = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    atexit.register(shutil.rmtree, target, ignore_errors=True)
    _copy(root, target)
    return target


def _copy(source: Traversable, target: Path) -> None:
    for entry in source.iterdir():
        if entry.is_dir():
            (target / entry.name).mkdir()
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())
