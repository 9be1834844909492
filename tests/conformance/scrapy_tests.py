"""Run Scrapy's own tests without the add-on, with it, and with a topic beside; compare how each test ends.

    python -m tests.conformance.scrapy_tests [--files test_scheduler.py ...] [--workers 2] [--json FILE]

The tests come with Scrapy's source distribution, of the version that is installed, by pip; so does what
they need beside pytest. What ends otherwise with us and is not in `scrapy_differences.toml` makes the exit
code 1. Tests that start a process of their own are left out: the add-on would not be in it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

import platformdirs

HERE = Path(__file__).parent
MODES = ("stock", "addon", "topic")
NEEDS = ("pytest-twisted", "pyftpdlib", "pyasyncore", "pyasynchat", "sybil", "pexpect", "ptyprocess")
NEEDS += ("pytest-rerunfailures", "testfixtures", "decorator", "greenlet")
OTHERS = ("asyncio", "anyio", "hypothesispytest", "randomly")  # plugins that Scrapy's tests do not know
PROCESSES = re.compile("command|cmdline|subprocess")
CRAWLS = re.compile(rb"get_crawler|Crawler\(|crawl\(")

Outcomes = dict[str, str]


class NotToBeHad(Exception):
    """Scrapy's tests, or what they need, cannot be fetched here."""


def fetch(folder: Path | None = None) -> Path:
    """Return a folder with Scrapy's tests; fetch them if they are not there."""
    release = version("scrapy")
    folder = folder or Path(platformdirs.user_cache_dir("focused-crawler")) / f"scrapy-tests-{release}"
    if (folder / "done").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    _pip("download", "--no-binary", "scrapy", "--no-deps", "-d", str(folder), f"scrapy=={release}")
    _pip("install", "--target", str(folder / "needs"), "--no-deps", *NEEDS)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    (source,) = folder.glob("scrapy-*/")
    if not (source / "tests").is_dir():
        raise NotToBeHad(f"{archive.name} has no tests")
    (source / "scrapy").rename(folder / "unused")  # the installed one is tested
    source.rename(folder / "source")
    (folder / "done").touch()
    return folder


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotToBeHad((done.stderr.strip().splitlines() or ["pip failed"])[-1])


def in_process(folder: Path) -> list[str]:
    """Return the files of tests that crawl, and do so in their own process."""
    files = sorted((folder / "source/tests").glob("test_*.py"))
    return [
        file.name for file in files if not PROCESSES.search(file.name) and CRAWLS.search(file.read_bytes())
    ]


def run(folder: Path, mode: str, files: Sequence[str], workers: int = 0) -> Outcomes:
    """Return how the tests of some files end in a mode."""
    outcomes = folder / f"outcomes-{mode}-{os.getpid()}.json"
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
        "SCRAPY_TESTS_MODE": mode,
        "SCRAPY_TESTS_OUTCOMES": str(outcomes),
        "PYTHONPATH": os.pathsep.join(map(str, (HERE, HERE.parents[1], folder / "needs"))),
    }
    plugins = ["with_addon", "no:cacheprovider", *(f"no:{name}" for name in OTHERS)]
    words = [word for plugin in plugins for word in ("-p", plugin)]
    words += ["-n", str(workers)] if workers else []
    command = [sys.executable, "-m", "pytest", "-q", *words, *(f"tests/{file}" for file in files)]
    done = subprocess.run(
        command, cwd=folder / "source", env=environ, capture_output=True, text=True, check=False
    )
    if not outcomes.exists():
        raise SystemExit(f"{mode}: no test ran\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    found: Outcomes = json.loads(outcomes.read_text())
    outcomes.unlink()
    return found


def differences(stock: Outcomes, ours: Outcomes) -> list[str]:
    """Return the tests that pass without us and not with us."""
    return [name for name, outcome in stock.items() if outcome == "passed" and ours.get(name) != "passed"]


def known(mode: str) -> dict[str, str]:
    """Return the names of tests that may differ in a mode, and why."""
    data = tomllib.loads((HERE / "scrapy_differences.toml").read_text())
    return data["addon"] | (data["topic"] if mode == "topic" else {})


def unknown(names: Iterable[str], reasons: Mapping[str, str]) -> list[str]:
    """Return those of some tests that no reason is given for."""
    return [name for name in names if not any(fnmatchcase(name, pattern) for pattern in reasons)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--files", nargs="*", help="names of files, as test_scheduler.py (default: all that crawl)"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    opts = parser.parse_args()
    try:
        folder = fetch()
    except NotToBeHad as error:
        sys.exit(f"Skipped: Scrapy's own tests cannot be had here ({error})")
    files = opts.files or in_process(folder)
    outcomes = {mode: run(folder, mode, files, opts.workers) for mode in MODES}
    figures: dict[str, float] = {}
    is_worse = False
    for mode in MODES:
        counts = Counter(outcomes[mode].values())
        figures |= {f"{mode}_{outcome}": count for outcome, count in counts.items()}
        print(f"{mode:6} {dict(counts)}")
    for mode in MODES[1:]:
        found = differences(outcomes["stock"], outcomes[mode])
        new = unknown(found, known(mode))
        figures |= {f"{mode}_known": len(found) - len(new), f"{mode}_unknown": len(new)}
        is_worse |= bool(new)
        print(
            f"{mode}: {len(found)} end otherwise, {len(new)} of them for no known reason",
            *new,
            sep="\n  ",
        )
    if opts.json:
        opts.json.write_text(json.dumps({"figures": figures}, indent=1) + "\n")
    sys.exit(is_worse)


if __name__ == "__main__":
    main()
