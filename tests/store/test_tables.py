"""One definition makes the same tables in both databases."""

from __future__ import annotations

import re
import sqlite3

import pytest
from sqlalchemy import DefaultClause, create_engine, inspect, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.pool import StaticPool
from sqlalchemy.schema import CreateIndex
from sqlalchemy.types import Float, Integer, LargeBinary, Text

from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.ddl import definition_of
from focused_crawler.store.definition import of_sqlite
from focused_crawler.store.schema import MIGRATIONS, State
from focused_crawler.store.tables import METADATA, VIEWS

KINDS = {Integer: "whole", Float: "real", Text: "text", LargeBinary: "blob"}


@pytest.fixture
def sqlite_made(tmp_path):
    """A new crawl.db."""
    CrawlDatabase(tmp_path / "crawl.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'crawl.db'}")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def made(postgresql):
    """A new schema of PostgreSQL."""
    location = postgresql.new_schema()
    CrawlDatabase(location).close()
    engine = create_engine("postgresql+psycopg://", creator=postgresql.connected, poolclass=StaticPool)
    with engine.connect() as connection:
        connection.execute(text(f"SET search_path TO {location.schema}"))
        yield connection
    engine.dispose()
    postgresql.drop(location.schema)


def kind_of(column):
    return next(kind for type_, kind in KINDS.items() if isinstance(column["type"], type_))


def shape(connection, table):
    """Return columns in their order, keys and constraints, as any database tells them."""
    found = inspect(connection)
    key = found.get_pk_constraint(table)["constrained_columns"]
    columns = [
        (column["name"], kind_of(column), column["nullable"] and column["name"] not in key)
        for column in found.get_columns(table)
    ]
    unique = sorted(constraint["column_names"] for constraint in found.get_unique_constraints(table))
    checks = [constraint["sqltext"].strip("()") for constraint in found.get_check_constraints(table)]
    return columns, key, unique, checks


def indexes(connection):
    found = inspect(connection)
    return {
        index["name"]: (table, index["unique"])
        for table in found.get_table_names()
        for index in found.get_indexes(table)
        if "duplicates_constraint" not in index
    }


def words(sql):
    return re.sub(r"\s+", " ", sql.replace('"', "")).strip()


def test_sqlites_file_is_up_to_date():
    """After a change of the tables: python -m focused_crawler.store.tables."""
    assert of_sqlite() == definition_of(METADATA, VIEWS, sqlite.dialect())


def test_the_same_tables(sqlite_made, made):
    """By name, with their columns, kinds, keys and constraints."""
    tables = set(inspect(sqlite_made).get_table_names())
    assert tables == set(inspect(made).get_table_names()) == set(METADATA.tables)
    for table in tables:
        assert shape(sqlite_made, table) == shape(made, table), table


def test_the_same_defaults(sqlite_made):
    """Of the columns that may be left out."""
    for table in METADATA.tables.values():
        given = [column for column in table.columns if isinstance(column.server_default, DefaultClause)]
        wanted = {column.name: str(column.server_default.arg) for column in given}
        columns = inspect(sqlite_made).get_columns(table.name)
        assert {c["name"]: c["default"] for c in columns if c["default"] is not None} == wanted


def test_the_same_indexes(sqlite_made, made):
    """With their order and conditions, word for word."""
    assert indexes(sqlite_made) == indexes(made)
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    told = {name: words(sql) for name, sql in sqlite_made.execute(text(query))}
    dialect = sqlite.dialect()
    wanted = {
        index.name: words(str(CreateIndex(index).compile(dialect=dialect)))
        for table in METADATA.tables.values()
        for index in table.indexes
    }
    assert told == wanted


def test_the_same_views(sqlite_made, made):
    """Word for word."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"
    told = {name: words(sql) for name, sql in sqlite_made.execute(text(query))}
    assert told == {name: words(f"CREATE VIEW {name} AS {query}") for name, query in VIEWS.items()}
    assert set(inspect(made).get_view_names()) == set(VIEWS)


def test_every_column_has_its_meaning(made):
    """As a comment in PostgreSQL, where psql shows it."""
    for table in METADATA.tables:
        assert inspect(made).get_table_comment(table)["text"]
        assert all(column["comment"] for column in inspect(made).get_columns(table))


def test_the_same_rows_to_begin_with(sqlite_made, made):
    """Names of states, and what has been applied."""
    for query in (
        "SELECT state, name, urls FROM states ORDER BY 1",
        "SELECT name FROM migrations ORDER BY 1",
    ):
        assert sqlite_made.execute(text(query)).all() == made.execute(text(query)).all()
    assert made.execute(text("SELECT count(*) FROM states")).scalar_one() == len(State)
    assert made.execute(text("SELECT count(*) FROM migrations")).scalar_one() == len(MIGRATIONS)


def test_sqlite_is_new_enough():
    """For what the two databases' SQL has in common: RETURNING, ON CONFLICT."""
    assert sqlite3.sqlite_version_info >= (3, 35)
