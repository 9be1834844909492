"""Orders to a crawl, from outside its process: rows of its database, obeyed by whoever crawls."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import location_of

MODEL = "model"
"""Judge by the model that the topic has now: recorded pages, links that wait, and all to come."""

_GIVE = "INSERT INTO orders (given_at, what, detail) VALUES (?, ?, ?)"
_NEXT = "SELECT id, what, detail FROM orders WHERE done_at IS NULL ORDER BY id LIMIT 1"
_DONE = "UPDATE orders SET done_at = ?, answer = ? WHERE id = ?"
_ALL_DONE = "UPDATE orders SET done_at = ?, answer = ? WHERE what = ? AND done_at IS NULL"


class Order(NamedTuple):
    """What a crawl is to do."""

    id: int
    what: str
    detail: str


def give(folder: Path, what: str, detail: str = "") -> None:
    """Write an order into the database of the crawl in a folder, which may run; raises CrawlError."""
    location_of(folder).write_beside(_GIVE, (time.time(), what, detail))


def next_order(database: CrawlDatabase) -> Order | None:
    """Return the first order that nobody has carried out; None: there is none."""
    found = database.rows(_NEXT)
    return Order(*found[0]) if found else None


def last_answer(database: CrawlDatabase) -> str | None:
    """Return what came of the order that was given last; None: it is not carried out yet."""
    found = database.rows("SELECT answer FROM orders ORDER BY id DESC LIMIT 1")
    return found[0][0] if found else None


def all_carried_out(database: CrawlDatabase, what: str, answer: str) -> None:
    """Write down what came of all orders of a kind that are left, as part of the transaction."""
    database.execute(_ALL_DONE, (time.time(), answer, what))


def carried_out(database: CrawlDatabase, order: Order, answer: str) -> None:
    """Write down what came of an order, as part of the transaction."""
    database.execute(_DONE, (time.time(), answer, order.id))
