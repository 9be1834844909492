from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from focused_crawler.virtualweb.indexing import fill
from tests.virtualweb.archives import OK, digest, plain, record, response

GONE = OK.replace(b"200 OK", b"404 Gone")
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\n\r\n"
SITE = "http://a.example/"


def one_text(count: int) -> list[bytes]:
    """Pages with one text, and a visit to each that found it again."""
    urls = [f"{SITE}{number}" for number in range(count)]
    again = [record("revisit", url, UNCHANGED, Payload_Digest=digest(b"bees")) for url in reversed(urls)]
    return [response(url, b"bees") for url in urls] + again


def one_url(count: int) -> list[bytes]:
    """A page that was asked for again and again, and revisits that say when it was as they found it."""
    dates = [f"2024-05-01T10:00:00.{number:06}Z" for number in range(count)]
    about = [{"Refers_To_Target_URI": SITE, "Refers_To_Date": date} for date in reversed(dates)]
    pages = [response(SITE, date.encode(), Date=date) for date in dates]
    return pages + [record("revisit", SITE, UNCHANGED, **fields) for fields in about]


def often_gone(count: int) -> list[bytes]:
    """A page that was mostly not there, and visits that found it unchanged."""
    gone = [response(SITE, str(number).encode(), GONE) for number in range(count)]
    return [response(SITE, b"bees"), *gone, *([record("revisit", SITE, UNCHANGED)] * count)]


def steps(path: Path) -> int:
    """Return how many steps SQLite takes to index an archive, in hundreds."""
    ticks: list[int] = []
    with closing(sqlite3.connect(":memory:")) as db:
        db.set_progress_handler(lambda: ticks.append(1), 100)
        fill(db, path)
    return len(ticks)


@pytest.mark.parametrize("records", [one_text, one_url, often_gone])
def test_four_times_the_records_take_four_times_the_steps(tmp_path: Path, records) -> None:
    """No revisit record goes through all that have its text, or its URL."""
    counts = []
    for count in (100, 400):
        path = tmp_path / f"{count}.warc"
        path.write_bytes(plain(records(count)))
        counts.append(steps(path))
    assert counts[1] < 6 * counts[0]
