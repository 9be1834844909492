"""The visit of a sitemap or feed: what it lists is scored, and the best of it queued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.listings import is_own
from focused_crawler.crawl.visit import Visit
from focused_crawler.page.listed import listed_page
from focused_crawler.page.listing import INDEX, SITEMAP, ListedUrl, SiteListing
from focused_crawler.page.model import Page
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
        found = visit.context.listings.listed(lease, listing, url, depth)
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
    """Return the links to queue; a link of a sitemap to another site is left alone.

    Of a long listing all are scored first, and those that are not among the best leave no trace.
    """
    lease, order = visit.listing, analyst.order
    assert lease is not None
    is_deep, outside = analyst.scope.is_too_deep(visit.lease.depth), analyst.scope.outside
    entries: list[ListedUrl] = []
    for first in range(0, len(listing.entries), AT_A_TIME):
        part: Sequence[ListedUrl] = listing.entries[first : first + AT_A_TIME]
        if listing.kind == SITEMAP:
            part = [entry for entry in part if is_own(entry.url, lease, url)]
            _announce(visit, part, now)
        entries += [entry for entry in part if not is_deep and not outside(entry.url)]
        yield
    if len(entries) > MOST_QUEUED:
        ranked: list[tuple[float, ListedUrl]] = []
        for page, part in _pages(visit, analyst, entries, url):
            scores = (link.score for link in order.score_listing(page))
            ranked += [(score, entry) for score, entry in zip(scores, part, strict=True) if score is not None]
            yield
        ranked.sort(key=lambda one: -one[0])
        entries = [entry for _, entry in ranked[:MOST_QUEUED]]
    scored: list[ScoredLink] = []
    for page, _ in _pages(visit, analyst, entries, url):
        links, learnt = order.learn_listing(page)
        scored += [link for link in links if link.score is not None]
        if visit.context.rescoring is not None:
            visit.context.rescoring.learn_links(learnt)
        yield
    return sorted(scored, key=lambda link: -(link.score or 0.0))


def _announce(visit: Visit, listed: Iterable[ListedUrl], now: float) -> None:
    """Take in when pages changed, as their sitemap says: some may be worth a revisit."""
    if (maintenance := visit.context.maintenance) is not None:
        for entry in listed:
            if entry.changed_at is not None:
                maintenance.announce(entry.url, entry.changed_at, now)


def _pages(
    visit: Visit, analyst: Analyst, entries: Sequence[ListedUrl], url: str
) -> Iterator[tuple[Page, Sequence[ListedUrl]]]:
    """Yield pages that some entries each are scored on: as relevant as those of the host are."""
    assert visit.listing is not None
    relevance = visit.context.listings.relevance(visit.listing)
    focus = None if analyst.taxonomy is None else visit.context.listings.focus(visit.listing)
    for first in range(0, len(entries), AT_A_TIME):
        part = entries[first : first + AT_A_TIME]
        page = listed_page(url, part, analyst.analyzer, analyst.config.context_words)
        page.relevance, page.depth, page.focus = relevance, visit.lease.depth, focus
        page.is_relevant = page.by_content = relevance >= analyst.model.threshold
        yield page, part
