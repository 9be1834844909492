"""What the machine gives a crawl: versions, extras, disk."""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from focused_crawler.crawl.doctor.finding import ERROR, OK, WARNING, Finding
from focused_crawler.safety.extras import EXTRAS, is_here
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import printable

PACKAGES = ("focused-crawler", "Scrapy", "Twisted", "numpy", "scipy")
GIB = 1024**3
FULL, LITTLE = GIB // 4, 5 * GIB
"""Bytes free: an error below the first, a warning below the second."""


def check_versions() -> Finding:
    """Name the versions that a report of a problem should name."""
    found = [f"Python {platform.python_version()}", *filter(None, map(_version, PACKAGES))]
    return Finding("versions", OK, ", ".join(found))


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # a checkout that was not installed
        return ""


def check_extras() -> Finding:
    """Name the extras that are installed; one that is missing is no fault."""
    here = [extra for extra in EXTRAS if is_here(extra)]
    missing = [extra for extra in EXTRAS if extra not in here]
    text = f"installed: {', '.join(here) or 'none'}"
    if missing:
        text += f"; not installed, and needed only for what they are for: {', '.join(missing)}"
    return Finding("extras", OK, text)


def check_disk(crawls: Path) -> Finding:
    """Measure the space under the folder of crawls, and try to write there."""
    folder = next(path for path in (crawls.absolute(), *crawls.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
    except OSError as error:
        cure = "let it be written to, or name another with -s FOCUSED_CRAWLS=FOLDER"
        return Finding(
            "disk", ERROR, f"{printable(str(folder))} cannot be written to: {error.strerror}", cure
        )
    return disk_finding(folder, shutil.disk_usage(folder).free)


def disk_finding(folder: Path, free: int) -> Finding:
    """Judge the space that is left.

    >>> disk_finding(Path("/crawls"), 10**8).state, disk_finding(Path("/crawls"), 10**12).text
    ('error', '931.3 GiB free in /crawls')
    """
    text = f"{free / GIB:.1f} GiB free in {printable(str(folder))}"
    if free >= LITTLE:
        return Finding("disk", OK, text)
    cure = "free some space, or name a folder on another disk with -s FOCUSED_CRAWLS=FOLDER"
    return Finding("disk", ERROR if free < FULL else WARNING, text, cure)


SKEW = 300.0
"""Seconds by which clocks may differ: more, and pages are asked for again too early or too late."""


def check_clock(skews: dict[str, float]) -> Iterator[Finding]:
    """Compare our clock with those of the servers that answered (host -> seconds that it is ahead of us).

    The median counts: one server may be wrong. Nothing is found where nobody has answered.
    """
    if not skews:
        return
    median = sorted(skews.values())[len(skews) // 2]
    of = plural(len(skews), "server")
    if abs(median) <= SKEW:
        yield Finding("clock", OK, f"agrees with {of} to {abs(median):.0f} s")
    else:
        text = f"is {abs(median):.0f} s {'behind' if median > 0 else 'ahead'} of {of}"
        yield Finding("clock", WARNING, text, "set this machine's clock, as by NTP")
