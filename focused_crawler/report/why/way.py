"""The way on which a crawl came to a URL: page by page, from the start page."""

from __future__ import annotations

from focused_crawler.page.url import url_key
from focused_crawler.report.why.facts import WayStep
from focused_crawler.store.database import CrawlDatabase

MOST_STEPS = 100
"""That are followed back; a longer way has no start page."""

_PAGE = """
SELECT url, coalesce(requested_key, key), parent, title, relevance, is_relevant FROM pages WHERE key = ?
"""
_QUEUED = "SELECT p.url FROM urls AS u JOIN urls AS p ON p.id = u.parent WHERE u.key = ?"
_LINK = """
SELECT anchor, score FROM links WHERE source = (SELECT id FROM urls WHERE key = ?)
AND target IN (SELECT id FROM urls WHERE key IN (?, ?)) ORDER BY coalesce(score, -1) DESC, number LIMIT 1
"""


def way_to(database: CrawlDatabase, url: str) -> tuple[WayStep, ...]:
    """Return the pages that led to a URL, the start page first and the URL itself last.

    Each was found on the one before, by a link that may be gone from it since.
    """
    steps: list[WayStep] = []
    seen: set[int] = set()
    next_url: str | None = url
    while next_url is not None and (key := url_key(next_url)) not in seen and len(steps) < MOST_STEPS:
        seen.add(key)
        step, parent, asked = _step(database, next_url, key)
        if parent is not None:
            for anchor, score in database.rows(_LINK, (url_key(parent), key, asked)):
                step = step._replace(anchor=anchor, score=score)
        steps.append(step)
        next_url = parent
    return tuple(reversed(steps))


def _step(database: CrawlDatabase, url: str, key: int) -> tuple[WayStep, str | None, int]:
    """Return a URL of the way, the page that it was found on, and the key that it was asked for by."""
    for found, asked, parent, title, relevance, is_relevant in database.rows(_PAGE, (key,)):
        return WayStep(found, title, relevance, bool(is_relevant)), parent, asked
    queued = database.rows(_QUEUED, (key,))
    return WayStep(url), queued[0][0] if queued else None, key
