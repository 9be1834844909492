"""The fifteen questions of docs/reference/database.md, and `scrapy why`, asked of a crawl of 100,000 pages.

    .venv/bin/python benchmarks/queries.py [--pages N] [--json FILE]

The database is made up first (`large_crawl.py`), in a temporary folder: 6 million links, some 600 MB, one to
two minutes. It is then read as any reader does: SQLite's own cache of 2 MB, the file in the system's page
cache, no statistics (ANALYZE). Best of three. The figures are seconds of CPU: one thread answers, out of
memory, so that on a machine with nothing else to do the clock, shown beside, says the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, Report, main, temporary_folder
from benchmarks.large_crawl import LargeCrawl
from benchmarks.meter import Meter
from benchmarks.tables import Rows
from focused_crawler.report.why.reading import read_facts
from focused_crawler.store.database import CrawlDatabase

DOCUMENT = ROOT / "docs/reference/database.md"
ROUNDS = 3
_QUERY = re.compile(r"^### (\d+)\. ([^\n]+)\n(?:(?!^###).)*?^```sql\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OF_STATE = "SELECT url FROM urls WHERE state = ? ORDER BY id LIMIT 1 OFFSET 100"


class Query(NamedTuple):
    """A worked query."""

    number: int
    question: str
    sql: str


def worked_queries(text: str) -> list[Query]:
    """Return the queries of a document, in its order."""
    return [Query(int(number), question, sql) for number, question, sql in _QUERY.findall(text)]


def timed(ask: Callable[[], int]) -> dict[str, float]:
    """Return the best of some rounds; `ask` returns how many rows there were."""
    timings = []
    for _ in range(ROUNDS):
        meter = Meter()
        with meter.running():
            rows = ask()
        timings.append((meter.cpu, meter.wall, rows))
    return dict(zip(("cpu", "clock", "rows"), min(timings), strict=True))


def time_why(database: CrawlDatabase, busiest: str) -> dict[str, float]:
    """Return the slowest of: a URL with very many links, one of each state, one that was never seen."""
    urls = [busiest, f"{busiest}?never=seen"]
    for state in (0, 1, 4, 5, 6):
        urls += [row[0] for row in database.rows(_OF_STATE, (state,))]
    timings = [timed(lambda url=url: len(read_facts(database, url).links)) for url in urls]
    return max(timings, key=lambda timing: timing["cpu"])


def measure(*, pages: int = 100_000) -> Report:
    """Make a crawl, and ask."""
    queries = worked_queries(DOCUMENT.read_text("utf-8"))
    with temporary_folder() as folder:
        path = folder / "crawl.db"
        with CrawlDatabase(path) as database:
            crawl = LargeCrawl(database, pages)
            crawl.fill()
        rows = Rows()
        with CrawlDatabase(path, read_only=True) as database:
            for query in queries:
                timing = timed(lambda sql=query.sql: len(database.rows(sql)))
                about = {"key": f"query_{query.number:02}", "question": f"{query.number}. {query.question}"}
                rows.append(about | timing)
            about = {"key": "why", "question": "scrapy why, the slowest of seven URLs"}
            rows.append(about | time_why(database, crawl.busiest))
    return Report({"answers": rows}, {"query_slowest_s": Rows(rows[:-1]).measure("cpu").max})


if __name__ == "__main__":
    main(measure, __doc__)
