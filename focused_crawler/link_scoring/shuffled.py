"""The scores of a real strategy in the hands of any link: what a bench has to find worthless."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.random_order import RandomOrder, share_of
from focused_crawler.page.model import Link, Page

QUANTILES = (
    0.0, 0.0001, 0.0002, 0.0004, 0.001, 0.002, 0.003, 0.004, 0.005, 0.007, 0.010,
    0.014, 0.019, 0.027, 0.041, 0.067, 0.152, 0.239, 0.330, 0.481, 1.0,
)  # fmt: skip
"""Every 5 %: what `best_first_content_anchor` gives to the links of 500 real pages, for eight topics."""

_STEPS = len(QUANTILES) - 1


class Shuffled(RandomOrder):
    """Each URL has a score as `best_first_content_anchor` gives them, but a hash decides which one.

    The scores are those of a fixed collection. Scores of the crawl itself would tell of its links however
    they are dealt out: they are high while it is near its seeds, and low later.
    """

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [_quantile(share_of(link.url, ~self._seed)) for link in links]


def _quantile(share: float) -> float:
    """Return the score that this share of all scores is below.

    >>> _quantile(0.0), _quantile(0.95), round(_quantile(0.975), 4)
    (0.0, 0.481, 0.7405)
    """
    step = int(share * _STEPS)
    low, high = QUANTILES[step], QUANTILES[step + 1]
    return low + (high - low) * (share * _STEPS - step)
