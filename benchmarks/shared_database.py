"""How many pages a second workers can record in one crawl database: turns over 1, 2, 4 and 8 writers.

    .venv/bin/python benchmarks/shared_database.py [--seconds 5] [--json FILE]

A turn records 16 pages, of 60 links each (a third new to all, the others to what many pages link to), with
2 KB of text each, asks of each whether its text is known, and looks at what the others have recorded. Writers
do nothing else, so that turns follow one another without a gap: this is what the database allows, not what
workers need. The server is one of our own with its files on disk and fsync on, on the same machine: both
take its CPUs. `ms_per_page` and `turn_ms` are by the clock, of one writer.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import url_of
from benchmarks.harness import Report, main
from benchmarks.tables import Rows
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.crawls.processes import cpu_seconds, family
from tests.postgresql import RestartableServer, restartable_server

WRITERS = (1, 2, 4, 8)
TURN_PAGES = 16
LINKS, NEW = 60, 20  # of a page
POPULAR = 20_000  # URLs that the other links lead to
HOSTS = 2_000
TEXT = 2_000  # bytes, compressed
PREPARED = 2_000  # pages of a writer

Page = tuple[PageItem, list[tuple[str, str, int, float | None]]]


class Writing(NamedTuple):
    """What one writer did."""

    pages: int
    turns: list[float]  # seconds, waiting included
    cpu: float  # seconds of its process


def pages_of(writer: int) -> list[Page]:
    """Return pages that no other writer has."""
    random = np.random.default_rng(writer)
    return [page_of(1_000_000 * (writer + 1) + number, random) for number in range(PREPARED)]


def page_of(number: int, random: np.random.Generator) -> Page:
    popular = random.integers(0, POPULAR, LINKS - NEW).tolist()
    numbers = [*popular, *range(100 * number, 100 * number + NEW)]
    links = [
        (url_of(target, target % HOSTS), f"anchor of {target}", place // 10, target % 97 / 97)
        for place, target in enumerate(numbers)
    ]
    page = PageItem(
        url=url_of(100 * number + NEW, number % HOSTS),
        fetched_at=time.time(),
        relevance=0.6,
        is_relevant=number % 3 == 0,
        parent=url_of(7 * number, number % HOSTS),
        size=50_000,
        links=LINKS,
        title=f"Page {number}",
        checksum=f"{number:032x}",
        text=random.bytes(TEXT),
        run=1,
    )
    return page, links


def take_turn(database: CrawlDatabase, store: PageStore, pages: Sequence[Page], last: int) -> int:
    """Record pages, and return the position of the last one that anybody has recorded."""
    with database.locked_transaction():
        store.prefetch([page.url for page, _ in pages], [page.checksum or "" for page, _ in pages])
        for page, links in pages:
            store.seen_checksum(page.checksum or "")
            if store.record_page(page):
                store.record_links(page.url, links)
    seen = CrawlHistory(database).pages_after(last)
    return seen[-1].position if seen else last


def write(address: str, schema: str, writer: int, seconds: float, start: Barrier, told: Any) -> None:
    """Take turns for so many seconds."""
    pages, turns = pages_of(writer), list[float]()
    with CrawlDatabase(PostgresqlSchema(address, schema, shared=True)) as database:
        store, done, last = PageStore(database), 0, 0
        start.wait()
        began, cpu = time.monotonic(), time.process_time()
        while (at := time.monotonic()) < began + seconds and done + TURN_PAGES <= len(pages):
            last = take_turn(database, store, pages[done : done + TURN_PAGES], last)
            turns.append(time.monotonic() - at)
            done += TURN_PAGES
        told.put(Writing(done, turns, time.process_time() - cpu))


def share(server: RestartableServer, writers: int, seconds: float) -> dict[str, float]:
    """Let writers share a new schema."""
    context = multiprocessing.get_context("spawn")
    start, told = context.Barrier(writers + 1), context.Queue()
    schema = f"crawl_speed_{writers}"
    processes = [
        context.Process(target=write, args=(server.address, schema, writer, seconds, start, told))
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    start.wait()
    cpu, began = cpu_seconds(family(server.pid)), time.monotonic()
    writings: list[Writing] = [told.get() for _ in processes]
    wall = time.monotonic() - began
    served = cpu_seconds(family(server.pid)) - cpu
    for process in processes:
        process.join()
    pages = sum(writing.pages for writing in writings)
    turns = [1000 * turn for writing in writings for turn in writing.turns]
    return {
        "writers": writers,
        "turns": len(turns) / wall,
        "pages": pages / wall,
        "page_ms": 1000 * wall / pages,
        "turn_ms": fmean(turns),
        "slow_ms": quantiles(turns, n=20)[-1],
        "writer_ms": 1000 * sum(writing.cpu for writing in writings) / pages,
        "server_ms": 1000 * served / pages,
    }


def measure(*, seconds: float = 5.0) -> Report:
    """Let more and more writers share a database."""
    with restartable_server(on_disk=True) as server:
        return Report({"speeds": Rows(share(server, writers, seconds) for writers in WRITERS)})


if __name__ == "__main__":
    main(measure, __doc__)
