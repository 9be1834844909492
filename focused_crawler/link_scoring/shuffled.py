"""The scores of a strategy in the hands of any link: what a bench has to find worthless."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.random_order import RandomOrder, share_of
from focused_crawler.page.model import Link, Page


class Shuffled(RandomOrder):
    """The order in which a strategy's scores leave when they are dealt out anew over all URLs.

    Only the order counts, and over all URLs each order is as likely as any other: so whatever the scores
    were, this is a random order, and another one than that of `random`.
    """

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [share_of(link.url, ~self._options.random_seed) for link in links]
