"""A crawl made by an older version comes to the tables of a new one, and keeps its rows."""

from __future__ import annotations

import pytest

from focused_crawler.store import sqlite_file
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.pages import PageRecord, PageStore
from focused_crawler.store.schema import MIGRATIONS
from tests.databases import PostgresqlKind

_PAGE = """
INSERT INTO pages (position, key, url, requested_url, host, depth, fetched_at, status, size, links, title,
                   relevance, is_relevant) VALUES (1, 7, 'http://a.org/', 'http://a.org/', 'a.org', 0, 1, 200,
                                                   9, 0, 'A', 0.5, 1)
"""
_NEW = PageRecord(
    url="http://b.org/", fetched_at=1.0, relevance=0.1, is_relevant=False, hubness=0.5, text=b"x"
)


def check_pages(database):
    """Both the old page and a new one are there, with what is known of each."""
    assert PageStore(database).record_page(_NEW)
    found = [(page.url, page.hubness) for page in CrawlHistory(database).pages()]
    assert found == [("http://a.org/", None), ("http://b.org/", 0.5)]
    assert [(page, bytes(text)) for page, text in database.rows("SELECT * FROM page_texts")] == [(2, b"x")]


@pytest.mark.parametrize("applied", range(1, len(MIGRATIONS)))
def test_an_sqlite_crawl(tmp_path, monkeypatch, applied):
    """Of any earlier version."""
    path = tmp_path / "crawl.db"
    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "MIGRATIONS", MIGRATIONS[:applied])
        with CrawlDatabase(path) as database:
            database.execute(_PAGE)
            database.commit()
    with CrawlDatabase(path) as database, CrawlDatabase(tmp_path / "new.db") as new:
        query = "SELECT name, sql FROM sqlite_master ORDER BY name"
        assert database.rows(query) == new.rows(query)
        check_pages(database)


_UNDO = """
ALTER TABLE pages DROP COLUMN hubness; DROP TABLE page_texts; ALTER TABLE runs DROP COLUMN worker;
DELETE FROM migrations WHERE name > '0005_questions'
"""
_COLUMNS = """
SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default,
       col_description(format('%I.%I', table_schema, table_name)::regclass, ordinal_position)
FROM information_schema.columns WHERE table_schema = ? ORDER BY 1, 2
"""
_TABLES = """
SELECT relname, relkind, obj_description(oid), pg_get_indexdef(oid) FROM pg_class
WHERE relnamespace = CAST(? AS regnamespace) AND relkind IN ('r', 'i', 'v') ORDER BY 1
"""


def test_a_postgresql_crawl(postgresql):
    """Of the first version that knew PostgreSQL."""
    old, new = PostgresqlKind(postgresql), PostgresqlKind(postgresql)
    try:
        old.open().close()
        with postgresql.connected() as connection:
            connection.execute(f"SET search_path TO {old.schema}; {_UNDO}; {_PAGE}")
        with old.open() as database, new.open() as fresh:
            assert shape(database, old.schema) == shape(fresh, new.schema)
            check_pages(database)
    finally:
        old.remove()
        new.remove()


def shape(database, schema):
    """Return all that a database says of its tables, wherever they lie."""
    columns = [
        (*row[:2], *row[3:]) for row in database.rows(_COLUMNS, (schema,))
    ]  # a dropped column keeps its number
    return columns, [
        (*row[:3], row[3] and row[3].replace(schema, "")) for row in database.rows(_TABLES, (schema,))
    ]
