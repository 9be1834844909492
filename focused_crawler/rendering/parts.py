"""What a page in a browser asks for: what of it is fetched, and what is kept for the next page."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from focused_crawler.rendering.trackers import is_tracker

FETCHED_KINDS = frozenset(["script", "xhr", "fetch"])
"""All that can add text; images, fonts, media, style sheets, sockets and what else there is cannot."""

MOST_PARTS = 60
MOST_BYTES = 8 * 1024 * 1024
"""Parts that one page may ask for, and what they may come to."""

PART_BYTES = 4 * 1024 * 1024
"""Of one part, decompressed: bundles of scripts are larger than pages."""

CACHE_BYTES = 64 * 1024 * 1024
CACHE_SECONDS = 600
"""Parts are kept for so long: the pages of an app share its scripts, which are asked for once."""

SENT_HEADERS = frozenset(["accept", "accept-language", "authorization", "content-type", "x-requested-with"])
"""Of a part's request, as the page's scripts made it; with these it asks for what it would get from us."""


class Part(NamedTuple):
    """An answer that the browser is given."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class PartLimits:
    """What one page has asked for so far."""

    parts: int = 0
    bytes: int = 0
    hosts: dict[str, int] = field(default_factory=dict)  # requests that were sent

    def why_not(self, kind: str, method: str, url: str) -> str | None:
        """Return why a part is not to be fetched, None if it is: then it counts."""
        reason = why_blocked(kind, method, url)
        if reason is None and (self.parts >= MOST_PARTS or self.bytes >= MOST_BYTES):
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

    def keep(self, url: str, part: Part) -> None:
        """Keep an answer, unless it says that it is not to be kept, or is none."""
        control = part.headers.get("cache-control", "")
        if part.status != 200 or "no-store" in control or "no-cache" in control or "private" in control:
            return
        self._drop(url)
        self._parts[url] = (time.monotonic() + CACHE_SECONDS, part)
        self._bytes += len(part.body)
        while self._bytes > self._size:
            self._drop(next(iter(self._parts)))

    def _drop(self, url: str) -> None:
        dropped = self._parts.pop(url, None)
        if dropped is not None:
            self._bytes -= len(dropped[1].body)
