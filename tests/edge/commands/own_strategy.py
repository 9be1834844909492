"""A strategy as a user writes one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
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


class Guides(ShortAnchors):
    """Peeks at the ground truth, and leaves only links to relevant pages on a page."""

    def learn(self, page: Page) -> None:
        relevant = Path(os.environ["GROUND_TRUTH"]).read_text().split()
        page.links = [link for link in page.links if link.url in relevant]


class Raises(ShortAnchors):
    """Fails at the first page."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [1 / 0 for _ in links]


class RaisesLate(ShortAnchors):
    """Fails at the first page that is not about the topic."""

    def learn(self, page: Page) -> None:
        if not page.is_relevant:
            raise RuntimeError("an error of\ntwo lines")


class RaisesOnPath(ShortAnchors):
    """Fails after it has scored."""

    def path(self, page: Page) -> bytes:
        raise KeyError("way")


class TooFew(ShortAnchors):
    """Forgets a link."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return super().score(page, links)[1:]


class NoArguments(ShortAnchors):
    """Cannot be made as strategies are."""

    def __init__(self) -> None:
        super().__init__(None, None)
