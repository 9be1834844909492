"""Rows written as a table: CSV, JSON Lines, Parquet; or as nothing but their URLs."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused_crawler.report.export.rows import Row
from focused_crawler.safety.printable import harmless

if TYPE_CHECKING:
    import pyarrow as pa

Columns = Mapping[str, type]

BATCH = 2_000
"""Rows of a row group, and of a batch of Arrow."""


def write_csv(rows: Iterable[Row], columns: Columns, path: Path) -> int:
    """Write a line a row under a line of names; return how many rows.

    What a spreadsheet would run gets an apostrophe. Empty cells are what is not
    known, dates are ISO 8601 in UTC, truths are true and false.
    """
    with path.open("w", encoding="utf-8", newline="", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        number = 0
        for number, row in enumerate(rows, 1):  # noqa: B007 - how many there were
            writer.writerow([_cell(row[name]) for name in columns])
    return number


def write_jsonl(rows: Iterable[Row], columns: Columns, path: Path) -> int:
    """Write an object a row; return how many rows. What is not known is null."""
    plain = ({name: iso(value) for name, value in row.items()} for row in rows)
    return _write_lines((json.dumps(row, ensure_ascii=False) for row in plain), path)


def write_urls(rows: Iterable[Row], columns: Columns, path: Path) -> int:
    """Write a URL a line; return how many."""
    return _write_lines((row["url"] for row in rows), path)


def _write_lines(lines: Iterable[str], path: Path) -> int:
    number = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(lines, 1):  # noqa: B007 - how many there were
            file.write(f"{line}\n")
    return number


def write_parquet(rows: Iterable[Row], columns: Columns, path: Path) -> int:
    """Write a Parquet file, a row group after the other; return how many rows."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - of the extra "data"

    number = 0
    with pq.ParquetWriter(path, schema_of(columns), compression="zstd") as writer:
        for batch in batches(rows, columns):
            writer.write_batch(batch)
            number += batch.num_rows
    return number


def batches(rows: Iterable[Row], columns: Columns) -> Iterator[pa.RecordBatch]:
    """Yield rows as Arrow has them."""
    import pyarrow as pa  # noqa: PLC0415

    schema, rest = schema_of(columns), iter(rows)
    while some := list(islice(rest, BATCH)):
        yield pa.RecordBatch.from_pylist(some, schema=schema)


def schema_of(columns: Columns) -> pa.Schema:
    """Return the Arrow schema of rows."""
    import pyarrow as pa  # noqa: PLC0415

    kinds = {
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        str: pa.string(),
        datetime: pa.timestamp("us", tz="UTC"),
        list: pa.list_(pa.string()),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])


def iso(value: Any) -> Any:
    """Return a time as text, anything else as it is.

    >>> from datetime import UTC
    >>> iso(datetime(2026, 1, 31, 12, 30, 0, 250_000, UTC)), iso(None), iso("a")
    ('2026-01-31T12:30:00.250Z', None, 'a')
    """
    if not isinstance(value, datetime):
        return value
    return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    return str(value).lower() if isinstance(value, bool) else iso(value)
