"""Best-first by a link classifier, with tunnels through directories (ours)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.link_scoring.base import LinkScorer, Parts
from focused_crawler.link_scoring.best_first import BestFirstContentAnchor
from focused_crawler.link_scoring.strategy import LearningStrategy, StrategyOptions
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

_REMEMBERED = 10_000
_LONGEST = 20
"""Wordings of links whose evidence is remembered, and terms of one: menus stand on page after page."""


class _Directory(NamedTuple):
    """What a directory page has to show."""

    url: str
    is_seed: bool
    sites: frozenset[str]  # others than its own
    ranks: list[int]  # of its links by what they say, those to one URL together; -1: to another site
    evidence: list[float]  # what they say, in log odds


class _Features(NamedTuple):
    """What a page says of its links: all that there is, unless it is a directory."""

    scores: list[float]
    directory: _Directory | None


class LinkClassifier(LearningStrategy):
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
        self._said: dict[tuple[str, ...], tuple[float, float]] = {}  # by anchors: anchor and link model

    def features(self, page: Page, links: Sequence[Link]) -> _Features:
        evidence = self._evidence(links)
        from_page = BIAS + PAGE * _log_odds(page.relevance)
        if not self._is_directory(page):
            return _Features([sigmoid(from_page + odds) for odds in evidence], None)
        own, sites = _site(page.url), [_site(link.url) for link in links]
        scores, inside = [], dict[str, float]()
        for link, site, odds in zip(links, sites, evidence, strict=True):
            if site == own:
                inside[link.url] = max(odds, inside.get(link.url, odds))
            scores.append(sigmoid(from_page + odds if site == own else odds))
        best_first = sorted(inside, key=inside.__getitem__, reverse=True)
        ranked = {url: rank for rank, url in enumerate(best_first)}
        ranks = [ranked.get(link.url, -1) for link in links]
        others = frozenset(sites) - {own}
        return _Features(scores, _Directory(page.url, page.depth == 0, others, ranks, evidence))

    def learn_from(self, features: _Features) -> None:
        """Note which sites a directory shows."""
        shown = features.directory
        if shown is not None and len(self._sites) < MAX_SITES:
            self._explored, self._new = shown.url, len(shown.sites - self._sites)
            self._sites |= shown.sites

    def score_from(self, features: _Features) -> list[float]:
        scores, directory = features
        if directory is None:
            return scores
        ways = self._ways(directory)
        return [
            DIRECTORY + (1.0 - DIRECTORY) * sigmoid(odds) if 0 <= rank < ways else score
            for score, rank, odds in zip(scores, directory.ranks, directory.evidence, strict=True)
        ]

    def parts(self, page: Page, link: Link) -> Parts:
        addends = self._links.addends(link.url, link.anchor)
        values = {"anchor": self._of_anchor(link.anchor), "url_and_words": sum(addends.values())}
        sums, own = {"url_and_words": addends}, f"{ANCHOR:g} * anchor + url_and_words"
        directory = self.features(page, page.links).directory
        if directory is not None:
            ranks = {other.url: rank for other, rank in zip(page.links, directory.ranks, strict=True)}
            if 0 <= ranks.get(link.url, -1) < self._ways(directory):
                return Parts(f"{DIRECTORY} + {1 - DIRECTORY:g} * sigmoid({own})", values, sums)
            if _site(link.url) != _site(page.url):
                return Parts(f"sigmoid({own})", values, sums)
        values = {"page_log_odds": _log_odds(page.relevance), **values}
        return Parts(f"sigmoid({BIAS} + {PAGE} * page_log_odds + {own})", values, sums)

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
        said, of_url, evidence = self._said, self._links.of_url, []
        for link in links:
            wording = tuple(link.anchor)
            found = said.get(wording)
            if found is None:
                found = ANCHOR * self._of_anchor(wording), self._links.of_words(wording)
                if len(said) >= _REMEMBERED:
                    said.clear()
                if len(wording) <= _LONGEST:
                    said[wording] = found
            evidence.append(found[0] + (of_url(link.url) + found[1]))
        return evidence

    def _is_directory(self, page: Page) -> bool:
        """Tell whether a page is an off-topic seed, or reached from one within its site."""
        if page.is_relevant:
            return False
        return page.depth == 0 or page.path == _site(page.url).encode()

    def _ways(self, directory: _Directory) -> int:
        """Return by how many URLs, its best, a directory is explored: as many as it has shown new sites."""
        shown = self._new if directory.url == self._explored else 0
        return max(shown, FIRST_LINKS if directory.is_seed else 0)


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
