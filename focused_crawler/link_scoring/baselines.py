"""Orders that no page's text decides: what every strategy has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key


class BreadthFirst(Strategy):
    """Priority falls with the link's depth: 1/2, 1/3, ...; seeds have 1. Within a level a hash decides."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [1 / (2 + page.depth)] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("1 / (2 + depth)", {"depth": page.depth})


class LeastLoaded(Strategy):
    """Every link is as good as any other: the host that was asked least comes first, then a hash decides."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [0.5] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("0.5", {})


class RandomOrder(Strategy):
    """Each URL has one random priority, however often it is met: it gains nothing by many links."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [share_of(link.url, self._options.random_seed) for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("random", {"random": self.score(page, [link])[0]})


def share_of(url: str, seed: int) -> float:
    """Return a number in [0, 1) that a URL and the seed decide, and nothing else; all are equally likely."""
    digest = blake2b(b"%d %d" % (seed, url_key(url)), digest_size=7).digest()
    return (int.from_bytes(digest) >> 3) / 2**53
