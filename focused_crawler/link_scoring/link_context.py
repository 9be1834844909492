"""Link context only: the words around a link (a baseline of Lu et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class LinkContext(Strategy):
    """A link's priority is the similarity of its context to the topic."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [self._similarity(link.context) for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("context", {"context": self._similarity(link.context)})
