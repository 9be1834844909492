"""X-Robots-Tag: a page's wish that its links be left alone, as its server sends it."""

from __future__ import annotations

from collections.abc import Iterable

from focused_crawler.page.builder import CLOSED, CLOSING
from focused_crawler.safety.address import user_agent

ROBOTS_TAG = "X-Robots-Tag"

_WITH_VALUE = frozenset(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"])
"""What else may stand before a colon."""


def nofollow_of(wish: str, headers: Iterable[str], agent: str = "") -> str:
    """Return FOCUSED_NOFOLLOW, or `CLOSED` for a page with such headers, if the wish of pages is obeyed.

    What follows a robot's name and a colon is for that robot alone. `agent`: our User-Agent, if not the
    project's.

    >>> nofollow_of("page", ["noindex, nofollow"]), nofollow_of("page", ["otherbot: noindex, nofollow"])
    ('closed', 'page')
    >>> nofollow_of("link", ["max-snippet: 50, none"]), nofollow_of("off", ["none"])
    ('closed', 'off')
    """
    if wish == "off":
        return wish
    ours = {"", "*", (agent or user_agent("")).partition("/")[0].strip().lower()}
    for header in headers:
        name = ""
        for part in header.lower().split(","):
            before, colon, rest = (text.strip() for text in part.partition(":"))
            if colon and before not in _WITH_VALUE and len(before.split()) == 1:
                name, before = before, rest
            if before in CLOSING and name in ours:
                return CLOSED
    return wish
