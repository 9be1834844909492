"""Text from the web does no harm where a person opens it: in a terminal, or in a spreadsheet.

Nor does a log give away passwords.
"""

from __future__ import annotations

import logging
import re
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exporters import CsvItemExporter

from focused_crawler.safety.printable import harmless, without_controls

_SECRET = re.compile(
    r"""(://[^\s/?#@:'"]*:)[^\s/?#'"]+(?=@)|(\b(?:\w*password|\w*secret|\w*token|api_?key)=)[^\s&#'"]+""",
    re.I,
)
"""A password in an address, and what names itself a secret in one."""


class ControlEscaper(logging.Filter):
    """Escapes control characters and hides secrets in messages and tracebacks; lets every record through."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except Exception:  # its arguments do not fit; raised here, it would end what logs
            record.msg, record.args = _safe(f"{record.msg} {record.args}"), None
        else:
            if (safe := _safe(message)) != message:
                record.msg, record.args = safe, None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:  # that another handler may have made before
            record.exc_text = _safe(record.exc_text)
        if record.stack_info:
            record.stack_info = _safe(record.stack_info)
        return True


def _safe(text: str) -> str:
    """Return text for a log.

    >>> _safe("no answer of postgresql://ann:pass@word@db/crawls?password=x&sslmode=disable")
    'no answer of postgresql://ann:***@db/crawls?password=***&sslmode=disable'
    """
    return without_controls(_SECRET.sub(r"\1\2***", text))


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
