"""What the lists say of the sites that links lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from focused_crawler.lists.lists import Lists
from focused_crawler.page.url import site_of

MOST_SITES = 10_000
STRENGTH = 10.0
"""Pages that the share of relevant pages over all sites counts for on each: a Beta prior."""


class HasUrl(Protocol):
    """A link."""

    @property
    def url(self) -> str: ...


class Priors:
    """Share of relevant pages of each site, [0, 1], smoothed; the share over all sites for unknown ones."""

    def __init__(self, weight: float, base: float, shares: Mapping[str, float]) -> None:
        self._weight, self._base, self._shares = weight, base, shares

    @classmethod
    def of(cls, lists: Lists, weight: float) -> Self:
        sites = lists.sites()[:MOST_SITES]
        pages, relevant = sum(site.pages for site in sites), sum(site.relevant for site in sites)
        base = (relevant + 1) / (pages + 2)
        shares = {s.site: (s.relevant + STRENGTH * base) / (s.pages + STRENGTH) for s in sites}
        shares |= {site.site: 0.0 for site in sites if site.mark == "banned"}
        return cls(weight, base, shares)

    def share(self, url: str) -> float:
        return self._shares.get(site_of(url), self._base)

    def apply(self, links: Sequence[HasUrl], scores: Sequence[float | None]) -> Sequence[float | None]:
        """Return scores with the share of each link's site mixed in; None stays None."""
        if not self._weight:
            return scores
        return [
            None if score is None else (1 - self._weight) * score + self._weight * self.share(link.url)
            for link, score in zip(links, scores, strict=True)
        ]
