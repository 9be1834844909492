"""Best-first by anchor text."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class BestFirstAnchor(Strategy):
    """A link's priority is the similarity of its anchor to the topic."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return self._anchors(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("anchor", {"anchor": self._similarity(link.anchor)})
