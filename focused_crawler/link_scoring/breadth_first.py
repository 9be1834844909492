"""Breadth-first: level by level, whatever the pages say."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class BreadthFirst(Strategy):
    """Priority falls with the page's depth: 1, 1/2, 1/3, ... Within a level the frontier's hash decides."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [1 / (1 + page.depth)] * len(links)
