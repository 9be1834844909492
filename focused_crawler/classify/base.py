"""The contract of a page classifier."""

from __future__ import annotations

from typing import Protocol

from focused_crawler.page.model import Page


class PageClassifier(Protocol):
    """Says how much a page is about the topic. Pure: the same page always has the same relevance."""

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1], read from its sections."""
