"""Content block partition only (a baseline of Lu et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class ContentBlocks(Strategy):
    """Links of a relevant block have its similarity; those of other blocks are not followed."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        relevant = {
            index: similarity
            for index, similarity in self._blocks(page, links).items()
            if similarity > self._threshold
        }
        return [relevant.get(link.block) for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        block = self._similarity(page.blocks[link.block].terms)
        return Parts("block if block > threshold else None", {"block": block, "threshold": self._threshold})
