"""Best-first by page content, by anchor text, and by both (Batsakis, Petrakis, Milios 2009)."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class BestFirstContent(Strategy):
    """All links of a page have the page's relevance."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [page.relevance] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("page", {"page": page.relevance})


class BestFirstAnchor(Strategy):
    """A link's priority is the similarity of its anchor to the topic."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return self._anchors(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("anchor", {"anchor": self._of_anchor(link.anchor)})


class BestFirstContentAnchor(Strategy):
    """The mean of the page's relevance and the anchor's similarity (their Eq. 3)."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [(page.relevance + anchor) / 2 for anchor in self._anchors(links)]

    def parts(self, page: Page, link: Link) -> Parts:
        values = {"page": page.relevance, "anchor": self._of_anchor(link.anchor)}
        return Parts("(page + anchor) / 2", values)
