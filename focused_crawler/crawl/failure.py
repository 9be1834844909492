"""Why a URL gave no page, and which answers mean that."""

from __future__ import annotations

from typing import NamedTuple

from focused_crawler.safety.content import RETRIED_STATUSES

REFUSALS = frozenset({429, 503})
"""Statuses that hold for the host, not for the page."""

GONE = frozenset({"http_404", "http_410", "redirect_to_known"})
"""Failures by which a page that was there is no more: it leads elsewhere, or nowhere."""


class Failure(NamedTuple):
    """Why a URL gave no page."""

    reason: str  # a short class: robots, http_404, timeout, ...
    retry: bool
    retry_after: float | None = None  # seconds the host asked us to wait
    refused_by: str | None = None  # the host that would not serve us now: by 429, by 503 or with Retry-After
    detail: str = ""  # what belongs to the reason: a URL
    is_untried: bool = False  # nobody was asked, so that it costs no try


def failure_of_status(status: int, host: str, retry_after: float | None = None) -> Failure:
    """Classify an answer that is no page, by its status; `retry_after`: seconds that it asks for."""
    reason = f"http_{status}"
    if status not in RETRIED_STATUSES:
        return Failure(reason, retry=False)
    is_refusal = status in REFUSALS or retry_after is not None
    return Failure(reason, True, retry_after, host if is_refusal else None)
