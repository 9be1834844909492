"""The parts of a link's score, computed again from its page as it was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from w3lib.encoding import http_content_type_encoding

from focused_crawler.crawl.analysis import Analyst, Way
from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Page
from focused_crawler.page.nofollow import ROBOTS_TAG, nofollow_of
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.url import url_key
from focused_crawler.report.explain.links import BestLink, parts_of, score_links, with_lists
from focused_crawler.report.explain.page import judge
from focused_crawler.report.why.facts import LinkFact
from focused_crawler.report.why.learnt import Reckoned
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.virtualweb.export import webs_of
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import all_of

SAME = 0.0005
"""Scores nearer than this are the same: the shown digits are equal."""

_WAY = """
SELECT p.depth, u.path, p.requested_url FROM pages AS p
LEFT JOIN urls AS u ON u.key = coalesce(p.requested_key, p.key) WHERE p.key = ?
"""
_LEARNT = "the strategy has learnt since"
_OLDER = "it is older: what was known then is not stored any more"
_CHOSEN = "the strategy chose it to come next"


class LinkParts(NamedTuple):
    """What makes a URL's priority, or the score of the link that gave it, as far as it can be computed."""

    link: LinkFact
    score: float | None = None  # as it comes out now; None: not followed
    parts: Parts | None = None  # None: the strategy does not show them
    note: str = ""  # why there are no parts, or why the score differs from what was recorded
    pages: int | None = None  # by which the strategy came to the priority; None: the link is scored again


def page_as_recorded(folder: Path, run: RunInfo, url: str, analyst: Analyst) -> Page | None:
    """Return a page out of the crawl's virtual web or its record, None where neither has it.

    Raises WebError for a web that cannot be read.
    """
    for path in webs_of(folder, run):
        with VirtualWeb(path) as web:
            record = web.get(url)
        if record is not None and record.status in PAGE_STATUSES:
            encoding = http_content_type_encoding(record.header("Content-Type"))
            try:
                nofollow = nofollow_of(analyst.config.nofollow, all_of(record.headers, ROBOTS_TAG))
                return parse_page(record.body, url, analyst.analyzer, encoding, nofollow)
            except UnparsablePage:
                return None
    return None


def parts_again(analyst: Analyst, page: Page, link: LinkFact, database: CrawlDatabase) -> LinkParts:
    """Score a page's links, and pick out one of them; the strategy has learnt what the crawl has."""
    depth, page.path, page.asked = way_of(database, url_key(link.source), link.depth or 0)
    judge(analyst, page, depth)
    key = url_key(link.target)
    found = [scored for scored in score_links(analyst, page) if url_key(scored.link.url) == key]
    if not found:
        left = ", or has it with nofollow" if page.closed else ""
        return LinkParts(link, note=f"its page has no such link any more{left}")
    return LinkParts(link, found[0].score, parts_of(analyst, page, found[0]), _note(analyst, link, found[0]))


def parts_then(analyst: Analyst, link: LinkFact, reckoned: Reckoned) -> LinkParts:
    """Return what made a URL's priority when the strategy came to it; its page is not needed."""
    score, sent = analyst.order.corrected([link.target] * 2, [reckoned.deserved, reckoned.sent])
    note = _OLDER if reckoned.is_late else ""
    if score is not None and sent is not None and abs(sent - score) >= SAME:
        note = f"{sent:.3f} in the frontier: {note or _CHOSEN}"
    return LinkParts(
        link, score, with_lists(analyst, reckoned.parts, link.target, score), note, reckoned.pages
    )


def nowhere(run: RunInfo) -> CrawlError:
    """Return what to say where a page is not at hand."""
    reason = "the crawl's web does not have it" if run.web else "the crawl was not recorded"
    return CrawlError(f"its page is not at hand ({reason}); fetch it with --fetch")


def way_of(database: CrawlDatabase, key: int, depth: int) -> Way:
    """Return how a recorded page was come to.

    `depth`: of what is no recorded page.
    """
    rows = database.rows(_WAY, (key,))
    if not rows:
        return Way(depth)
    depth, path, asked = rows[0]
    return Way(depth, None if path is None else bytes(path), asked or "")


def _note(analyst: Analyst, link: LinkFact, found: BestLink) -> str:
    if link.depth is not None and analyst.scope.is_too_deep(link.depth):
        return "it lies beyond DEPTH_LIMIT"
    now, then = found.score, link.score
    if now == then or (now is not None and then is not None and abs(now - then) < SAME):
        return found.reason
    was = "not followed" if then is None else f"{then:.3f}"
    return f"recorded was {was}: {_cause(analyst)}"


def _cause(analyst: Analyst) -> str:
    """Return what may have changed since a score was recorded."""
    uses_lists = analyst.config.uses_lists and analyst.config.list_prior > 0
    if analyst.order.learns:
        return "the strategy has learnt since, or the lists have changed" if uses_lists else _LEARNT
    lists = ", the lists" if uses_lists else ""
    return f"the model{lists}, a setting or the page has changed since"
