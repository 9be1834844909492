"""What the lists say of the sites that links lead to, and what that makes of the scores of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from focused_crawler.config import CrawlConfig
from focused_crawler.lists.lists import Lists
from focused_crawler.lists.reading import lists_for
from focused_crawler.page.url import site_of
from focused_crawler.topic import Topic

MOST_SITES = 10_000
STRENGTH = 10.0
"""So many pages does the share over all sites count for on each of them: alpha + beta of a Beta prior."""


class _HasUrl(Protocol):
    @property
    def url(self) -> str: ...


class Priors:
    """Share of relevant pages of each site, and how much it has to say.

    A site's share is the mean of a Beta distribution, (relevant + STRENGTH * base) / (pages + STRENGTH), with
    `base` the share over all sites: a site of two pages is hardly known. Unknown sites have `base`, so that
    they come after good sites and before bad ones. Sites that a person banned have 0.
    """

    def __init__(self, weight: float, base: float, shares: Mapping[str, float]) -> None:
        self._weight, self._base, self._shares = weight, base, shares

    @classmethod
    def of(cls, lists: Lists, weight: float) -> Self:
        """Read the sites of the lists. `weight`: [0, 1]."""
        sites = lists.sites()[:MOST_SITES]
        pages, relevant = sum(site.pages for site in sites), sum(site.relevant for site in sites)
        base = (relevant + 1) / (pages + 2)
        shares = {
            site.site: 0.0
            if site.mark == "banned"
            else (site.relevant + STRENGTH * base) / (site.pages + STRENGTH)
            for site in sites
        }
        return cls(weight, base, shares)

    @property
    def weight(self) -> float:
        """Return how much a site's share has to say, [0, 1]."""
        return self._weight

    def __bool__(self) -> bool:
        """Tell whether any site is known."""
        return bool(self._shares)

    def share(self, url: str) -> float:
        """Return the share of relevant pages to be expected of the site of a normalised URL, [0, 1]."""
        return self._shares.get(site_of(url), self._base)

    def apply(self, links: Sequence[_HasUrl], scores: Sequence[float | None]) -> list[float | None]:
        """Return (1 - weight) * score + weight * share of each link; None (do not follow) stays None."""
        rest = 1.0 - self._weight
        return [
            None if score is None else min(1.0, rest * score + self._weight * self.share(link.url))
            for link, score in zip(links, scores, strict=True)
        ]


def load_priors(config: CrawlConfig, topic: Topic) -> Priors | None:
    """Return the priors of a crawl; None where lists or their weight are off, or nothing is listed.

    The crawl's own numbers are left out. Raises what `lists_for` does.
    """
    lists = lists_for(config, topic) if config.list_prior else None
    if lists is None:
        return None
    with lists:
        return Priors.of(lists, config.list_prior) or None
