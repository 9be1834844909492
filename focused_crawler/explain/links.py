"""Why the links of a page have their priorities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focused_crawler.analysis import Analyst
from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import normalise


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """The best of the links to one URL."""

    link: Link
    score: float | None  # priority in [0, 1]; None: it is not followed


def score_links(analyst: Analyst, page: Page) -> list[ScoredLink]:
    """Return what a page that was judged links to, highest priority first; the strategy learns from it first.

    No other page of a crawl is known here: what a strategy learns from others, it has not learnt.
    """
    best: dict[str, ScoredLink] = {}
    for link, score in zip(page.links, analyst.scores(page), strict=True):
        found = ScoredLink(link, score)
        if link.url not in best or _rank(found) > _rank(best[link.url]):
            best[link.url] = found
    return sorted(best.values(), key=_rank, reverse=True)


def find_links(links: Sequence[ScoredLink], wanted: str) -> list[ScoredLink]:
    """Return the link to a URL, else those with a text or a URL that `wanted` is a part of."""
    url = normalise(wanted)
    exact = [found for found in links if found.link.url == url]
    part = wanted.casefold().strip()
    return exact or [
        found for found in links if part in found.link.text.casefold() or part in found.link.url.casefold()
    ]


def parts_of(analyst: Analyst, page: Page, link: Link) -> Parts | None:
    """Return what makes a link's priority, None where the strategy does not tell."""
    tell = getattr(analyst.scorer, "parts", None)
    return None if tell is None else tell(page, link)


def _rank(found: ScoredLink) -> float:
    return -1.0 if found.score is None else found.score
