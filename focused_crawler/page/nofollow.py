"""The wish that links be left alone: whose is obeyed, and a page's as its server sends it (X-Robots-Tag)."""

from __future__ import annotations

from collections.abc import Iterable

from focused_crawler.safety.address import user_agent

CLOSING = frozenset(["nofollow", "none"])
"""Words by which a page wants its links to be left alone."""

NOFOLLOW = ("page", "link", "off")
"""Whose wish that links be left alone is obeyed: a page's (meta robots), a link's (rel) as well, nobody's."""

CLOSED = "closed"
"""In the place of one of these: the server has said that no link of the page is to be followed."""

ROBOTS_TAG = "X-Robots-Tag"

ROBOTS = frozenset(["robots", user_agent("").partition("/")[0]])
"""Names of a <meta> that speaks to us."""

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
