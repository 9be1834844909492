"""Best-first by a link classifier, with tunnels through directories (ours)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.link_scoring.base import LinkScorer, Parts
from focused_crawler.link_scoring.best_first import BestFirstContentAnchor
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import host_of

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

BIAS, PAGE, ANCHOR = -1.5, 0.6, 3.0
"""Log odds of a link: BIAS + PAGE * log odds of its page + ANCHOR * similarity of its anchor + link model."""

DIRECTORY = 0.99
"""Least priority of the way on through a directory."""

FIRST_LINKS = 10
"""So many links of a seed that is off topic are followed, whatever they say."""

MAX_SITES = 10_000
"""Known from directories; then no further directory is explored."""

_CERTAIN = 6.0  # log odds beyond which a page's relevance says no more


class LinkClassifier(Strategy):
    """A link's priority is the probability that it leads to a relevant page.

    A seed that is not about the topic is there for its links: it is taken for a directory, and explored
    within its site as long as its pages show new sites. What it is about says nothing of the sites it lists.
    """

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options)
        self._links = model.links
        self._sites: set[str] = set()  # shown by directories
        self._explored = ""  # URL of the last directory page
        self._new = 0  # sites that it was the first to show

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        evidence = self._evidence(links)
        from_page = BIAS + PAGE * _log_odds(page.relevance)
        if not self._is_directory(page):
            return [sigmoid(from_page + odds) for odds in evidence]
        own = _site(page.url)
        onward = self._onward(page, links, evidence)
        priorities = []
        for link, odds in zip(links, evidence, strict=True):
            if link.url in onward:
                priorities.append(DIRECTORY + (1.0 - DIRECTORY) * sigmoid(odds))
            else:
                priorities.append(sigmoid(from_page + odds if _site(link.url) == own else odds))
        return priorities

    def parts(self, page: Page, link: Link) -> Parts:
        addends = self._links.addends(link.url, link.anchor)
        values = {"anchor": self._of_anchor(link.anchor), "url_and_words": sum(addends.values())}
        sums, own = {"url_and_words": addends}, f"{ANCHOR:g} * anchor + url_and_words"
        if self._is_directory(page):
            if link.url in self._onward(page, page.links, self._evidence(page.links)):
                return Parts(f"{DIRECTORY} + {1 - DIRECTORY:g} * sigmoid({own})", values, sums)
            if _site(link.url) != _site(page.url):
                return Parts(f"sigmoid({own})", values, sums)
        values = {"page_log_odds": _log_odds(page.relevance), **values}
        return Parts(f"sigmoid({BIAS} + {PAGE} * page_log_odds + {own})", values, sums)

    def learn(self, page: Page) -> None:
        """Note which sites a directory shows."""
        if self._is_directory(page) and len(self._sites) < MAX_SITES:
            sites = {_site(link.url) for link in page.links} - {_site(page.url)}
            self._explored, self._new = page.url, len(sites - self._sites)
            self._sites |= sites

    def path(self, page: Page) -> bytes | None:
        """Return the site of a directory: its pages are known by it."""
        return _site(page.url).encode() if self._is_directory(page) else None

    def memory(self) -> bytes:
        """Return the sites that directories have shown."""
        return "\n".join(sorted(self._sites)).encode()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        self._sites = set(memory.decode().split())

    def _evidence(self, links: Sequence[Link]) -> list[float]:
        """Return what each link's own words and its URL say, in log odds."""
        return [
            ANCHOR * anchor + self._links.log_odds(link.url, link.anchor)
            for link, anchor in zip(links, self._anchors(links), strict=True)
        ]

    def _is_directory(self, page: Page) -> bool:
        """Tell whether a page is an off-topic seed, or reached from one within its site."""
        if page.is_relevant:
            return False
        return page.depth == 0 or page.path == _site(page.url).encode()

    def _onward(self, page: Page, links: Sequence[Link], evidence: Sequence[float]) -> frozenset[str]:
        """Return the links by which a directory is explored, the best: as many as it has shown new sites."""
        own = _site(page.url)
        inside: dict[str, float] = {}
        for link, odds in zip(links, evidence, strict=True):
            if _site(link.url) == own:
                inside[link.url] = max(odds, inside.get(link.url, odds))
        shown = self._new if page.url == self._explored else 0
        count = max(shown, FIRST_LINKS if page.depth == 0 else 0)
        return frozenset(sorted(inside, key=lambda url: -inside[url])[:count])


class UntrainedLinkClassifier(BestFirstContentAnchor):
    """What is left of it without a link model: every report says so."""

    acts_as = "best_first_content_anchor"


def link_classifier(model: TopicModel, options: StrategyOptions) -> LinkScorer:
    """Return the strategy, untrained without examples to learn from."""
    return (LinkClassifier if model.links.weights else UntrainedLinkClassifier)(model, options)


def _log_odds(probability: float) -> float:
    if not 0.0 < probability < 1.0:
        return _CERTAIN if probability else -_CERTAIN
    return min(max(math.log(probability / (1.0 - probability)), -_CERTAIN), _CERTAIN)


def _site(url: str) -> str:
    return host_of(url).removeprefix("www.")
