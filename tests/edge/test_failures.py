from __future__ import annotations

import pytest
from scrapy import exceptions

from focused_crawler.crawl.failure import Failure
from focused_crawler.edge.failures import AddressRefused, NoPage, Refused, classify


@pytest.mark.parametrize(
    ("error", "reason", "retry"),
    [
        (exceptions.DownloadTimeoutError(), "timeout", True),
        (exceptions.CannotResolveHostError(), "dns", True),
        (exceptions.DownloadConnectionRefusedError(), "connection_refused", True),
        (exceptions.DownloadFailedError(), "connection", True),
        (exceptions.ResponseDataLossError(), "data_loss", True),
        (exceptions.DownloadCancelledError(), "too_large", False),
        (exceptions.UnsupportedURLSchemeError(), "scheme", False),
        (Refused("content_type", "video/mp4"), "content_type", False),
        (AddressRefused("10.0.0.1"), "refused_address", False),
        (NoPage(Failure("http_503", retry=True)), "http_503", True),
        (exceptions.IgnoreRequest("a user's middleware"), "ignored", False),
        (ZeroDivisionError("a mistake of ours"), "ZeroDivisionError", True),
    ],
)
def test_every_end_has_a_class(error: Exception, reason: str, retry: bool) -> None:
    """Short enough to count by; what may pass is tried again, what is refused on purpose is not."""
    assert classify(error) == Failure(reason, retry)


def test_a_page_tells_when_to_come_back() -> None:
    """The seconds of its Retry-After are kept."""
    failure = Failure("http_503", retry=True, retry_after=7.0)
    assert classify(NoPage(failure)) == failure
