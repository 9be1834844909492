"""Why the links of a page have their priorities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import normalise


@dataclass(frozen=True, slots=True)
class BestLink:
    """The best of the links to one URL."""

    link: Link
    score: float | None  # priority in [0, 1]; None: it is not followed
    reason: str = ""  # why it is not followed, if that is none of the strategy's


def score_links(analyst: Analyst, page: Page) -> list[BestLink]:
    """Return what a page that was judged links to, highest priority first; the strategy learns from it first.

    No other page of a crawl is known here: what a strategy learns from others, it has not learnt.
    """
    best: dict[str, BestLink] = {}
    for link, score in zip(page.links, analyst.order.scores(page), strict=True):
        found = BestLink(link, score, analyst.scope.outside(link.url))
        if link.url not in best or _rank(found) > _rank(best[link.url]):
            best[link.url] = found
    return sorted(best.values(), key=_rank, reverse=True)


def find_links(links: Sequence[BestLink], wanted: str) -> list[BestLink]:
    """Return the link to a URL, else those with a text or a URL that `wanted` is a part of."""
    url = normalise(wanted)
    exact = [found for found in links if found.link.url == url]
    part = wanted.casefold().strip()
    return exact or [
        found for found in links if part in found.link.text.casefold() or part in found.link.url.casefold()
    ]


def parts_of(analyst: Analyst, page: Page, found: BestLink) -> Parts | None:
    """Return what makes a link's priority, None where the strategy does not show it, or was not asked."""
    if found.reason or analyst.scope.is_too_deep(page.depth):
        return None
    own_parts = getattr(analyst.order.scorer, "parts", None)
    parts = None if own_parts is None else own_parts(page, found.link)
    return with_lists(analyst, parts, found.link.url, found.score)


def with_lists(analyst: Analyst, parts: Parts | None, url: str, score: float | None) -> Parts | None:
    """Return the parts of a URL's score with what the lists add, where they have a say."""
    priors = analyst.order.priors
    if priors is None or score is None:
        return parts
    return _with_prior(parts, score, priors.weight, priors.share(url))


def _with_prior(parts: Parts | None, score: float, weight: float, share: float) -> Parts:
    """Return the parts with what the lists add; the strategy's own score is a part if it has no formula."""
    formula, values = (parts.formula, {**parts.values}) if parts else ("", {})
    if not formula:
        formula = "strategy"
        values[formula] = (score - weight * share) / (1 - weight) if weight < 1 else 0.0
    formula = f"(1 - {weight:g}) * ({formula}) + {weight:g} * site_share"
    return Parts(formula, values | {"site_share": share}, parts.sums if parts else {})


def _rank(found: BestLink) -> float:
    return -1.0 if found.score is None else found.score
