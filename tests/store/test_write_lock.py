"""Locked transactions: what is written together, alone and beside others."""

from __future__ import annotations

from contextlib import suppress

import psycopg
import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql import database as postgresql_module
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.databases import SqliteKind

ADD = "INSERT INTO hosts (name) VALUES (?)"


def shared(kind):
    return CrawlDatabase(PostgresqlSchema(*kind.words, shared=True))


def names(database):
    return [row[0] for row in database.rows("SELECT name FROM hosts ORDER BY name")]


def page(number, **more):
    return PageItem(url=f"http://a.org/{number}", fetched_at=1.0, relevance=0.9, is_relevant=True, **more)


def fail_when_locked(database):
    with database.locked_transaction():
        database.execute(ADD, ("b.org",))
        raise ValueError("mine")


@pytest.mark.parametrize("opened", ["sqlite", "alone", "shared"])
def test_a_turn_keeps_or_drops_all(kind, opened, tmp_path):
    """What it wrote is there when it has ended; an error drops it, and ends the use of the database."""
    kind = SqliteKind(tmp_path) if opened == "sqlite" else kind
    with shared(kind) if opened == "shared" else kind.open() as database:
        with database.locked_transaction():
            database.execute(ADD, ("a.org",))
            assert names(database) == ["a.org"]
        with pytest.raises(ValueError, match="mine"):
            fail_when_locked(database)
        with pytest.raises(CrawlError, match=r"holds nothing of what failed \(ValueError\)"):
            names(database)
    with kind.open(read_only=True) as reader:
        assert names(reader) == ["a.org"]


def test_a_mistake_that_shows_late(kind):
    """Nothing is waited for within a transaction: an error shows at its end, and nothing of it is stored."""

    def add_twice(database):
        with database.locked_transaction():
            database.execute(ADD, ("a.org",))
            database.execute(ADD, ("a.org",))

    with shared(kind) as database, pytest.raises(psycopg.IntegrityError):
        add_twice(database)
    with shared(kind) as database:
        assert names(database) == []


def test_a_mistake_that_is_passed_over(kind):
    """The server drops what was written; this does not go unsaid."""

    def pass_over(database):
        with database.locked_transaction():
            database.execute(ADD, ("a.org",))
            with suppress(psycopg.ProgrammingError):
                database.rows("SELECT nonsense FROM hosts")

    with shared(kind) as database, pytest.raises(CrawlError, match="cannot be used"):
        pass_over(database)
    with shared(kind) as database:
        assert names(database) == []


def test_two_share_the_lock(kind):
    """Each sees what the other has left; positions have no gaps, counters are those of both."""
    with shared(kind) as one, shared(kind) as other:
        stores = [PageStore(database) for database in (one, other)]
        for number in range(6):
            with (one, other)[number % 2].locked_transaction():
                assert stores[number % 2].record_page(page(number, size=10))
        with one.locked_transaction():
            assert not stores[0].record_page(page(5))
        for store in stores:
            store.refresh()
            assert store.counters["pages"] == 6
            assert store.counters["bytes"] == 60
        history = CrawlHistory(other)
        assert [found.position for found in history.pages_after(0)] == [1, 2, 3, 4, 5, 6]
        assert [found.url for found in history.pages_after(4)] == ["http://a.org/4", "http://a.org/5"]
        assert history.pages_after(6) == []


def test_a_write_without_the_lock(kind):
    """Is a mistake in a program; so is a commit, or a transaction within one."""
    with shared(kind) as database:
        with pytest.raises(RuntimeError, match="in locked transactions only"):
            database.execute(ADD, ("a.org",))
        with pytest.raises(RuntimeError, match="in locked transactions only"):
            database.executemany(ADD, [("a.org",)])
        with pytest.raises(RuntimeError, match="in locked transactions"):
            database.commit()
        with database.locked_transaction():
            database.execute(ADD, ("a.org",))
        with (
            pytest.raises(RuntimeError, match="within a locked transaction"),
            database.locked_transaction(),
            database.locked_transaction(),
        ):
            pass


def test_a_write_in_disguise(kind):
    """The server refuses what a query would write without the lock."""
    with shared(kind) as database, pytest.raises(CrawlError, match="read-only transaction"):
        database.rows(f"{ADD} RETURNING id", ("a.org",))


def test_reads_hold_nothing(kind):
    """Between transactions a worker has no transaction open, and no lock that would keep others waiting."""
    with shared(kind) as database, kind.server.connected() as observer:
        with database.locked_transaction():
            database.execute(ADD, ("a.org",))
        names(database)
        ((pid,),) = database.rows("SELECT pg_backend_pid()")
        query = "SELECT state, xact_start FROM pg_stat_activity WHERE pid = %s"
        assert observer.execute(query, (pid,)).fetchall() == [("idle", None)]
        query = "SELECT locktype, mode FROM pg_locks WHERE pid = %s"
        assert observer.execute(query, (pid,)).fetchall() == [("advisory", "ShareLock")]


def test_one_process_and_many(kind, monkeypatch):
    """A schema is of one process or shared: neither opens the other's, running or not."""
    with shared(kind) as worker:
        with monkeypatch.context() as patch:
            patch.setattr(postgresql_module, "_LOCK_PAUSE", 0.0)
            with pytest.raises(CrawlError, match="being crawled by another process"):
                kind.open()
        with shared(kind), kind.open(read_only=True) as reader:
            assert names(reader) == names(worker) == []
    with pytest.raises(CrawlError, match="is a crawl of several workers; go on with scrapy fleet"):
        kind.open()
    kind.remove()
    with kind.open(), pytest.raises(CrawlError, match="being crawled by another process"):
        shared(kind)
    with pytest.raises(CrawlError, match="is a crawl of one process; go on without FOCUSED_FRONTIER"):
        shared(kind)
