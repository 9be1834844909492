"""A strategy as a user writes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from focused_crawler.page.model import Link, Page


class ShortAnchors:
    """Links by the length of their anchors, the shortest first."""

    def __init__(self, model: Any, settings: Any) -> None:
        self.model, self.settings = model, settings

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [1 / (1 + len(link.text)) for link in links]

    def learn(self, page: Page) -> None:
        """Nothing."""
