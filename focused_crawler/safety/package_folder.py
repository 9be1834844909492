"""The folders of files that come with the package, on the disk: topics, the category tree, profiles."""

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

PACKAGE = __name__.partition(".")[0]
SHIPPED = "shipped"
_HOME = Path(__file__).parents[1] / SHIPPED
PREFIX = "unpacked-egg-"
UNUSED_SECONDS = 30 * 24 * 3600.0


@cache
def package_folder(name: str, package: str = PACKAGE) -> Path:
    """Return the folder `name` that came with a package: inside it, or beside it in a checkout.

    Out of a zip (a scrapyd egg) it is unpacked once for all processes, to the user's cache; where that cannot
    be written, to a folder that lives as long as the process.
    """
    spec = util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    egg = getattr(spec.loader, "archive", None)  # what a zipimporter reads
    if egg is not None:
        return _unpacked(egg, f"{package}/{SHIPPED}/{name}")
    home = Path(spec.origin).parent
    inside = home / SHIPPED / name
    return inside if inside.is_dir() else home.parent / name


def is_unpacked(path: Path) -> bool:
    """Tell whether a path lies in an unpacked folder."""
    return any(part.startswith(PREFIX) for part in path.parts)


def is_installed(path: Path) -> bool:
    """Tell whether a path lies in what `pip install` wrote, which the next one writes anew.

    In a checkout the topics are not in the package: there all may be written.
    """
    return path.is_relative_to(_HOME) and (_HOME / "topics").is_dir()


def check_lasts(path: Path) -> None:
    """Raise `TopicError` for a place in what was installed or deployed: what is written there is lost."""
    if is_installed(path):
        kind, *inner = path.relative_to(_HOME).parts
        source = _HOME / Path(kind, *inner[: kind == "topics"])
        cure = "topics/" if kind == "topics" else f". and name it with -s FOCUSED_TAXONOMY={kind}"
        raise TopicError(
            f"{source.name} came with the package, where nothing can be kept; make one of your own with"
            f" cp -r {source} {cure}, or let -s FOCUSED_MODELS=FOLDER name a place for models"
        )
    if is_unpacked(path):
        raise TopicError(
            f"{path.parent.name} was deployed in an egg, where nothing can be kept; let"
            " -s FOCUSED_MODELS=FOLDER name a place that stays, or change the project and deploy it again"
        )


def _unpacked(egg: str, name: str) -> Path:
    with ZipFile(egg) as archive:
        members = [one for one in archive.infolist() if one.filename.startswith(f"{name}/")]
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
