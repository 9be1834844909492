"""Orders to a crawl, written beside it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.databases import PostgresqlKind
from tests.postgresql import Server

MARK = "INSERT INTO failures (key, url, reason, failed_at) VALUES (?, 'u', 'r', 0)"


@pytest.fixture
def databases(tmp_path: Path):
    """A crawl that nobody else writes to, as its crawl has it."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        yield database, tmp_path


def test_given_and_carried_out(databases) -> None:
    """In the order in which they came, each once."""
    database, folder = databases
    assert orders.next_order(database) is None
    first, second = (orders.give(folder, orders.MODEL, detail) for detail in ("first", "second"))
    assert orders.answer_to(database, first) is None
    done = []
    while order := orders.next_order(database):
        done.append(order.detail)
        orders.carried_out(database, order, f"{order.detail} is done")
        database.commit()
    assert done == ["first", "second"]
    assert orders.answer_to(database, first) == "first is done"
    assert orders.answer_to(database, second) == "second is done"


def test_what_was_given_before_a_run_is_let_go_of(databases) -> None:
    """Not what came while it was begun."""
    database, folder = databases
    orders.give(folder, orders.STOP, "to the run before")
    began = time.time()
    orders.give(folder, orders.STOP, "to this one")
    last = orders.last_before(database, began)
    orders.all_carried_out(database, orders.STOP, "the crawl had ended before", last)
    database.commit()
    left = orders.next_order(database)
    assert left is not None
    assert left.detail == "to this one"


def test_beside_a_crawl_that_writes_without_rest(databases) -> None:
    """A writer that holds the lock nearly all the time lets an order in within seconds."""
    database, folder = databases
    must_stop, took = threading.Event(), []

    def order() -> None:
        began = time.monotonic()
        for number in range(5):
            orders.give(folder, orders.MODEL, str(number))
        took.append(time.monotonic() - began)
        must_stop.set()

    thread = threading.Thread(target=order)
    thread.start()
    key = 0
    while not must_stop.is_set():
        for _ in range(16):
            database.execute(MARK, (key := key + 1,))
            time.sleep(0.005)
        database.commit()
        time.sleep(0.003)  # what a page takes before it writes
    thread.join()
    assert took[0] < 30
    assert database.rows("SELECT count(*) FROM orders") == [(5,)]


def test_nobody_there(tmp_path: Path) -> None:
    """One line; no database is made."""
    with pytest.raises(CrawlError, match="does not exist"):
        orders.give(tmp_path, orders.MODEL)
    assert not list(tmp_path.iterdir())


def test_in_postgresql(postgresql: Server) -> None:
    """Beside the crawl that has the schema."""
    kind = PostgresqlKind(postgresql)
    try:
        with kind.open() as database:
            PostgresqlSchema(*kind.words).write_beside(orders._GIVE, (1.0, orders.MODEL, "it"))
            order = orders.next_order(database)
            assert order is not None
            assert (order.what, order.detail) == (orders.MODEL, "it")
            orders.carried_out(database, order, "done")
            database.commit()
            assert orders.answer_to(database, 1.0) == "done"
    finally:
        kind.remove()
