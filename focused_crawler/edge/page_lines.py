"""Scrapy's exporter of the crawl's own feed."""

from __future__ import annotations

from typing import Any, BinaryIO

from scrapy.exporters import BaseItemExporter

from focused_crawler.store.feed import page_line


class PageLineExporter(BaseItemExporter):
    """Writes a page as `correct_feed` does; Scrapy's own looks at all fields anew for each of them."""

    def __init__(self, file: BinaryIO, **given: Any) -> None:
        super().__init__(dont_fail=True, **given)
        self._file = file

    def export_item(self, item: Any) -> None:
        """Write a page."""
        self._file.write(page_line(item))
