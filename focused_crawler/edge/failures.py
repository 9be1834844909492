"""Ways a request can end without a page: the class that is counted, and whether to try again."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response

from focused_crawler.crawl.failure import Failure, label
from focused_crawler.edge.own import is_users
from focused_crawler.frontier.base import LONGEST_WAIT
from focused_crawler.page.url import host_of, normalise
from focused_crawler.safety.content import seconds_asked
from focused_crawler.safety.printable import printable

logger = logging.getLogger(__name__)


class Refused(IgnoreRequest):
    """Ends a request without a page and without a retry.

    `stat` is where it is counted, as in focused/limits/content_type; its last part is also `reason`.
    """

    stat_prefix = "focused/limits/"

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail = reason, detail
        self.stat = self.stat_prefix + reason


class AddressRefused(Refused):
    """The host is, or resolves to, an address that may not be asked."""

    stat_prefix = "focused/guard/"

    def __init__(self, detail: str) -> None:
        super().__init__("refused_address", detail)


own_refused = object()
"""Signal: the answer to a `request` of the user's is refused, for a `reason`."""


def count(refusal: Refused, request: Request, crawler: Crawler) -> Refused:
    """Count and log a refusal, and return it to be raised."""
    crawler.stats.inc_value(refusal.stat)
    why = ": ".join(filter(None, (label(refusal.reason), refusal.detail)))
    logger.info("Refused %(url)s (%(why)s)", {"url": printable(request.url), "why": printable(why)})
    if is_users(request):
        crawler.signals.send_catch_log(own_refused, request=request, reason=refusal.reason)
    return refusal


class NoPage(IgnoreRequest):
    """Raised by our middlewares when a response is not a page we can use."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


_BY_TYPE: tuple[tuple[type[Exception], Failure], ...] = (
    (DownloadTimeoutError, Failure("timeout", retry=True)),
    (CannotResolveHostError, Failure("dns", retry=True)),
    (DownloadConnectionRefusedError, Failure("connection_refused", retry=True)),
    (DownloadCancelledError, Failure("too_large", retry=False)),
    (ResponseDataLossError, Failure("data_loss", retry=True)),
    (UnsupportedURLSchemeError, Failure("scheme", retry=False)),
    (DownloadFailedError, Failure("connection", retry=True)),
)


def asked_host(url: str) -> str:
    """Return the host, as the frontier names it, of a URL as Scrapy writes it."""
    return host_of(normalise(url) or url)


def retry_after(response: Response) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date), at most an hour; None without one."""
    seconds = seconds_asked((response.headers.get(b"Retry-After") or b"").decode("latin-1"))
    return None if seconds is None else min(seconds, LONGEST_WAIT)


def take_note(ended: asyncio.Future[Any]) -> None:
    """Look at how something ended that nobody waits for any more (a callback): else asyncio would log it."""
    if not ended.cancelled():
        ended.exception()


def classify(error: BaseException | None) -> Failure:
    """Classify whatever ended a request."""
    if isinstance(error, NoPage):
        return error.failure
    if isinstance(error, Refused):
        return Failure(error.reason, retry=False)
    for kind, failure in _BY_TYPE:
        if isinstance(error, kind):
            return failure
    if isinstance(error, IgnoreRequest):
        return Failure("ignored", retry=False)
    return Failure(type(error).__name__, retry=True)
