"""The generic priority of a link: all pages that hold it count (Lu et al. 2016, section 2)."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.base import HeldLink
from focused_crawler.link_scoring.best_first import BestFirstContentAnchor


class MeanOfParents(BestFirstContentAnchor):
    """The mean, over all recorded pages that hold a link, of page and anchor.

    With one page it is their Eq. 3; where others take the best page, this one is drawn down by the rest.
    """

    def rescore(self, links: Sequence[HeldLink]) -> list[float]:
        return [link.total / link.pages for link in links]
