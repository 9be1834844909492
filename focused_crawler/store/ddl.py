"""How the tables of a crawl are declared, and the DDL that makes them in either database."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, SetColumnComment, SetTableComment
from sqlalchemy.types import REAL

from focused_crawler.store.definition import Definition, TableDDL

WHOLE = BigInteger().with_variant(Integer(), "sqlite")
"""64 bits in both; SQLite's primary key has to be called INTEGER to be the number of the row."""
TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared byte by byte, as SQLite does."""
_REAL: Any = Double().with_variant(REAL(), "sqlite")


def _column(
    kind: Any, name: str, comment: str, *, optional: bool = False, default: int | None = None
) -> Column[Any]:
    server_default = None if default is None else text(str(default))
    return Column(name, kind, nullable=optional, comment=comment, server_default=server_default)


whole, real, words, blob = (partial(_column, kind) for kind in (WHOLE, _REAL, TEXT, LargeBinary()))
"""Columns of whole and of real numbers, both of 64 bits, of texts and of bytes."""


def counted(comment: str) -> Column[Any]:
    """Return the primary key `id`, which the database counts up."""
    return Column("id", WHOLE, Identity(), primary_key=True, comment=comment)


def key(name: str, comment: str, kind: Any = WHOLE) -> Column[Any]:
    """Return a primary key that is always given."""
    return Column(name, kind, primary_key=True, autoincrement=False, comment=comment)


def index(name: str, table: Table, *columns: str, where: str = "", unique: bool = False) -> None:
    """Add an index to a table; a column may be given with an order, as "priority DESC"."""
    parts = [text(column) if " " in column else table.c[column] for column in columns]
    condition = text(where) if where else None
    Index(name, *parts, unique=unique, sqlite_where=condition, postgresql_where=condition, _table=table)


@compiles(CreateColumn, "sqlite")
def _with_comment(created: CreateColumn, compiler: Any, **options: Any) -> str:
    """Write what a column holds into SQLite's schema, which knows no comments of its own."""
    return f"{compiler.visit_create_column(created, **options)} /* {created.element.comment} */"


def definition_of(metadata: MetaData, views: Mapping[str, str], dialect: Dialect) -> Definition:
    """Return the DDL of tables and views in the words of a database."""
    return Definition([_table_ddl(table, dialect) for table in metadata.sorted_tables], dict(views))


def _table_ddl(table: Table, dialect: Dialect) -> TableDDL:
    columns = {column.name: str(CreateColumn(column).compile(dialect=dialect)) for column in table.columns}
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    further: list[Any] = [CreateIndex(one, if_not_exists=True) for one in indexes]
    if dialect.supports_comments:
        further += [SetTableComment(table), *map(SetColumnComment, table.columns)]
    create = str(CreateTable(table).compile(dialect=dialect))
    return TableDDL(table.name, create, columns, [str(one.compile(dialect=dialect)) for one in further])
