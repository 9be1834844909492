"""Fetch WordNet into this environment: `python -m focused_crawler.page.text.wordnet_data`.

It asks nltk's own downloader, then takes the files of Debian's package, which apt checks and which is
unpacked, not installed: that needs no rights. WordNet is free to use and to copy with its notice, which
stands at the top of each of its files.
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from focused_crawler.page.text.wordnet import DEBIAN_FOLDER, FILES, SET_UP, find_wordnet
from focused_crawler.safety.printable import say

DEBIAN_PACKAGE = "wordnet-base"
_SECONDS = 120
_ANSWER_SECONDS = 10


def from_nltk(folder: Path) -> Path:
    """Return WordNet as nltk's server has it; nltk comes with the extra "thesaurus"."""
    from nltk.downloader import Downloader  # noqa: PLC0415

    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_ANSWER_SECONDS)
    try:
        Downloader().download("wordnet", download_dir=str(folder), quiet=True, print_error_to=io.StringIO())
    finally:
        socket.setdefaulttimeout(before)
    corpora = folder / "corpora"
    if not (corpora / "wordnet").is_dir():
        shutil.unpack_archive(corpora / "wordnet.zip", corpora)
    return corpora / "wordnet"


def from_debian(folder: Path) -> Path:
    """Return WordNet out of Debian's package, fetched by apt with lists of its own if there are none."""
    own = [f"-oDir::State::Lists={folder}/lists", f"-oDir::Cache={folder}/cache", "-oDebug::NoLocking=1"]
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    try:
        _run(folder, "apt-get", "download", DEBIAN_PACKAGE)
    except subprocess.CalledProcessError:
        _run(folder, "apt-get", *own, "update")
        _run(folder, "apt-get", *own, "download", DEBIAN_PACKAGE)
    (package,) = folder.glob("*.deb")
    _run(folder, "dpkg-deb", "-x", package.name, "unpacked")
    return folder / "unpacked" / DEBIAN_FOLDER.relative_to("/")


WAYS: tuple[tuple[str, Callable[[Path], Path]], ...] = (
    ("nltk's server", from_nltk),
    ("Debian's package", from_debian),
)


def fetch(target: Path) -> str | None:
    """Put WordNet into `target`, whole or not at all; return its source, None if it cannot be fetched."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for name, way in WAYS:
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            try:
                copy(way(Path(folder)), Path(folder, "whole"))
            except (ImportError, OSError, ValueError, shutil.ReadError, subprocess.SubprocessError):
                continue
            shutil.rmtree(target, ignore_errors=True)
            Path(folder, "whole").rename(target)
            return name
    return None


def copy(source: Path, target: Path) -> None:
    """Copy the files that are read; raises OSError if one is missing."""
    target.mkdir()
    for name in FILES:
        shutil.copyfile(source / name, target / name)


def main() -> None:
    """Fetch WordNet, unless it is here; what does not need it goes on without."""
    if find_wordnet() is not None:
        say("WordNet is here.")
        return
    try:
        source = fetch(Path(sys.prefix, "nltk_data", "corpora", "wordnet"))
    except OSError as error:
        source = None
        say(f"{error.filename}: {error.strerror}")
    if source is None:
        tried = ", ".join(name for name, _ in WAYS)
        say(f"WordNet could not be fetched (tried: {tried}); for semantic strategies, later type: {SET_UP}")
    else:
        say(f"WordNet is here, from {source}.")


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603


if __name__ == "__main__":
    main()
