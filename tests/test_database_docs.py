"""docs/reference/database.md has every table and column of a crawl, and its queries run as they are.

`python -m tests.test_database_docs` writes what the tables say of their columns into it.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.queries import worked_queries
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.tables import METADATA
from tests.postgresql import Server
from tests.project import ROOT, Scrapy, crawl

PAGE = ROOT / "docs/reference/database.md"
TEXT = PAGE.read_text()
QUERIES = worked_queries(TEXT)
_SECTION = re.compile(r"^### `(\w+)`\n(.*?)(?=^#)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def test_every_table_and_column(tmp_path: Path) -> None:
    """Of a fresh crawl.db, in its order, and nothing else; each has something said about it."""
    with CrawlDatabase(tmp_path / "crawl.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as database:
        names = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        ]
        tables = {
            name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
            for name in names
            if not name.startswith("sqlite_")
        }
    told = {name: [row[0] for row in _COLUMN.findall(body)] for name, body in _SECTION.findall(TEXT)}
    assert told == tables


def with_columns(text: str) -> str:
    """Return the page with the columns of each table as `store.tables` defines them."""
    for table in METADATA.tables.values():
        rows = "".join(f"| `{column.name}` | {column.comment} |\n" for column in table.columns)
        head, section = text.split(f"### `{table.name}`\n", 1)
        before, _, _, after = re.split(r"(\| --- \| --- \|\n)((?:\| `.*\n)+)", section, maxsplit=1)
        text = f"{head}### `{table.name}`\n{before}| --- | --- |\n{rows}{after}"
    return text


def test_columns_are_described_as_they_are_defined() -> None:
    """Else run `python -m tests.test_database_docs`."""
    assert with_columns(TEXT) == TEXT


def test_there_are_fifteen_queries() -> None:
    """Numbered from 1."""
    assert [query.number for query in QUERIES] == list(range(1, 16))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def crawled(
    request: pytest.FixtureRequest, scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a crawl of the demo web, on each kind of database."""
    folder = tmp_path_factory.mktemp("crawls")
    settings = [f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={folder}/models", "FOCUSED_DISTILL_PAGES=50"]
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        settings.append(f"FOCUSED_DATABASE={server.address}")
    topic = demo_web.parent / "demo.topics/astronomy"
    done = scrapy.run(*crawl(topic, folder, *settings, strategy="lpe", pages=100))
    assert done.code == 0, done.err
    return folder / "astronomy/1"


@pytest.fixture(scope="module")
def answers(crawled: Path) -> dict[int, list[tuple[object, ...]]]:
    with read_crawl(crawled) as database:
        return {query.number: database.rows(query.sql) for query in QUERIES}


MAY_BE_EMPTY = {2: "no taxonomy", 3: "no taxonomy", 6: "few votes", 10: "nobody refuses", 12: "few pages"}


def test_each_has_an_answer(answers: dict[int, list[tuple[object, ...]]]) -> None:
    """On a crawl of 100 pages."""
    empty = {number for number, rows in answers.items() if not rows}
    assert empty <= MAY_BE_EMPTY.keys()


def test_they_count_what_is_there(crawled: Path, answers: dict[int, list[tuple[object, ...]]]) -> None:
    """Pages by window and by depth are all pages; failures by class are all failures."""
    with read_crawl(crawled) as database:
        counters = dict(database.rows("SELECT name, value FROM counters"))
        urls = dict(database.rows("SELECT name, urls FROM states"))
    assert sum(row[1] for row in answers[7]) == counters["pages"] == 100
    assert sum(row[1] for row in answers[13]) == 100
    assert sum(row[2] for row in answers[13]) == counters["relevant"]
    assert sum(row[1] for row in answers[9]) == counters["failures"]
    left = {row[0]: row[2] for row in answers[4] if row[1] == 0}
    assert left["pending"] == urls["pending"]


if __name__ == "__main__":
    PAGE.write_text(with_columns(TEXT))
