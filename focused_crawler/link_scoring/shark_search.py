"""Shark-Search (Hersovici et al. 1998): what is known of a link, and what its ancestors hand down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.safety.settings import choice

DECAY = 0.5  # delta
ANCHOR_SHARE = 0.8  # beta, of the anchor against its context
INHERITED_SHARE = 0.5  # gamma, of what is inherited against the link's neighbourhood

_SCORE = Struct("<d")


@dataclass(frozen=True, slots=True)
class SharkSearchOptions(StrategyOptions):
    inherits: str = choice("FOCUSED_SHARK_INHERITS", "relevant", ("relevant", "positive"))
    """Pages that hand their own score down: relevant ones, or any with a relevance above 0."""


class SharkSearch(Strategy):
    """Half what the link inherits, half what its anchor and context say."""

    options_class = SharkSearchOptions
    _options: SharkSearchOptions

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        inherited = INHERITED_SHARE * self._inherited(page)
        return [
            inherited + (1 - INHERITED_SHARE) * self._neighbourhood(anchor, link)
            for link, anchor in zip(links, self._anchors(links), strict=True)
        ]

    def parts(self, page: Page, link: Link) -> Parts:
        anchor = self._of_anchor(link.anchor)
        values = {
            "inherited": self._inherited(page),
            "anchor": anchor,
            "context": self._context(anchor, link),
        }
        neighbourhood = f"({ANCHOR_SHARE} * anchor + {1 - ANCHOR_SHARE:g} * context)"
        return Parts(f"{INHERITED_SHARE} * inherited + {1 - INHERITED_SHARE:g} * {neighbourhood}", values)

    def path(self, page: Page) -> bytes:
        """Return what the page's links inherit: they hand it on where their own page is not relevant."""
        return _SCORE.pack(self._inherited(page))

    def _inherited(self, page: Page) -> float:
        if page.is_relevant if self._options.inherits == "relevant" else page.relevance > 0:
            return DECAY * page.relevance
        return DECAY * _handed_down(page.path)

    def _neighbourhood(self, anchor: float, link: Link) -> float:
        return ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * self._context(anchor, link)

    def _context(self, anchor: float, link: Link) -> float:
        return 1.0 if anchor > 0 else self._of_context(link.context)


def _handed_down(path: bytes | None) -> float:
    """Return the score that a link carries; 0 for what is none: a frontier may hold anything."""
    if path is None or len(path) != _SCORE.size:
        return 0.0
    score: float = _SCORE.unpack(path)[0]
    return score if 0.0 <= score <= 1.0 else 0.0
