"""Ways a request can end without a page: the class that is counted, and whether to try again."""

from __future__ import annotations

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
from twisted.python.failure import Failure as TwistedFailure

from focused_crawler.crawl import Failure
from focused_crawler.refusals import Refused

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})


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


def failure_of(ended: TwistedFailure) -> Failure:
    """Classify what an errback is given."""
    return classify(ended.value)


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
