"""Text from the web does no harm where a person opens it: in a terminal, or in a spreadsheet."""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter

from focused_crawler.safety.printable import harmless, without_controls


class ControlEscaper(logging.Filter):
    """Escapes control characters in messages and tracebacks; lets every record through."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        escaped = without_controls(message)
        if escaped != message:
            record.msg, record.args = escaped, None
        if record.exc_info and not record.exc_text:
            record.exc_text = without_controls(logging.Formatter().formatException(record.exc_info))
        return True


class LogEscaping:
    """Extension: puts a `ControlEscaper` before all log handlers, at once and when the spider opens.

    Scrapy logs hosts of URLs as they came, and a host name may hold ESC, NUL or a right-to-left mark. Again
    when the spider opens: until then Scrapy may still replace its first handler.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        extension.spider_opened()
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    def spider_opened(self) -> None:
        for handler in logging.getLogger().handlers:
            if not any(isinstance(known, ControlEscaper) for known in handler.filters):
                handler.addFilter(ControlEscaper())


class SafeCsvItemExporter(CsvItemExporter):
    """The CSV feed (`-o pages.csv`): an apostrophe disarms text that a spreadsheet would run."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        text = super().serialize_field(field, name, value)
        return harmless(text) if isinstance(text, str) else text
