"""Best-first by page content: the links of relevant pages first."""

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
