"""What maintenance finds: a crawl of a web that changes, gone on with month after month.

    .venv/bin/python benchmarks/study.py maintenance [--topics astronomy,cooking] [--months 3]

The web is the demo web, of which each month another state is written (changing_web.py). The first run has a
budget of --pages; each later one gets --more fetches, of which a share is revisits. Between two runs all
times in the database are moved back by a month. What is found is compared with what as many revisits in
random order would find: the same share of it as there is among all the pages that might have been revisited.
Relevant are the pages of the web's ground truth; the crawl does not know it. Numbers are sums over topics.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

from benchmarks.harness import Report, temporary_folder
from benchmarks.studies.changing_web import ChangingWeb, crawl
from benchmarks.tables import Rows

MONTH = 30 * 86400.0


def measure(
    *,
    topics: str = "astronomy,cooking,finance,football,gardening",
    pages: Annotated[int, "of the first run"] = 400,
    more: Annotated[int, "fetches of each later run"] = 200,
    months: int = 3,
    share: Annotated[float, "of these that goes to revisits"] = 0.5,
) -> Report:
    """Crawl, and go on with the crawl month after month."""
    with temporary_folder() as folder:
        rows = Rows(_history(folder, topics.split(","), pages, more, months, share))
    sums = {name: rows.measure(name).sum for name in rows[0] if name != "topic"}
    figures = {"maintenance_share": sums["revisits"] / (sums["pages"] + sums["revisits"])}
    for kind, name in (("changed", "changed"), ("relevant_changed", "relevant"), ("lists", "lists")):
        by_chance = sums[f"{kind}_chance"]
        figures[f"maintenance_{name}_gain"] = sums[kind] / by_chance if by_chance else 0.0
    return Report({"months": rows}, figures)


def _history(
    folder: Path, topics: list[str], pages: int, more: int, months: int, share: float
) -> Iterator[dict[str, object]]:
    """Yield what the run of each topic came to, month after month."""
    web, settings = ChangingWeb(folder), {"FOCUSED_REVISIT_SHARE": share}
    databases = {topic: folder / f"crawls/{topic}/mine/crawl.db" for topic in topics}
    for topic in topics:
        crawl(folder, web, topic, "mine", pages, settings)
    for month in range(1, months + 1):
        web.pass_month()
        for topic, database in databases.items():
            _move_back(database)
            rows = _rows(database, "SELECT url, coalesce(is_target, 0) FROM pages WHERE duplicate_of IS NULL")
            crawl(folder, web, topic, "mine", pages + month * more, settings)
            yield {"month": month, "topic": topic, **_look(database, web, dict(rows))}


def _rows(database: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def _move_back(database: Path) -> None:
    """Let a month pass."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for table, column in (("pages", "fetched_at"), ("pages", "checked_at"), ("revisits", "visited_at")):
            connection.execute(f"UPDATE {table} SET {column} = {column} - ?", (MONTH,))


def _look(database: Path, web: ChangingWeb, known: dict[str, int]) -> dict[str, float]:
    """Return what a run came to, and what as many revisits in random order would find.

    `known`: URL of each page that might have been revisited -> whether it is relevant.
    """
    run = "(SELECT max(id) FROM runs)"
    new = _rows(database, f"SELECT url, coalesce(is_target, 0) FROM pages WHERE run = {run}")
    seen = _rows(
        database,
        "SELECT url, outcome, etag IS NOT NULL OR last_modified IS NOT NULL FROM revisits"
        f" JOIN pages ON position = page WHERE revisits.run = {run}",
    )
    outcomes, revisited = [outcome for _, outcome, _ in seen], {url for url, _, _ in seen}
    found: dict[str, float] = {
        "pages": len(new),
        "relevant": sum(is_relevant for _, is_relevant in new),
        "fresh": sum(url in web.new for url, _ in new),  # pages that are new on the web
        "revisits": len(seen),
        "gone": outcomes.count("gone"),
        "spared": sum(outcome == "unchanged" and bool(has_validator) for _, outcome, has_validator in seen),
    }
    changed = web.changed & known.keys()
    relevant = {url for url in changed if known[url]}
    kinds = {"changed": changed, "relevant_changed": relevant, "lists": web.grown & known.keys()}
    for kind, wanted in kinds.items():
        found[kind] = len(wanted & revisited)
        found[f"{kind}_chance"] = len(wanted) / len(known) * len(seen)
    return found
