"""The DDL of a crawl's tables as text; SQLite's is in a file, so that a crawl there needs no SQLAlchemy.

    python -m focused_crawler.store.tables

writes the file anew after a change of the tables; a test holds the two equal.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

FILE = "sqlite.json"


class TableDDL(NamedTuple):
    """The statements that make a table, or what it lacks."""

    name: str
    create: str
    columns: Mapping[str, str]  # name -> as it stands in CREATE TABLE
    further: Sequence[str]  # indexes and comments; each may be run again


class Definition(NamedTuple):
    """All tables, in the order in which they can be made, and the views on them."""

    tables: Sequence[TableDDL]
    views: Mapping[str, str]

    def statements(self, found: Mapping[str, Collection[str]]) -> Iterator[str]:
        """Yield the DDL for all that a database lacks; `found`: its tables, with their columns."""
        for name, create, columns, further in self.tables:
            if name not in found:
                yield create
            else:
                yield from (
                    f"ALTER TABLE {name} ADD COLUMN {ddl}"
                    for column, ddl in columns.items()
                    if column not in found[name]
                )
            yield from further
        for name, query in self.views.items():
            yield f"DROP VIEW IF EXISTS {name}"
            yield f"CREATE VIEW {name} AS {query}"


def of_sqlite() -> Definition:
    """Return what the file says."""
    tables, views = json.loads(files(__package__ or "").joinpath(FILE).read_text("utf-8"))
    return Definition([TableDDL(*table) for table in tables], views)


def as_text(definition: Definition) -> str:
    """Return what the file holds."""
    return f"{json.dumps(definition, indent=1)}\n"
