"""Orders to a crawl, from outside its process: rows of its database, obeyed by whoever crawls."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import location_of

MODEL = "model"
"""Judge by the model that the topic has now: recorded pages, links that wait, and all to come."""
MARKS = "marks"
"""The same, by the categories that the topic marks as good now."""
BUDGET = "budget"
"""Spend so many pages, relevant pages or minutes in all; the detail is JSON."""
ADD = "add"
"""Fetch these URLs, a JSON list, before all others."""
STOP = "stop"
"""End, so that the same command goes on."""

_GIVE = "INSERT INTO orders (given_at, what, detail) VALUES (?, ?, ?)"
_NEXT = "SELECT id, what, detail FROM orders WHERE done_at IS NULL ORDER BY id LIMIT 1"
_DONE = "UPDATE orders SET done_at = ?, answer = ? WHERE id = ?"
_ALL_DONE = "UPDATE orders SET done_at = ?, answer = ? WHERE what = ? AND done_at IS NULL AND id <= ?"


_ALL = "SELECT given_at, what, detail, done_at, answer FROM orders ORDER BY id DESC LIMIT ?"
_ANSWER = "SELECT answer FROM orders WHERE given_at = ? AND done_at IS NOT NULL"
_LAST_BEFORE = "SELECT coalesce(max(id), 0) FROM orders WHERE coalesce(done_at, given_at) < ?"
_NO_LAST = 2**63 - 1
_GIVEN = "SELECT 1 FROM orders WHERE what = ? AND given_at >= ? LIMIT 1"
_NEWER = "SELECT id, what, detail FROM orders WHERE id > ? AND what = ? ORDER BY id LIMIT 1"


class GivenOrder(NamedTuple):
    """An order, and what came of it."""

    given_at: float  # seconds since the epoch
    what: str
    detail: str
    done_at: float | None  # None: not yet
    answer: str | None


class Order(NamedTuple):
    """What a crawl is to do."""

    id: int
    what: str
    detail: str


def give(folder: Path, what: str, detail: str = "") -> float:
    """Write an order into the database of the crawl in a folder, which may run; raises CrawlError.

    Return when it was given, by which `answer_to` finds it.
    """
    now = time.time()
    location_of(folder).write_beside(_GIVE, (now, what, detail))
    return now


def given(database: CrawlDatabase, most: int) -> list[GivenOrder]:
    """Return the last orders, the newest first."""
    return [GivenOrder(*row) for row in database.rows(_ALL, (most,))]


def answer_to(database: CrawlDatabase, given_at: float) -> str | None:
    """Return what came of the order that was given then; None: it is not carried out yet."""
    found = database.rows(_ANSWER, (given_at,))
    return found[0][0] if found else None


def last_before(database: CrawlDatabase, moment: float) -> int:
    """Return the number of the last order that was carried out, or at least given, by then; 0: none was."""
    return int(database.rows(_LAST_BEFORE, (moment,))[0][0])


def newer(database: CrawlDatabase, what: str, id: int) -> Order | None:
    """Return the first order of a kind after the one of that number, carried out or not."""
    found = database.rows(_NEWER, (id, what))
    return Order(*found[0]) if found else None


def was_given(database: CrawlDatabase, what: str, since: float) -> bool:
    """Tell whether an order of a kind was given since then (epoch), carried out or not."""
    return bool(database.rows(_GIVEN, (what, since)))


def next_order(database: CrawlDatabase) -> Order | None:
    """Return the first order that nobody has carried out; None: there is none."""
    found = database.rows(_NEXT)
    return Order(*found[0]) if found else None


def all_carried_out(database: CrawlDatabase, what: str, answer: str, last: int = _NO_LAST) -> None:
    """Write down what came of all orders of a kind that are left, as part of the transaction.

    `last`: up to the one of that number.
    """
    database.execute(_ALL_DONE, (time.time(), answer, what, last))


def carried_out(database: CrawlDatabase, order: Order, answer: str) -> None:
    """Write down what came of an order, as part of the transaction."""
    database.execute(_DONE, (time.time(), answer, order.id))
