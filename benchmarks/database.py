"""What a crawl's database costs: a page in SQLite and in PostgreSQL, and a statement by the layers there are.

    .venv/bin/python benchmarks/database.py [--pages 2000] [--statements 5000] [--json FILE]

A page is what a crawl does with one: 50 links offered, a URL taken, the page and its links recorded, its
lease ended; 16 pages a commit. Statements are run by the bare driver, by ours (`CrawlDatabase`: SQL with `?`
on the driver), by SQLAlchemy's `exec_driver_sql`, and as expressions of SQLAlchemy Core, built once; 16 to a
commit. PostgreSQL is the server of the tests: its own, or that of FOCUSED_TEST_POSTGRESQL. Other processes
than this one do its work: that is not in the CPU time, and is in the time by the clock.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy
from sqlalchemy import bindparam

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import Meter, Report, main
from benchmarks.tables import Rows
from focused_crawler.crawl.journal import COMMIT_PAGES
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.tables import METADATA
from tests.databases import PostgresqlKind, SqliteKind
from tests.postgresql import server

Kind = SqliteKind | PostgresqlKind

FIND = "SELECT id, url FROM urls WHERE key = ?"
MOVE = "UPDATE urls SET tries = ?, retry_at = ? WHERE key = ?"
INSERT = "INSERT INTO urls (key, url, state) VALUES (?, ?, ?)"
NO_WAITING = "PRAGMA synchronous = NORMAL"
KNOWN = 10_000
MANY = 50  # rows that are inserted together


@dataclass(frozen=True)
class Layer:
    """Three statements, a commit and an end, as one layer does them."""

    find: Callable[[int], Any]
    move: Callable[[int], Any]
    insert: Callable[[list[tuple[int, str, int]]], Any]
    commit: Callable[[], Any]
    close: Callable[[], Any]


def driver(kind: Kind) -> Layer:
    """Return what sqlite3 and psycopg do themselves."""
    connection: Any
    if isinstance(kind, SqliteKind):
        connection, mark = sqlite3.connect(kind.words[0], isolation_level="IMMEDIATE"), "?"
        connection.execute(NO_WAITING)
    else:
        connection, mark = psycopg.connect(kind.words[0], options=options_of(kind)), "%s"
    find, move, insert = (sql.replace("?", mark) for sql in (FIND, MOVE, INSERT))
    return Layer(
        lambda key: connection.execute(find, (key,)).fetchall(),
        lambda key: connection.execute(move, (1, None, key)),
        lambda rows: connection.cursor().executemany(insert, rows),
        connection.commit,
        connection.close,
    )


def ours(kind: Kind) -> Layer:
    """Return what a crawl uses."""
    database = kind.open()
    return Layer(
        lambda key: database.rows(FIND, (key,)),
        lambda key: database.execute(MOVE, (1, None, key)),
        lambda rows: database.executemany(INSERT, rows),
        database.commit,
        database.close,
    )


def engine_of(kind: Kind) -> sqlalchemy.Engine:
    if isinstance(kind, SqliteKind):
        engine = sqlalchemy.create_engine(f"sqlite:///{kind.words[0]}")
        sqlalchemy.event.listen(engine, "connect", lambda connection, _: connection.execute(NO_WAITING))
        return engine
    url = sqlalchemy.make_url(kind.words[0]).set(drivername="postgresql+psycopg")
    return sqlalchemy.create_engine(url, connect_args={"options": options_of(kind)})


def options_of(kind: PostgresqlKind) -> str:
    return f"-c search_path={kind.schema} -c synchronous_commit=off -c enable_seqscan=off"


def exec_driver_sql(kind: Kind) -> Layer:
    """Return what SQLAlchemy does with SQL in the driver's own words."""
    engine = engine_of(kind)
    connection = engine.connect()
    mark = "?" if isinstance(kind, SqliteKind) else "%s"
    find, move, insert = (sql.replace("?", mark) for sql in (FIND, MOVE, INSERT))
    run = connection.exec_driver_sql
    return Layer(
        lambda key: run(find, (key,)).all(),
        lambda key: run(move, (1, None, key)),
        lambda rows: run(insert, rows),
        connection.commit,
        lambda: (connection.close(), engine.dispose()),
    )


def core(kind: Kind) -> Layer:
    """Return what SQLAlchemy does with its expressions."""
    engine = engine_of(kind)
    connection = engine.connect()
    urls = METADATA.tables["urls"]
    find = sqlalchemy.select(urls.c.id, urls.c.url).where(urls.c.key == bindparam("wanted"))
    move = urls.update().where(urls.c.key == bindparam("wanted"))
    move = move.values(tries=bindparam("new_tries"), retry_at=bindparam("new_time"))
    insert, names, run = urls.insert(), ("key", "url", "state"), connection.execute
    return Layer(
        lambda key: run(find, {"wanted": key}).all(),
        lambda key: run(move, {"wanted": key, "new_tries": 1, "new_time": None}),
        lambda rows: run(insert, [dict(zip(names, row, strict=True)) for row in rows]),
        connection.commit,
        lambda: (connection.close(), engine.dispose()),
    )


LAYERS: dict[str, Callable[[Kind], Layer]] = {
    "the driver": driver,
    "CrawlDatabase": ours,
    "exec_driver_sql": exec_driver_sql,
    "Core": core,
}


def time_statements(kind: Kind, number: int) -> Iterator[dict[str, object]]:
    """Yield microseconds of each statement by layer; of an insert those of a row, its commit included."""
    with kind.open() as database:
        database.executemany(INSERT, [(key, f"http://example.org/{key}", 0) for key in range(KNOWN)])
        database.commit()
    first, steps = KNOWN, number // COMMIT_PAGES
    for name, make in LAYERS.items():
        layer = make(kind)
        for key in range(KNOWN):
            layer.find(key)
        layer.commit()
        times = {"find": Meter(), "move": Meter(), "insert": Meter()}
        for step in range(steps):
            keys = [(step * COMMIT_PAGES + i) * 7919 % KNOWN for i in range(COMMIT_PAGES)]
            for work in ("find", "move"):
                with times[work].running(COMMIT_PAGES):
                    for key in keys:
                        getattr(layer, work)(key)
                    layer.commit()
            rows = [(first + i, f"http://example.org/{first + i}", 0) for i in range(MANY)]
            first += MANY
            with times["insert"].running(MANY):
                layer.insert(rows)
                layer.commit()
        layer.close()
        for work, meter in times.items():
            yield {"layer": name, "statement": work, "cpu": meter.us, "wall": meter.wall_us}


def server_cpu(database: CrawlDatabase) -> float:
    """Return the seconds of CPU that a connection took of its server, 0 if that is another machine."""
    ((pid,),) = database.rows("SELECT pg_backend_pid()")
    path = Path(f"/proc/{pid}/stat")
    times = path.read_text().rpartition(")")[2].split()[11:13] if path.exists() else ()
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def time_pages(kind: Kind, number: int) -> dict[str, float]:
    """Return milliseconds a page: of CPU, of the server's CPU, by the clock."""
    meter = Meter()
    with kind.open() as database:
        store, frontier = PageStore(database), SqlFrontier(database, Rules())
        for position, links in enumerate(GeneratedLinks(5_000).pages(50 * number)):
            with meter.running():
                frontier.add(links)
                (lease,) = frontier.take(1, float(position))
                store.record_links(lease.url, [(link.url, "an anchor", 1, link.priority) for link in links])
                store.record_page(
                    PageItem(url=lease.url, fetched_at=1.0 * position, relevance=0.5, is_relevant=True)
                )
                frontier.done(lease.url)
                if position % COMMIT_PAGES == COMMIT_PAGES - 1:
                    database.commit()
        served = server_cpu(database) if isinstance(kind, PostgresqlKind) else 0.0
    times = {"cpu": meter.cpu, "served": served, "wall": meter.wall}
    return {name: 1000 * seconds / number for name, seconds in times.items()} | {"rate": number / meter.wall}


def measure(*, pages: int = 2000, statements: int = 5000) -> Report:
    """Time statements and pages in both databases."""
    rows = {"statements": Rows(), "pages": Rows()}
    with tempfile.TemporaryDirectory() as folder, server() as running:
        kinds: dict[str, Callable[[], Kind]] = {
            "sqlite": lambda: SqliteKind(Path(tempfile.mkdtemp(dir=folder))),
            "postgresql": lambda: PostgresqlKind(running),
        }
        for name, make in kinds.items():
            kind = make()
            rows["statements"] += ({"database": name, **row} for row in time_statements(kind, statements))
            kind.remove()
            kind = make()
            rows["pages"].append({"database": name, **time_pages(kind, pages)})
            kind.remove()
    return Report(rows)


if __name__ == "__main__":
    main(measure, __doc__)
