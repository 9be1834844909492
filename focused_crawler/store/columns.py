"""Kinds of columns of a crawl's tables, the same in every database; all say what they hold."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Double, Identity, Index, LargeBinary, Table, Text, text

TEXT = Text().with_variant(Text(collation="C"), "postgresql")
"""Compared byte by byte, as SQLite does."""


def whole(name: str, comment: str, *, optional: bool = False, default: int | None = None) -> Column[Any]:
    """Return a column of whole numbers of 64 bits."""
    return _column(name, BigInteger(), comment, optional, default)


def real(name: str, comment: str, *, optional: bool = False, default: int | None = None) -> Column[Any]:
    """Return a column of real numbers of 64 bits."""
    return _column(name, Double(), comment, optional, default)


def words(name: str, comment: str, *, optional: bool = False) -> Column[Any]:
    """Return a column of texts."""
    return _column(name, TEXT, comment, optional, None)


def blob(name: str, comment: str, *, optional: bool = False) -> Column[Any]:
    """Return a column of bytes."""
    return _column(name, LargeBinary(), comment, optional, None)


def _column(name: str, kind: Any, comment: str, optional: bool, default: int | None) -> Column[Any]:
    server_default = None if default is None else text(str(default))
    return Column(name, kind, nullable=optional, comment=comment, server_default=server_default)


def counted(comment: str) -> Column[Any]:
    """Return the primary key `id`, which the database counts up."""
    return Column("id", BigInteger(), Identity(), primary_key=True, comment=comment)


def key(name: str, comment: str, kind: Any = None) -> Column[Any]:
    """Return a primary key that is always given."""
    kind = BigInteger() if kind is None else kind
    return Column(name, kind, primary_key=True, autoincrement=False, comment=comment)


def index(name: str, table: Table, *columns: str, where: str = "", unique: bool = False) -> None:
    """Add an index to a table; a column may be given with an order, as "priority DESC"."""
    parts = [text(column) if " " in column else table.c[column] for column in columns]
    condition = text(where) if where else None
    Index(name, *parts, unique=unique, sqlite_where=condition, postgresql_where=condition, _table=table)
