"""Focused by a taxonomy, and not focused at all (Chakrabarti et al. 1999, sections 4.2 and 5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.baselines import share_of
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Focus, Link, Page

YEAR = 1999
"""Of the paper: makes another hash than those of `random`, and always the same."""


class SoftFocus(Strategy):
    """All links of a page have R(d) of the page: the probability that it belongs to a good category."""

    needs_focus: ClassVar[bool] = True

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        return [_focus(page).relevance] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("focus", {"focus": _focus(page).relevance})


class HardFocus(SoftFocus):
    """The same, but nothing is followed from a page whose best category is not a good one."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        return super().score(page, links) if _focus(page).is_good else [None] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        focus = _focus(page)
        return Parts(
            "focus if is_good else None", {"focus": focus.relevance, "is_good": float(focus.is_good)}
        )


class Unfocused(Strategy):
    """URLs go by a hash of them and nothing else, "effectively a pseudo-random order" (section 5.2)."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [share_of(link.url, YEAR) for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("hash", {"hash": share_of(link.url, YEAR)})


def _focus(page: Page) -> Focus:
    assert page.focus is not None, "the analyst judges every page where a strategy needs it"
    return page.focus
