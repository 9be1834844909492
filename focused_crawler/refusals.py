"""Requests and responses that are refused for safety: counted, logged on one line, never retried."""

from __future__ import annotations

import logging

from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from focused_crawler.net.printable import printable

logger = logging.getLogger(__name__)


class Refused(IgnoreRequest):
    """Ends a request without a page and without a retry.

    `stat` is where it is counted, as in focused/limits/content_type; its last part is also `reason`.
    """

    stat_prefix = "focused/limits/"

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.stat = self.stat_prefix + reason


class AddressRefused(Refused):
    """The host is, or resolves to, an address that may not be asked."""

    stat_prefix = "focused/guard/"

    def __init__(self, detail: str) -> None:
        super().__init__("refused_address", detail)


def count(refusal: Refused, url: str, stats: StatsCollector) -> Refused:
    """Count and log a refusal, and return it to be raised."""
    stats.inc_value(refusal.stat)
    logger.info("Refused %(url)s (%(refusal)s)", {"url": printable(url), "refusal": printable(str(refusal))})
    return refusal
