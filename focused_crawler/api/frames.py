"""Rows as data frames: Arrow's own, and what pandas and polars make of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from focused_crawler.report.export.rows import Row
from focused_crawler.report.export.tables import Columns, batches, schema_of
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.extras import explaining_extras

Frame = Literal["arrow", "pandas", "polars"]


def frame_of(rows: Iterable[Row], columns: Columns, to: Frame) -> Any:
    """Return a pyarrow.Table of rows, or a DataFrame of pandas or polars; ConfigError without these."""
    with explaining_extras():
        import pyarrow as pa  # noqa: PLC0415 - of the extra "data"

        table = pa.Table.from_batches(batches(rows, columns), schema_of(columns))
    return as_frame(table, to)


def as_frame(table: Any, to: Frame) -> Any:
    """Return an Arrow table as what is asked for."""
    try:
        if to == "arrow":
            return table
        if to == "pandas":
            return table.to_pandas()
        if to == "polars":
            import polars  # noqa: PLC0415 - the user's

            return polars.from_arrow(table)
    except ImportError:
        raise ConfigError(f"{to} is not installed; type pip install {to}") from None
    raise ConfigError(f"to is {to!r}; use arrow, pandas or polars")
