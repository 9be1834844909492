"""The contract of a crawling strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from focused_crawler.page.model import Link, Page


class LinkScorer(Protocol):
    """Orders the links of a page. Pure: no input or output, no clock, no ground truth."""

    def score(self, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        """Return a priority in [0, 1] a link, in the order of `links`; None means: do not follow it."""

    def learn(self, page: Page) -> None:
        """Take note of a fetched page with its relevance; most strategies ignore it."""
