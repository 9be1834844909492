"""What a page in a browser asks for: what of it is fetched, and what is cached for the next page."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from focused_crawler.edge.rendering.needs import is_tracker

FETCHED_KINDS = frozenset(["script", "xhr", "fetch"])
"""All that can add text; images, fonts, media, style sheets, sockets and what else there is cannot."""

MOST_PARTS = 60
MOST_BYTES = 8 * 1024 * 1024
"""Parts that one page may ask for, and what they may come to."""

PART_BYTES = 4 * 1024 * 1024
"""Of one part, decompressed: bundles of scripts are larger than pages."""

PARTS_AT_A_TIME = 6
"""Parts of one page that are fetched at a time: so many of PART_BYTES may be under way beyond MOST_BYTES."""

TOO_LONG = frozenset(["too_large", "page_bytes", "decompressed_bytes"])
"""Failures of parts that were given up for their size, when most of it had come."""

CACHE_BYTES = 64 * 1024 * 1024
CACHE_SECONDS = 600
"""Parts are cached for so long: the pages of an app share its scripts, which are asked for once."""

SENT_HEADERS = frozenset(["accept", "accept-language", "authorization", "content-type", "x-requested-with"])
"""Of a part's request, as the page's scripts made it; with these it asks for what it would get from us."""


class Part(NamedTuple):
    """An answer that the browser is given."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class PartLimits:
    """What one page has asked for so far.

    Parts may be asked for all at once, and what they come to is known only later: `has_room` is to be checked
    at again when one is about to be fetched, and `takes` when it has come.
    """

    parts: int = 0
    bytes: int = 0  # that have come
    hosts: dict[str, int] = field(default_factory=dict)  # requests that were sent

    @property
    def has_room(self) -> bool:
        """Tell whether anything more may come."""
        return self.bytes < MOST_BYTES

    def takes(self, size: int) -> bool:
        """Count a part that has come; return whether the page may have it. If not, it may have no more."""
        self.bytes += size
        return self.bytes <= MOST_BYTES

    def why_not(self, kind: str, method: str, url: str) -> str | None:
        """Return why a part is not to be fetched, None if it is: then it counts."""
        reason = why_blocked(kind, method, url)
        if reason is None and (self.parts >= MOST_PARTS or not self.has_room):
            reason = "limit"
        self.parts += reason is None
        return reason


def why_blocked(kind: str, method: str, url: str) -> str | None:
    """Return why a page may not have something, None if it may; `kind` is the browser's word for it.

    >>> why_blocked("image", "GET", "http://a.test/x.png"), why_blocked("fetch", "POST", "http://a.test/")
    ('kind', 'method')
    """
    if kind not in FETCHED_KINDS:
        return "kind"
    if method != "GET":
        return "method"  # what a crawler asks for changes nothing
    if urlsplit(url).scheme not in ("http", "https"):
        return "scheme"
    return "tracker" if is_tracker(url) else None


def slot_of(host: str) -> str:
    """Return the name of the downloader's slot for what pages ask of a host."""
    return f"parts of {host}"


class PartCache:
    """The parts asked for last, by URL."""

    def __init__(self, size: int = CACHE_BYTES) -> None:
        self._size = size
        self._parts: OrderedDict[str, tuple[float, Part]] = OrderedDict()
        self._bytes = 0

    def get(self, url: str) -> Part | None:
        found = self._parts.get(url)
        if found is None or found[0] < time.monotonic():
            return None
        self._parts.move_to_end(url)
        return found[1]

    def store(self, url: str, part: Part) -> None:
        """Store an answer, unless it is not to be stored, or is none."""
        control = part.headers.get("cache-control", "")
        if part.status != 200 or "no-store" in control or "no-cache" in control or "private" in control:
            return
        self._drop(url)
        self._parts[url] = (time.monotonic() + CACHE_SECONDS, part)
        self._bytes += cost(url, part)
        while self._bytes > self._size:
            self._drop(next(iter(self._parts)))

    def _drop(self, url: str) -> None:
        dropped = self._parts.pop(url, None)
        if dropped is not None:
            self._bytes -= cost(url, dropped[1])


def cost(url: str, part: Part) -> int:
    """Return the bytes that a cached part takes; an empty one takes some, too."""
    return 1_000 + len(url) + sum(map(len, part.headers.values())) + len(part.body)
