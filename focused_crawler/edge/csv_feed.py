"""Scrapy's CSV feed (`-o pages.csv`), safe to open in a spreadsheet."""

from __future__ import annotations

from typing import Any

from scrapy.exporters import CsvItemExporter

from focused_crawler.safety.printable import harmless


class SafeCsvItemExporter(CsvItemExporter):
    """Puts an apostrophe before text from the web that a spreadsheet would run."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        text = super().serialize_field(field, name, value)
        return harmless(text) if isinstance(text, str) else text
