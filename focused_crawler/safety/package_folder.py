"""A package of the project that holds files instead of code, as a folder on the disk."""

from __future__ import annotations

import multiprocessing.util
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import util
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import platformdirs

from focused_crawler.safety.errors import TopicError

PREFIX = "unpacked-egg-"
UNUSED_SECONDS = 30 * 24 * 3600.0


@cache
def package_folder(name: str) -> Path:
    """Return the folder of a top-level package; raises `TopicError` outside a project.

    Out of a zip (a scrapyd egg) it is unpacked once for all processes, to the user's cache; where that cannot
    be written, to a folder that lives as long as the process.
    """
    spec = util.find_spec(name)
    if spec is None or spec.origin is None:
        raise TopicError(f"no {name} package here; run this in the project's folder (scrapy.cfg lies there)")
    egg = getattr(spec.loader, "archive", None)  # what a zipimporter reads
    return Path(spec.origin).parent if egg is None else _unpacked(egg, name)


def is_unpacked(path: Path) -> bool:
    """Tell whether a path lies in an unpacked folder."""
    return any(part.startswith(PREFIX) for part in path.parts)


def check_lasts(path: Path) -> None:
    """Raise `TopicError` for a place in an unpacked folder: what is written there is lost some day."""
    if is_unpacked(path):
        raise TopicError(
            f"{path.parent.name} was deployed in an egg, where nothing can be kept; let"
            " -s FOCUSED_MODELS=FOLDER name a place that stays, or change the project and deploy it again"
        )


def _unpacked(egg: str, name: str) -> Path:
    with ZipFile(egg) as archive:
        members = [member for member in archive.infolist() if member.filename.startswith(f"{name}/")]
        try:
            return _kept(archive, members) / name
        except OSError:  # no home, or one that cannot be written
            folder = tempfile.mkdtemp(prefix=PREFIX)
            multiprocessing.util.Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
            archive.extractall(folder, members)
            return Path(folder, name)


def _kept(archive: ZipFile, members: Sequence[ZipInfo]) -> Path:
    """Return the folder in the user's cache where these files are; its name says what they hold."""
    cache_folder = platformdirs.user_cache_path("focused_crawler") / "eggs"
    digest = sha256(repr([(member.filename, member.CRC) for member in members]).encode()).hexdigest()
    target = cache_folder / f"{PREFIX}{digest[:16]}"
    if not target.is_dir():
        cache_folder.mkdir(parents=True, exist_ok=True)
        _forget_unused(cache_folder)
        with tempfile.TemporaryDirectory(dir=cache_folder) as scratch:
            whole = Path(scratch, target.name)
            archive.extractall(whole, members)
            _move(whole, target)
    os.utime(target)
    return target


def _move(whole: Path, target: Path) -> None:
    try:
        whole.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was faster
            raise


def _forget_unused(cache_folder: Path) -> None:
    for folder in cache_folder.glob(f"{PREFIX}*"):
        if folder.stat().st_mtime < time.time() - UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
