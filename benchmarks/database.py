"""What a crawl's database costs: a page in SQLite and in PostgreSQL, and a statement by the layers there are.

    .venv/bin/python benchmarks/database.py [--pages 2000] [--statements 5000] [--json FILE]

A page is what a crawl does with one: 50 links offered, a URL taken, the page and its links recorded, its
lease ended; 16 pages a commit. Statements are run by the bare driver, by ours (`CrawlDatabase`: SQL with `?`
on the driver), by SQLAlchemy's `exec_driver_sql`, and as expressions of SQLAlchemy Core, built once; 16 to a
commit. PostgreSQL is the server of the tests: its own, or that of FOCUSED_TEST_POSTGRESQL. Other processes
than this one do its work: that is not in the CPU time, and is in the time by the clock.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import psycopg
import sqlalchemy
from sqlalchemy import bindparam

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.generated_links import GeneratedLinks
from benchmarks.harness import Report, main
from benchmarks.meter import Meter
from benchmarks.tables import Rows
from focused_crawler.crawl.journal import COMMIT_PAGES
from focused_crawler.frontier.base import Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.tables import METADATA
from tests.crawls.processes import cpu_seconds, family
from tests.databases import PostgresqlKind, SqliteKind
from tests.postgresql import server

Kind = SqliteKind | PostgresqlKind
Do = Callable[..., Any]

FIND = "SELECT id, url FROM urls WHERE key = ?"
MOVE = "UPDATE urls SET tries = ?, retry_at = ? WHERE key = ?"
INSERT = "INSERT INTO urls (key, url, state) VALUES (?, ?, ?)"
NO_WAITING = "PRAGMA synchronous = NORMAL"
KNOWN = 10_000
MANY = 50  # rows that are inserted together


class Layer(NamedTuple):
    """Three statements, a commit and an end, as one layer does them."""

    find: Callable[[int], Any]
    move: Callable[[int], Any]
    insert: Callable[[list[tuple[int, str, int]]], Any]
    commit: Callable[[], Any]
    close: Callable[[], Any]

    @classmethod
    def of_sql(cls, mark: str, rows: Do, run: Do, run_many: Do, commit: Do, close: Do) -> Self:
        """Return a layer that is told SQL, with such marks for values."""
        find, move, insert = (sql.replace("?", mark) for sql in (FIND, MOVE, INSERT))
        return cls(
            lambda key: rows(find, (key,)),
            lambda key: run(move, (1, None, key)),
            lambda many: run_many(insert, many),
            commit,
            close,
        )


def driver(kind: Kind) -> Layer:
    """Return what sqlite3 and psycopg do themselves."""
    connection: Any
    if isinstance(kind, SqliteKind):
        connection = sqlite3.connect(kind.words[0], isolation_level="IMMEDIATE")
        connection.execute(NO_WAITING)
    else:
        connection = psycopg.connect(kind.words[0], options=options_of(kind))

    def rows(sql: str, values: Sequence[Any]) -> Any:
        return connection.execute(sql, values).fetchall()

    def run_many(sql: str, values: Sequence[Any]) -> Any:
        return connection.cursor().executemany(sql, values)

    return Layer.of_sql(
        mark_of(kind), rows, connection.execute, run_many, connection.commit, connection.close
    )


def ours(kind: Kind) -> Layer:
    """Return what a crawl uses."""
    database = kind.open()
    return Layer.of_sql(
        "?", database.rows, database.execute, database.executemany, database.commit, database.close
    )


def connected(kind: Kind) -> tuple[sqlalchemy.Connection, Do]:
    """Return a connection of SQLAlchemy, and how it is ended."""
    if isinstance(kind, SqliteKind):
        engine = sqlalchemy.create_engine(f"sqlite:///{kind.words[0]}")
        sqlalchemy.event.listen(engine, "connect", lambda connection, _: connection.execute(NO_WAITING))
    else:
        url = sqlalchemy.make_url(kind.words[0]).set(drivername="postgresql+psycopg")
        engine = sqlalchemy.create_engine(url, connect_args={"options": options_of(kind)})
    connection = engine.connect()
    return connection, lambda: (connection.close(), engine.dispose())


def options_of(kind: PostgresqlKind) -> str:
    return f"-c search_path={kind.schema} -c synchronous_commit=off -c enable_seqscan=off"


def mark_of(kind: Kind) -> str:
    """Return what stands for a value in the driver's own SQL."""
    return "?" if isinstance(kind, SqliteKind) else "%s"


def exec_driver_sql(kind: Kind) -> Layer:
    """Return what SQLAlchemy does with SQL in the driver's own words."""
    connection, close = connected(kind)
    run = connection.exec_driver_sql
    return Layer.of_sql(mark_of(kind), lambda *words: run(*words).all(), run, run, connection.commit, close)


def core(kind: Kind) -> Layer:
    """Return what SQLAlchemy does with its expressions."""
    connection, close = connected(kind)
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
        close,
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


def time_pages(kind: Kind, number: int) -> Iterator[dict[str, float]]:
    """Yield milliseconds a page: of CPU, of the server's CPU (0 on another machine), by the clock."""
    meter, served = Meter(), 0.0
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
        if isinstance(kind, PostgresqlKind):
            served = cpu_seconds(family(database.rows("SELECT pg_backend_pid()")[0][0]))
    times = {"cpu": meter.cpu, "served": served, "wall": meter.wall}
    yield {name: 1000 * seconds / number for name, seconds in times.items()} | {"rate": number / meter.wall}


def measure(*, pages: int = 2000, statements: int = 5000) -> Report:
    """Time statements and pages in both databases."""
    rows = {"statements": Rows(), "pages": Rows()}
    with tempfile.TemporaryDirectory() as folder, server() as running:
        kinds: dict[str, Callable[[], Kind]] = {
            "sqlite": lambda: SqliteKind(Path(tempfile.mkdtemp(dir=folder))),
            "postgresql": lambda: PostgresqlKind(running),
        }
        for name, make in kinds.items():
            works = {"statements": (time_statements, statements), "pages": (time_pages, pages)}
            for part, (time, number) in works.items():
                kind = make()
                rows[part] += ({"database": name, **row} for row in time(kind, number))
                kind.remove()
    return Report(rows)


if __name__ == "__main__":
    main(measure, __doc__)
