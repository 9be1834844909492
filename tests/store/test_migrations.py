"""A crawl made by an older version comes to the tables of a new one, and keeps its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from tests.databases import PostgresqlKind
from tests.store.released import RELEASED

_PAGE = """
INSERT INTO pages (position, key, url, requested_url, host, depth, fetched_at, status, size, links, title,
                   relevance, is_relevant) VALUES (1, 7, 'http://a.org/', 'http://a.org/', 'a.org', 0, 1, 200,
                                                   9, 0, 'A', 0.5, 1)
"""
_NEW = PageItem(url="http://b.org/", fetched_at=1.0, relevance=0.1, is_relevant=False, hubness=0.5, text=b"x")


def check_pages(database):
    """Both the old page and a new one are there, with what is known of each."""
    assert PageStore(database).record_page(_NEW)
    found = [(page.url, page.hubness) for page in CrawlHistory(database).pages()]
    assert found == [("http://a.org/", None), ("http://b.org/", 0.5)]
    assert [(page, bytes(text)) for page, text in database.rows("SELECT * FROM page_texts")] == [(2, b"x")]


def released(path, versions):
    """Make a crawl's database as an older version made it: by the first so many migrations."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at REAL NOT NULL)")
    for name, sql in RELEASED[:versions]:
        connection.executescript(sql)
        connection.execute("INSERT INTO migrations VALUES (?, 0)", (name,))
    return connection


def sqlite_shape(database):
    """Return tables with their columns, indexes and views, but for what SQLite says of primary keys."""
    query = """
    SELECT m.name, c.name, c.type, c."notnull" AND NOT c.pk, c.dflt_value, c.pk
    FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY m.name, c.cid
    """
    others = """
    SELECT name, replace(sql, '"', '') FROM sqlite_master WHERE type IN ('index', 'view') ORDER BY name
    """
    clustered = "SELECT name FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID%' ORDER BY name"
    return (
        database.rows(query),
        [(name, sql and sql.split()) for name, sql in database.rows(others)],
        database.rows(clustered),
    )


@pytest.mark.parametrize("versions", range(1, len(RELEASED) + 1))
def test_an_sqlite_crawl(tmp_path, versions):
    """Of any earlier version."""
    path = tmp_path / "crawl.db"
    with closing(released(path, versions)) as connection:
        connection.execute(_PAGE)
        connection.commit()
    with CrawlDatabase(path) as database, CrawlDatabase(tmp_path / "new.db") as new:
        assert sqlite_shape(database) == sqlite_shape(new)
        for query in ("SELECT state, name, urls FROM states", "SELECT name FROM migrations"):
            assert sorted(database.rows(query)) == sorted(new.rows(query))
        check_pages(database)


def test_what_becomes_of_the_rows(tmp_path):
    """Pages of hosts are counted, links to other sites are marked, and copies are verbatim ones."""
    path = tmp_path / "crawl.db"
    with closing(released(path, 1)) as connection:
        connection.executescript("""
            INSERT INTO hosts (name) VALUES ('a.org'), ('b.org');
            INSERT INTO pages (key, url, requested_url, host, depth, fetched_at, status, size, links, title,
                               relevance, is_relevant, duplicate_of)
            VALUES (1, '', '', 'a.org', 0, 0, 200, 0, 0, '', 0, 0, NULL),
                   (2, '', '', 'a.org', 0, 0, 200, 0, 0, '', 0, 0, 'http://a.org/');
            INSERT INTO urls (id, key, url, state) VALUES
                (1, 1, 'http://a.org/', 4), (2, 2, 'https://www.a.org/x', 0), (3, 3, 'http://b.org/', 0);
            INSERT INTO links VALUES (1, 0, 2, '', 0, 0.5), (1, 1, 3, '', 0, 0.5);
        """)
    with CrawlDatabase(path) as database:
        assert database.rows("SELECT name, pages FROM hosts ORDER BY name") == [("a.org", 2), ("b.org", 0)]
        assert database.rows("SELECT external FROM links ORDER BY number") == [(0,), (1,)]
        assert database.rows("SELECT likeness FROM pages ORDER BY key") == [(None,), (1.0,)]


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
