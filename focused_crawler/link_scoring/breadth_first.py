"""Breadth-first: level by level, whatever the pages say."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class BreadthFirst(Strategy):
    """Priority falls with the link's depth: 1/2, 1/3, ...; seeds have 1. Within a level a hash decides."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [1 / (2 + page.depth)] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("1 / (2 + depth)", {"depth": page.depth})
