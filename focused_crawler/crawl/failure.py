"""Why a URL gave no page, and which answers mean that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from focused_crawler.safety.content import RETRIED_STATUSES

REFUSALS = frozenset({429, 503})
"""Statuses that hold for the host, not for the page."""

GONE = frozenset({"http_404", "http_410", "redirect_to_known"})
"""Failures by which a page that was there is no more: it leads elsewhere, or nowhere."""


UNREACHED = frozenset({"dns", "timeout", "connection", "connection_refused", "data_loss", "refused_address"})
"""Failures of requests that brought no answer of a site."""


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


_LABELS = {
    "analysis_timeout": "took too long to read",
    "connection": "connection failed",
    "connection_refused": "connection refused",
    "content_type": "of no type we read",
    "data_loss": "connection broke off",
    "decompressed_bytes": "too large when unpacked",
    "disguised": "not what its type says",
    "dns": "no DNS answer",
    "head_bytes": "headers too long",
    "host_limit": "host gave all it may",
    "ignored": "left out by a component",
    "known": "unchanged since an earlier crawl",
    "lease_lost": "fetched by another worker",
    "not_html": "not HTML",
    "page_bytes": "page too large",
    "redirect_hops": "too many redirects",
    "redirect_location": "redirect to no URL",
    "redirect_refused": "redirect not allowed",
    "redirect_scheme": "redirect to another scheme",
    "redirect_to_known": "redirect to a known page",
    "redirects": "redirect in circles",
    "refused_address": "address not public",
    "robots": "forbidden by robots.txt",
    "robots_unreachable": "robots.txt not to be had",
    "scheme": "neither http nor https",
    "spider_error": "error in the spider",
    "timeout": "no answer in time",
    "too_large": "too large",
    "unchanged": "unchanged",
    "undecodable": "cannot be unpacked",
    "unparsable": "cannot be read as HTML",
    "worker_died": "its worker died",
}
_STATUS = re.compile("(?:http_|HTTP )([1-9][0-9]{2})")


def label(reason: str) -> str:
    """Return a class of failures as people read it in a table; one that has no words stays what it is.

    >>> label("http_404"), label("http_799"), label("dns"), label("SomeError")
    ('404 Not Found', 'status 799', 'no DNS answer', 'SomeError')
    """
    status = _STATUS.fullmatch(reason)
    if status is None:
        return _LABELS.get(reason, reason.replace("_", " "))
    try:
        return f"{status[1]} {HTTPStatus(int(status[1])).phrase}"
    except ValueError:
        return f"status {status[1]}"


def why_in_vain(failures: Mapping[str, int]) -> str:
    """Return why a crawl has fetched nothing, and what to look at: the one cause of all, if there is one.

    >>> why_in_vain({"dns": 9})
    'no DNS answer for any host; see that a name server can be reached, as scrapy doctor does'
    >>> why_in_vain({"connection_refused": 2, "dns": 1})
    'connection refused 2x, no DNS answer 1x; scrapy doctor looks at the network'
    >>> why_in_vain({"http_404": 1})
    "404 Not Found 1x; check the topic's seeds"
    """
    if set(failures) == {"dns"}:
        return "no DNS answer for any host; see that a name server can be reached, as scrapy doctor does"
    counted = ", ".join(f"{label(name)} {number}x" for name, number in failures.items()) or "no seed left"
    is_cut_off = bool(failures) and UNREACHED.issuperset(failures)
    return f"{counted}; " + (
        "scrapy doctor looks at the network" if is_cut_off else "check the topic's seeds"
    )
