"""The public face of a checkout: commands, options, settings, strategies, errors, files; and two compared.

    python tests/quality/inventory.py --json after.json    # of the checkout that is the working folder
    python tests/quality/inventory.py --compare before.json after.json [--renamed OLD=NEW]...

It knows no module by its path but those that users may have typed: the rest comes out of Scrapy and of real
commands on the demo web (inventory.toml). `--compare` prints Markdown and exits with 1 if anything is lost.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy
from scrapy import Spider
from scrapy.addons import AddonManager
from scrapy.cmdline import ScrapyArgumentParser, _get_commands_from_module
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings

Items = dict[str, dict[str, str]]
"""Kind -> name -> what there is to say of it, such as a default."""

PACKAGE = "focused_crawler"
MOST_KEYS = 150  # a dictionary of more is data, such as a vocabulary, and no format
COMMANDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
WORK, WRONG = (COMMANDS[kind].strip().format(**COMMANDS["values"]).splitlines() for kind in ("work", "wrong"))
TABLES = ("meta key", "meta"), ("stat", "stats"), ("documented setting", "settings"), ("metric", "metrics")


def inventory(checkout: Path) -> Items:
    """Return all that a user of a checkout can type, read or lose."""
    items: Items = defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        shutil.copy(checkout / "scrapy.cfg", work)
        inside = _run(checkout, work, sys.executable, str(Path(__file__).resolve()), "--inside")
        items.update(json.loads(inside.stdout))
        assert Path(items["about"].pop("package")).is_relative_to(checkout), "another checkout is installed"
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            _record(items, "exit code", checkout, work, *WORK[:2])  # a web and a topic for all that follow
            jobs = [pool.submit(_record, items, "exit code", checkout, work, *WORK[2:])]
            for number, command in enumerate(WRONG):
                alone = work / f"wrong/{number}"
                alone.mkdir(parents=True)
                for name in ("webs", "own"):
                    (alone / name).symlink_to(work / name)
                jobs.append(pool.submit(_record, items, "error", checkout, alone, command))
        for job in jobs:
            job.result()
        for kind, part in COMMANDS["listed"].items():
            message = next(said for command, said in items["error"].items() if part in command)
            names = re.findall(r"use (?:one of )?([a-z_, ]+)", message)[-1]
            items[kind] = dict.fromkeys(names.split(", "), "")
        for path in sorted(work.rglob("*")):
            name = re.sub(r"[0-9a-f]{8,}", "*", str(path.relative_to(work)))
            if path.is_file() and not re.match(r"wrong/|scrapy.cfg|.*-(wal|shm)$", name):
                items["file"][name] = path.suffix
                items["file format"] |= {f"{name}: {part}": value for part, value in shape(path)}
    git = _run(checkout, checkout, "git", "describe", "--always", "--dirty")
    items["about"]["commit"] = git.stdout.strip()
    for kind, page in TABLES:
        for path in (checkout / "docs").rglob(f"{page}.md"):
            items[kind] |= dict(documented(path.read_text()))
    return items


def _run(checkout: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder with the package of a checkout, and no other."""
    unwanted = ("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE", "FOCUSED_FRONTIER", "FOCUSED_DATABASE")
    wanted = {"PYTHONPATH": str(checkout), "COLUMNS": "1000", "OPENBLAS_NUM_THREADS": "1"}
    env = {name: value for name, value in os.environ.items() if name not in unwanted} | wanted
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, input="", check=False)


def _record(items: Items, kind: str, checkout: Path, folder: Path, *commands: str) -> None:
    """Run commands of Scrapy; of one that fails, keep the last line and what it left behind."""
    for command in commands:
        done = _run(checkout, folder, str(Path(sys.executable).with_name("scrapy")), *shlex.split(command))
        said = str(done.returncode)
        if done.returncode or kind == "error":
            lines = [*done.stdout.splitlines(), *done.stderr.splitlines()] or [""]
            said += f": {lines[-1].strip()}" + "; a traceback" * ("Traceback" in done.stderr)
            left = sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if not one.is_symlink())
            said += f"; left: {' '.join(left)}" * (kind == "error" and bool(left))
        said = said.replace(str(folder), "HERE").replace(str(checkout), "CHECKOUT")
        items[kind][command] = re.sub(r"\d{4}-\d\d-\d\d [\d:]+|0x[0-9a-f]+|\S*/tmp\w{8}(?=/)", "*", said)


def inside() -> Items:
    """Return what Scrapy knows of the project whose scrapy.cfg is here."""
    items: Items = defaultdict(dict)
    items["about"]["package"] = str(load_object(PACKAGE + ".__file__"))
    settings = get_project_settings()
    for name, command in _get_commands_from_module(settings["COMMANDS_MODULE"], True).items():
        parser = ScrapyArgumentParser(conflict_handler="resolve")
        usage = command.syntax()  # first, as Scrapy does: an entry becomes its command
        command.settings = settings.copy()
        command.add_options(parser)
        items["command"][name] = f"{command.short_desc()} ({usage})"
        for part in re.split(r" \| ", usage):
            if found := re.match(r"[a-z]+\b(?!\S)", part):
                items["subcommand"][f"{name} {found[0]}"] = part
        for action in parser._actions:
            option = f"{name} {' '.join(action.option_strings)}"
            values = (type(action).__name__, action.default, action.metavar, action.nargs, action.choices)
            items["option"][option] = " ".join(map(str, values))
            items["help of an option"][option] = action.help or ""
    for topic in ("", "asthma"):  # without one, spiders are fetched for safely and no more
        given = settings.copy()
        given.set("FOCUSED_TOPIC", topic, priority="cmdline")
        crawler = Crawler(Spider, given)
        AddonManager(crawler).load_settings(crawler.settings)
        for name, value in crawler.settings.items():
            kind = "setting" if name.startswith("FOCUSED_") else "setting of Scrapy"
            if isinstance(value, BaseSettings) and not name.endswith("_BASE"):
                items["component"] |= {f"{name} {_plain(one)}": _plain(order) for one, order in value.items()}
            elif crawler.settings.getpriority(name) and not isinstance(value, BaseSettings):
                items[kind].setdefault(name, _plain(value))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in COMMANDS["paths_before"].split():
            with suppress(ImportError, NameError):
                load_object(f"{PACKAGE}.{path}")
                items["import path"][path] = ""
    return items


def _plain(value: Any) -> str:
    """Return a value without the module that a class lives in now."""
    return value.__name__ if isinstance(value, type) else repr(value)


def shape(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the parts of a file and what they are: keys and types, columns, tables, headings."""
    if path.read_bytes().startswith(b"SQLite format 3"):
        yield from _tables(path)
    elif path.suffix in {".json", ".toml"}:
        yield from _keys((json if path.suffix == ".json" else tomllib).loads(path.read_text()))
    elif path.suffix == ".jsonl":
        yield from _keys([json.loads(line) for line in path.read_text().splitlines()])
    elif path.suffix == ".csv":
        yield from ((column, "column") for column in next(csv.reader(path.read_text().splitlines()), ()))
    elif path.suffix in {".npz", ".npy"}:
        loaded = numpy.load(path)
        arrays = loaded if path.suffix == ".npz" else {"array": loaded}
        yield from ((name, f"{arrays[name].dtype.kind}, {arrays[name].ndim} axes") for name in arrays)
    elif path.suffix == ".html":
        headings = re.findall(r"<h[1-6].*?>(.*?)</h", path.read_text(), re.DOTALL)
        yield from ((" ".join(re.sub("<.*?>", "", heading).split()), "heading") for heading in headings)
    elif path.name.endswith(".warc.gz"):
        records = gzip.decompress(path.read_bytes())
        fields = set(re.findall(rb"^WARC-(?:Type: \w+|[\w-]+)", records, re.MULTILINE))
        yield from ((field.decode(), "field") for field in fields)


def _keys(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys of nested dictionaries, with all types that their values have."""
    found: dict[str, set[str]] = defaultdict(set)
    todo = [("", value)]
    while todo:
        where, one = todo.pop()
        found[where].add(type(one).__name__)
        if isinstance(one, dict) and len(one) <= MOST_KEYS:
            todo += [(f"{where}.{key}", part) for key, part in one.items()]
        elif isinstance(one, list):
            todo += [(f"{where}[]", part) for part in one]
    yield from ((name, " or ".join(sorted(types))) for name, types in found.items() if name)


def _tables(path: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        yield "user_version", str(database.execute("PRAGMA user_version").fetchone()[0])
        for kind, name, sql in database.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
            definition = " ".join((sql or "").split())
            yield f"{kind} {name}", definition.rpartition(")")[2] if kind == "table" else definition
            for _, *about in database.execute(f"PRAGMA table_xinfo({name})") if kind == "table" else ():
                yield f"{name}.{about[0]}", "{1} not null {2} default {3} key {4} hidden {5}".format(*about)


def documented(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in the first column of a page's tables, and the second column where it says no more."""
    for names, about in re.findall(r"^\| (`.*?) \| (.*?) \|", text, re.MULTILINE):
        yield from ((name, about if len(about) < 40 else "") for name in re.findall(r"`(.+?)`", names))


def compare(before: Items, after: Items, renamed: Mapping[str, str]) -> list[str]:
    """Return the lines of a report in Markdown."""
    commits = " | ".join(f"{which['about']['commit']}" for which in (before, after))
    table = [f"| kind | {commits} | lost | renamed | new | changed |", "| --- " + "| --: " * 6 + "|"]
    details: list[str] = []
    for kind in sorted({*before, *after} - {"about"}):
        old, new = before.get(kind, {}), after.get(kind, {})
        called = {name: name if name in new else _renamed(name, renamed) for name in old}
        lost = [f"- lost: `{name}`" for name in old if called[name] not in new]
        kept = [name for name in old if called[name] in new]
        moved = [f"- renamed: `{name}` -> `{called[name]}`" for name in kept if called[name] != name]
        more = [f"- new: `{name}`" for name in new if name not in called.values()]
        pairs = [(name, old[name], new[called[name]]) for name in kept]
        changed = [f"- changed: `{name}`: `{was}` -> `{now}`" for name, was, now in pairs if was != now]
        groups = (lost, moved, more, changed)
        table.append(f"| {kind} | " + " | ".join(str(len(one)) for one in (old, new, *groups)) + " |")
        details += ["", f"## {kind}", "", *lost, *moved, *more, *changed] if any(groups) else []
    return table + details


def _renamed(name: str, renamed: Mapping[str, str]) -> str:
    return re.sub(r"[\w-]+", lambda word: renamed.get(word[0], word[0]), name)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the inventory of this checkout")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"), help="two such files")
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW", help="a word in names")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        print(json.dumps(inside()))
    elif given.compare:
        old, new = (json.loads(path.read_text()) for path in given.compare)
        lines = compare(old, new, dict(pair.split("=", 1) for pair in given.renamed))
        print(*lines, sep="\n")
        sys.exit(any(line.startswith("- lost") for line in lines))
    elif given.json:
        given.json.write_text(json.dumps(inventory(Path.cwd()), indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
