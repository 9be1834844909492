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


UNCHANGED = Failure("unchanged", retry=False)
KNOWN = Failure("known", retry=False)
LISTED = Failure("listed", retry=False)
"""Why there is no further page after an answer that a page has not changed, or that lists links: its visit
has ended well."""
LISTINGS_OFF = Failure("listings_off", retry=False)
"""Why a sitemap or feed that waits is not fetched: this run reads none."""
LATE = Failure("late", retry=False)
"""Why an answer is not read: its lease had expired, and the page came by another one. It ends no visit."""


def failure_of_status(status: int, host: str, retry_after: float | None = None) -> Failure:
    """Classify an answer that is no page, by its status; `retry_after`: seconds that it asks for."""
    reason = f"http_{status}"
    if status not in RETRIED_STATUSES:
        return Failure(reason, retry=False)
    is_refusal = status in REFUSALS or retry_after is not None
    return Failure(reason, True, retry_after, host if is_refusal else None)


class FailureWords(NamedTuple):
    """A class of failures in words."""

    label: str  # in a table
    sentence: str  # of a URL, "it"


_WORDS = {
    "analysis_timeout": FailureWords("took too long to read", "reading it took too long"),
    "canonical": FailureWords(
        "canonical URL of a fetched page",
        "a page that was fetched names it as its canonical URL",
    ),
    "connection": FailureWords("connection failed", "the connection broke"),
    "connection_refused": FailureWords("connection refused", "its server takes no connections"),
    "content_type": FailureWords("of no type we read", "it is no HTML"),
    "data_loss": FailureWords("connection broke off", "its server sent less than it had promised"),
    "decompressed_bytes": FailureWords("too large when unpacked", "unpacked, it is too large"),
    "disguised": FailureWords(
        "not what its type says",
        "it says that it is HTML, and is another kind of file",
    ),
    "dns": FailureWords("no DNS answer", "no address is known of its host"),
    "domain_share": FailureWords(
        "domain with too many hosts",
        "its domain has too many hosts for what it brought",
    ),
    "head_bytes": FailureWords("headers too long", "the headers of its answer are too long"),
    "host_limit": FailureWords(
        "host gave all it may",
        "it redirects to a host that has given all the pages it may",
    ),
    "http_401": FailureWords("401 Unauthorized", "it wants a password (401)"),
    "http_403": FailureWords("403 Forbidden", "its server forbids it (403)"),
    "http_404": FailureWords("404 Not Found", "there is no such page (404)"),
    "http_410": FailureWords("410 Gone", "the page is gone (410)"),
    "http_429": FailureWords("429 Too Many Requests", "its server was asked too often (429)"),
    "ignored": FailureWords("left out by a component", "a component of the project left it out"),
    "known": FailureWords("unchanged since an earlier crawl", "it is as an earlier crawl has it"),
    "lease_lost": FailureWords("fetched by another worker", "another worker has fetched it"),
    "listings_off": FailureWords(
        "sitemaps and feeds are off", "no sitemap or feed is read (FOCUSED_LISTINGS)"
    ),
    "no_listing": FailureWords("neither sitemap nor feed", "it is neither a sitemap nor a feed"),
    "not_html": FailureWords("not HTML", "it is no HTML"),
    "out_of_scope": FailureWords(
        "redirect out of scope",
        "it redirects to what the topic's [scope] leaves out",
    ),
    "page_bytes": FailureWords("page too large", "it is too large"),
    "redirect_hops": FailureWords("too many redirects", "it redirects too often"),
    "redirect_location": FailureWords("redirect to no URL", "it redirects to what is no web page"),
    "redirect_refused": FailureWords("redirect not allowed", "it redirects to what is no web page"),
    "redirect_scheme": FailureWords("redirect to another scheme", "it redirects to what is no web page"),
    "redirect_to_known": FailureWords(
        "redirect to a known page",
        "it redirects to a page that is fetched already",
    ),
    "redirects": FailureWords("redirect in circles", "it redirects in circles"),
    "refused_address": FailureWords("address not public", "its host is an address of a private network"),
    "robots": FailureWords("forbidden by robots.txt", "its site's robots.txt forbids it"),
    "robots_unreachable": FailureWords(
        "robots.txt not to be had",
        "its site's robots.txt could not be read, and without it nothing is asked",
    ),
    "scheme": FailureWords("neither http nor https", "it is neither http nor https"),
    "spider_error": FailureWords("error in the spider", "the spider failed on it"),
    "timeout": FailureWords("no answer in time", "its server took too long"),
    "too_large": FailureWords("too large", "it is too large"),
    "trap_domain": FailureWords(
        "trap: domain without gain",
        "too many pages of the sites of its domain gave nothing",
    ),
    "trap_mirror": FailureWords("trap: mirror of another site", "its site is a copy of another"),
    "trap_pattern": FailureWords(
        "trap: pattern of URLs without gain",
        "too many pages whose URLs are like it gave nothing",
    ),
    "trap_query": FailureWords(
        "trap: one page by many names",
        "it was fetched by another query, or another part of its path, which made no difference so far",
    ),
    "trap_site": FailureWords("trap: site without gain", "too many pages of its site gave nothing"),
    "unchanged": FailureWords("unchanged", "it is unchanged"),
    "undecodable": FailureWords("cannot be unpacked", "it cannot be unpacked"),
    "unparsable": FailureWords("cannot be read as HTML", "no words could be found in it"),
    "worker_died": FailureWords("its worker died", "the process that read it died"),
}
"""Class of a failure, or rule of a trap -> its words; a status without a line of its own has its number."""
_STATUS = re.compile("(?:http_|HTTP )([1-9][0-9]{2})")


def label(reason: str) -> str:
    """Return a class of failures as people read it in a table; one that has no words stays what it is.

    >>> label("http_404"), label("http_799"), label("dns"), label("SomeError")
    ('404 Not Found', 'status 799', 'no DNS answer', 'SomeError')
    """
    if reason in _WORDS:
        return _WORDS[reason].label
    status = _STATUS.fullmatch(reason)
    if status is None:
        return reason.replace("_", " ")
    try:
        return f"{status[1]} {HTTPStatus(int(status[1])).phrase}"
    except ValueError:
        return f"status {status[1]}"


def sentence(reason: str) -> str:
    """Return what a class of failures means for a URL.

    >>> sentence("http_404"), sentence("http_500"), sentence("SomeError")
    ('there is no such page (404)', 'its server answered 500', 'it ended in SomeError')
    """
    if reason in _WORDS:
        return _WORDS[reason].sentence
    status = _STATUS.fullmatch(reason)
    return f"its server answered {status[1]}" if status else f"it ended in {reason}"


def why_in_vain(failures: Mapping[str, int]) -> str:
    """Return why a crawl has fetched nothing, and what to look at: the one cause of all, if there is one.

    >>> why_in_vain({"dns": 9})
    'no DNS answer for any host; see that a name server can be reached, as scrapy doctor does'
    >>> why_in_vain({"connection_refused": 2, "dns": 1})
    'connection refused 2x, no DNS answer 1x; scrapy doctor looks at the network'
    >>> why_in_vain({"http_404": 1})
    "404 Not Found 1x; check the topic's seeds"
    >>> why_in_vain({"spider_error": 3})
    'error in the spider 3x; the log has its traceback'
    """
    if set(failures) == {"dns"}:
        return "no DNS answer for any host; see that a name server can be reached, as scrapy doctor does"
    counted = ", ".join(f"{label(name)} {number}x" for name, number in failures.items()) or "no seed left"
    if set(failures) == {"spider_error"}:
        return f"{counted}; the log has its traceback"
    is_cut_off = bool(failures) and UNREACHED.issuperset(failures)
    return f"{counted}; " + (
        "scrapy doctor looks at the network" if is_cut_off else "check the topic's seeds"
    )
