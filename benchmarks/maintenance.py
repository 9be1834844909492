"""What maintenance finds: a crawl of a web that changes, gone on with month after month.

    .venv/bin/python benchmarks/maintenance.py [--topics astronomy,cooking] [--months 3]

The web is the demo web, of which each month another state is written (changing_web.py). The first run has a
budget of --pages; each later one gets --more fetches, of which a share is revisits. Between two runs all
times in the database are moved back by a month. What is found is compared with what as many revisits in
random order would find: the same share of it as there is among all the pages that might have been revisited.
Relevant are the pages of the web's ground truth; the crawl does not know it. Numbers are sums over topics.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.changing_web import ChangingWeb

MONTH = 30 * 86400.0
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of revisits, and what it would be in random order."""

    found: int
    by_chance: float

    def __add__(self, other: Compared) -> Compared:
        return Compared(self.found + other.found, self.by_chance + other.by_chance)

    @property
    def gain(self) -> float:
        """Return how often as many were found as in random order."""
        return self.found / self.by_chance if self.by_chance else 0.0

    def __str__(self) -> str:
        return f"{self.found} ({self.by_chance:.1f})"


class Known(NamedTuple):
    """A page that might be revisited."""

    url: str
    is_relevant: int


class Found(NamedTuple):
    """What a run came to, or several."""

    pages: int  # new ones
    relevant: int  # of these
    fresh: int  # of these, pages that are new on the web
    revisits: int
    changed: Compared
    relevant_changed: Compared
    lists: Compared  # pages that list a new article
    gone: int
    spared: int  # unchanged, of pages with a tag or a date


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        found = [_sum(runs) for runs in _history(Path(folder), options)]
    _print(found, options.share)
    if options.json:
        options.json.write_text(json.dumps({"figures": _figures(found)}, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topics", default="astronomy,cooking,finance,football,gardening")
    parser.add_argument("--pages", type=int, default=400, help="of the first run")
    parser.add_argument("--more", type=int, default=200, help="fetches of each later run")
    parser.add_argument("--months", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _history(folder: Path, options: argparse.Namespace) -> Iterator[list[Found]]:
    """Yield what the run of each topic came to, month after month."""
    web, topics = ChangingWeb(folder), options.topics.split(",")
    databases = {topic: folder / f"crawls/{topic}/mine/crawl.db" for topic in topics}
    for topic in topics:
        _crawl(folder, web, topic, options.share, options.pages)
    for month in range(1, options.months + 1):
        web.pass_month()
        found = []
        for topic, database in databases.items():
            _move_back(database)
            rows = _rows(database, "SELECT url, coalesce(is_target, 0) FROM pages WHERE duplicate_of IS NULL")
            _crawl(folder, web, topic, options.share, options.pages + month * options.more)
            found.append(_look(database, web, [Known(*row) for row in rows]))
        yield found


def _crawl(folder: Path, web: ChangingWeb, topic: str, share: float, pages: int) -> None:
    arguments = {"topic": web.topics / topic, "job": "mine", "pages": pages, "profile": "offline"}
    settings = {
        "FOCUSED_WEB": web.path,
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_MODELS": folder / "models",
        "FOCUSED_REVISIT_SHARE": share,
        "LOG_LEVEL": "ERROR",
    }
    words = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    words += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    subprocess.run([Path(sys.executable).parent / "scrapy", "crawl", "topic", *words], cwd=ROOT, check=True)


def _rows(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def _move_back(database: Path) -> None:
    """Let a month pass."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for table, column in (("pages", "fetched_at"), ("pages", "checked_at"), ("revisits", "visited_at")):
            connection.execute(f"UPDATE {table} SET {column} = {column} - ?", (MONTH,))


def _look(database: Path, web: ChangingWeb, known: list[Known]) -> Found:
    run = "(SELECT max(id) FROM runs)"
    new = _rows(database, f"SELECT url, coalesce(is_target, 0) FROM pages WHERE run = {run}")
    seen = _rows(
        database,
        "SELECT url, outcome, etag IS NOT NULL OR last_modified IS NOT NULL FROM revisits"
        f" JOIN pages ON position = page WHERE revisits.run = {run}",
    )
    outcomes = [outcome for _, outcome, _ in seen]
    revisited = {url for url, _, _ in seen}

    def compared(is_wanted: Callable[[Known], bool]) -> Compared:
        wanted = [page.url for page in known if is_wanted(page)]
        return Compared(sum(url in revisited for url in wanted), len(wanted) / len(known) * len(seen))

    return Found(
        pages=len(new),
        relevant=sum(is_relevant for _, is_relevant in new),
        fresh=sum(url in web.new for url, _ in new),
        revisits=len(seen),
        changed=compared(lambda page: page.url in web.changed),
        relevant_changed=compared(lambda page: page.url in web.changed and bool(page.is_relevant)),
        lists=compared(lambda page: page.url in web.grown),
        gone=outcomes.count("gone"),
        spared=sum(outcome == "unchanged" and bool(told) for _, outcome, told in seen),
    )


def _sum(runs: list[Found]) -> Found:
    """Add up what several runs came to."""
    return Found(*(reduce(add, values) for values in zip(*runs, strict=True)))


def _print(months: list[Found], share: float) -> None:
    table = Table(title=f"A share of {share:g} goes to revisits (in brackets: in random order)")
    for name in (
        "month",
        "new pages",
        "relevant",
        "new on the web",
        "revisits",
        "changed",
        "relevant and changed",
        "lists that grew",
        "gone",
        "answered by 304",
    ):
        table.add_column(name, justify="right")
    for month, found in enumerate(months, start=1):
        table.add_row(str(month), *map(str, found))
    Console().print(table)


def _figures(months: list[Found]) -> dict[str, float]:
    found = _sum(months)
    return {
        "maintenance_share": found.revisits / (found.pages + found.revisits),
        "maintenance_changed_gain": found.changed.gain,
        "maintenance_relevant_gain": found.relevant_changed.gain,
        "maintenance_lists_gain": found.lists.gain,
        "maintenance_fresh_pages": float(found.fresh),
    }


if __name__ == "__main__":
    main()
