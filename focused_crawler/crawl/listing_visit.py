"""The visit of a sitemap or feed: what it lists is scored, and the best of it queued."""

from __future__ import annotations

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.listings import is_own
from focused_crawler.crawl.visit import Visit
from focused_crawler.page.listed import listed_page
from focused_crawler.page.listing import FEED, INDEX, SITEMAP, SiteListing
from focused_crawler.safety.aside import Parts

MOST_QUEUED = 1_000
"""Links of a listing that are queued, the best: a sitemap holds up to 50,000, and most are never fetched."""
AT_A_TIME = 250


def listing_parts(visit: Visit, analyst: Analyst, listing: SiteListing, url: str, now: float) -> Parts[int]:
    """Queue what a listing found at `url` lists, and end its visit; return how many links it gave, in parts.

    An index gives sitemaps, which wait for their turn.
    """
    lease, depth = visit.listing, visit.lease.depth
    assert lease is not None
    if listing.kind == INDEX:
        found = visit.listings.listed(lease, listing, url, depth)
        visit.listed(INDEX, found)
        return found
    best = yield from _best(visit, analyst, listing, url, now)
    for first in range(0, len(best), AT_A_TIME):
        visit.links(visit.url, best[first : first + AT_A_TIME], depth, first)
        yield
    visit.listed(listing.kind, len(best))
    return len(best)


def _best(
    visit: Visit, analyst: Analyst, listing: SiteListing, url: str, now: float
) -> Parts[list[ScoredLink]]:
    """Return the links to queue; the page that they are scored on is as relevant as its host's are.

    A link of a sitemap to another site is left alone.
    """
    lease, context_words = visit.listing, analyst.config.context_words
    assert lease is not None
    relevance = visit.listings.relevance(lease)
    entries = [entry for entry in listing.entries if listing.kind == FEED or is_own(entry.url, lease, url)]
    scored: list[ScoredLink] = []
    for first in range(0, len(entries), AT_A_TIME):
        if listing.kind == SITEMAP:
            visit.announce(entries[first : first + AT_A_TIME], now)
        page = listed_page(url, entries[first : first + AT_A_TIME], analyst.analyzer, context_words)
        page.relevance, page.depth = relevance, visit.lease.depth
        page.is_relevant = page.by_content = relevance >= analyst.threshold
        scored += [link for link in analyst.order.score_listing(page) if link.score is not None]
        yield
    return sorted(scored, key=lambda link: -(link.score or 0.0))[:MOST_QUEUED]
