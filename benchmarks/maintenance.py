"""What maintenance finds: a crawl of a web that changes, gone on with month after month.

    .venv/bin/python benchmarks/maintenance.py [--topic astronomy] [--months 3] [--share 0.5]

The web is the demo web, of which each month another state is written (changing_web.py). The first run has a
budget of --pages; each later one gets --more fetches, of which a share is revisits. Between two runs all
times in the database are moved back by a month. What is found is compared with what as many revisits in
random order would find: the same share of it as there is among all the pages that might have been revisited.
Relevant are the pages of the web's ground truth; the crawl does not know it.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.changing_web import ChangingWeb

MONTH = 30 * 86400.0
ROOT = Path(__file__).resolve().parent.parent


class Compared(NamedTuple):
    """A number of revisits, and what it would be in random order."""

    found: int
    by_chance: float

    def __str__(self) -> str:
        return f"{self.found} ({self.by_chance:.1f})"


class Known(NamedTuple):
    """A page that might be revisited."""

    url: str
    is_relevant: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one run came to."""

    month: int
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
        found = list(_history(Path(folder), options))
    _print(found, options.share)
    if options.json:
        options.json.write_text(json.dumps({"figures": _figures(found)}, indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topic", default="astronomy")
    parser.add_argument("--pages", type=int, default=400, help="of the first run")
    parser.add_argument("--more", type=int, default=200, help="fetches of each later run")
    parser.add_argument("--months", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _history(folder: Path, options: argparse.Namespace) -> list[Found]:
    web = ChangingWeb(folder)
    budget, found = options.pages, []
    _crawl(folder, web, options, budget)
    database = folder / f"crawls/{options.topic}/mine/crawl.db"
    for _ in range(options.months):
        _move_back(database)
        rows = _rows(database, "SELECT url, coalesce(is_target, 0) FROM pages WHERE duplicate_of IS NULL")
        web.pass_month()
        budget += options.more
        _crawl(folder, web, options, budget)
        found.append(_look(database, web, [Known(*row) for row in rows]))
    return found


def _crawl(folder: Path, web: ChangingWeb, options: argparse.Namespace, pages: int) -> None:
    arguments = {"topic": web.topics / options.topic, "job": "mine", "pages": pages, "profile": "offline"}
    settings = {
        "FOCUSED_WEB": web.path,
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_MODELS": folder / "models",
        "FOCUSED_REVISIT_SHARE": options.share,
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
        month=web.month,
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


def _print(found: list[Found], share: float) -> None:
    table = Table(title=f"A share of {share:g} goes to revisits (in brackets: in random order)")
    columns = (
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
    )
    for name in columns:
        table.add_column(name, justify="right")
    for run in found:
        fetched = (run.month, run.pages, run.relevant, run.fresh, run.revisits)
        table.add_row(
            *map(str, (*fetched, run.changed, run.relevant_changed, run.lists, run.gone, run.spared))
        )
    Console().print(table)


def _figures(found: list[Found]) -> dict[str, float]:
    fetches = sum(run.pages + run.revisits for run in found)
    return {
        "maintenance_share": sum(run.revisits for run in found) / fetches,
        "maintenance_changed_gain": _gain([run.changed for run in found]),
        "maintenance_relevant_gain": _gain([run.relevant_changed for run in found]),
        "maintenance_lists_gain": _gain([run.lists for run in found]),
        "maintenance_fresh_pages": float(sum(run.fresh for run in found)),
    }


def _gain(compared: list[Compared]) -> float:
    """Return how often as much was found as in random order."""
    by_chance = sum(each.by_chance for each in compared)
    return sum(each.found for each in compared) / by_chance if by_chance else 0.0


if __name__ == "__main__":
    main()
