"""The fifteen questions of docs/database.md, and `scrapy why`, asked of a crawl of 100,000 pages.

    .venv/bin/python benchmarks/queries.py [--pages N] [--json FILE]

The database is made up first (`large_crawl.py`), in a temporary folder: 6 million links, some 600 MB, one to
two minutes. It is then read as any reader does: SQLite's own cache of 2 MB, the file in the system's page
cache, no statistics (ANALYZE). Best of three. The figures are seconds of CPU: one thread answers, out of
memory, so that on a machine with nothing else to do the clock, shown beside, says the same.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.large_crawl import LINKS, LargeCrawl
from focused_crawler.report.why.reading import read_facts
from focused_crawler.store.database import CrawlDatabase

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/database.md"
ROUNDS = 3
_QUERY = re.compile(r"^### (\d+)\. ([^\n]+)\n(?:(?!^###).)*?^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OF_STATE = "SELECT url FROM urls WHERE state = ? ORDER BY id LIMIT 1 OFFSET 100"


class Query(NamedTuple):
    """A worked query."""

    number: int
    question: str
    sql: str


class Timing(NamedTuple):
    """What an answer took, in seconds."""

    cpu: float
    clock: float
    rows: int


def worked_queries(text: str) -> list[Query]:
    """Return the queries of a document, in its order."""
    return [Query(int(number), question, sql) for number, question, sql in _QUERY.findall(text)]


def timed(ask: Callable[[], int]) -> Timing:
    """Return the best of some rounds; `ask` returns how many rows there were."""
    timings = []
    for _ in range(ROUNDS):
        clock, cpu = time.perf_counter(), time.process_time()
        rows = ask()
        timings.append(Timing(time.process_time() - cpu, time.perf_counter() - clock, rows))
    return min(timings)


def time_queries(database: CrawlDatabase, queries: list[Query]) -> dict[str, Timing]:
    """Return what each query takes, by its name."""
    return {
        f"query_{query.number:02}": timed(lambda sql=query.sql: len(database.rows(sql))) for query in queries
    }


def time_why(database: CrawlDatabase, busiest: str) -> Timing:
    """Return the slowest of: a URL with very many links, one of each state, one that was never seen."""
    urls = [busiest, f"{busiest}?never=seen"]
    for state in (0, 1, 4, 5, 6):
        urls += [row[0] for row in database.rows(_OF_STATE, (state,))]
    return max(timed(lambda url=url: len(read_facts(database, url).links)) for url in urls)


def show(timings: dict[str, Timing], queries: list[Query], pages: int) -> None:
    """Print a line an answer."""
    table = Table(title=f"{pages:,} pages, {LINKS * pages:,} links")
    table.add_column("question")
    for name in ("CPU seconds", "by the clock", "rows"):
        table.add_column(name, justify="right")
    names = [f"{query.number}. {query.question}" for query in queries]
    for name, timing in zip([*names, "scrapy why, the slowest of seven URLs"], timings.values(), strict=True):
        table.add_row(name, f"{timing.cpu:.2f}", f"{timing.clock:.2f}", str(timing.rows))
    Console().print(table)


def main() -> None:
    """Make a crawl, ask, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    options = parser.parse_args()
    queries = worked_queries(DOCUMENT.read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="queries-") as folder:
        path = Path(folder) / "crawl.db"
        with CrawlDatabase(path) as database:
            crawl = LargeCrawl(database, options.pages)
            crawl.fill()
        with CrawlDatabase(path, read_only=True) as database:
            timings = time_queries(database, queries)
            timings["why"] = time_why(database, crawl.busiest)
    show(timings, queries, options.pages)
    if options.json:
        figures = {f"{name}_s": timing.cpu for name, timing in timings.items()}
        figures["query_slowest_s"] = max(timings[name].cpu for name in timings if name != "why")
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
