"""Brings WordNet to where nltk looks in this environment: `python -m focused_crawler.page.text.wordnet_data`.

It asks nltk's own downloader, then takes Debian's files: those that are installed, else those of Debian's
packages, which apt checks and which are unpacked, not installed: that needs no rights. WordNet is free to use
and to copy with its notice, which stands at the top of each of its files.
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

from nltk.data import find
from nltk.downloader import Downloader

from focused_crawler.page.text.wordnet import SET_UP

DEBIAN_FOLDER = Path("/usr/share/wordnet")
DEBIAN_PACKAGES = ("wordnet-base", "wordnet-sense-index")
PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
FILES = (
    "cntlist.rev",
    "index.sense",
    *(name for part in PARTS_OF_SPEECH for name in (f"data.{part}", f"index.{part}", f"{part}.exc")),
)
_SECONDS = 120
_ANSWER_SECONDS = 10

# "lexnames", a file of WordNet that Debian leaves out: lexnames(5WN), in the order of its numbers.
LEXICOGRAPHER_FILES = """
    adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body
    noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive
    noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity
    noun.relation noun.shape noun.state noun.substance noun.time verb.body verb.change verb.cognition
    verb.communication verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion
    verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl
"""


def from_nltk(folder: Path) -> Path:
    """Return WordNet as nltk's server has it."""
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


def from_debian_folder(folder: Path) -> Path:
    """Return WordNet as Debian's packages install it."""
    return DEBIAN_FOLDER


def from_debian_packages(folder: Path) -> Path:
    """Return WordNet out of Debian's packages, fetched by apt with lists of its own if there are none."""
    own = [f"-oDir::State::Lists={folder}/lists", f"-oDir::Cache={folder}/cache", "-oDebug::NoLocking=1"]
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    try:
        _run(folder, "apt-get", "download", *DEBIAN_PACKAGES)
    except subprocess.CalledProcessError:
        _run(folder, "apt-get", *own, "update")
        _run(folder, "apt-get", *own, "download", *DEBIAN_PACKAGES)
    for package in folder.glob("*.deb"):
        _run(folder, "dpkg-deb", "-x", package.name, "unpacked")
    return folder / "unpacked" / DEBIAN_FOLDER.relative_to("/")


WAYS: tuple[tuple[str, Callable[[Path], Path]], ...] = (
    ("nltk's server", from_nltk),
    (str(DEBIAN_FOLDER), from_debian_folder),
    ("Debian's packages", from_debian_packages),
)


def bring(target: Path) -> str | None:
    """Put WordNet into `target`, whole or not at all; return where it is from, None if it cannot be had."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for name, way in WAYS:
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            try:
                copy(way(Path(folder)), Path(folder, "whole"))
            except (OSError, ValueError, shutil.ReadError, subprocess.SubprocessError):
                continue
            shutil.rmtree(target, ignore_errors=True)
            Path(folder, "whole").rename(target)
            return name
    return None


def copy(source: Path, target: Path) -> None:
    """Copy the files that nltk reads; raises OSError if one is missing. Debian's lack `lexnames`."""
    target.mkdir()
    for name in FILES:
        shutil.copyfile(source / name, target / name)
    lines = [
        f"{number:02}\t{name}\t{PARTS_OF_SPEECH.index(name.partition('.')[0]) + 1}\n"
        for number, name in enumerate(LEXICOGRAPHER_FILES.split())
    ]
    (target / "lexnames").write_text("".join(lines))


def is_here() -> bool:
    """Tell whether nltk finds WordNet."""
    try:
        find("corpora/wordnet")
    except LookupError:
        return False
    return True


def main() -> None:
    """Bring WordNet, unless it is here; what does not need it goes on without."""
    if is_here():
        print("WordNet is here.")
        return
    try:
        source = bring(Path(sys.prefix, "nltk_data", "corpora", "wordnet"))
    except OSError as error:
        source = None
        print(f"{error.filename}: {error.strerror}")
    if source is None:
        tried = ", ".join(name for name, _ in WAYS)
        print(f"WordNet could not be had (tried: {tried}); for semantic strategies, later type: {SET_UP}")
    else:
        print(f"WordNet is here, from {source}.")


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603


if __name__ == "__main__":
    main()
