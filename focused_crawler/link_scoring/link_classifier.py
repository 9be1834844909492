"""Best-first by a link classifier, with tunnels through directories (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.link_scoring.base import LinkScorer, Parts
from focused_crawler.link_scoring.best_first import BestFirstContentAnchor
from focused_crawler.link_scoring.directory import (
    Directories,
    DirectoryPage,
    directory_page,
    is_directory,
    site_name,
    site_path,
)
from focused_crawler.link_scoring.evidence import BIAS, PAGE, page_log_odds
from focused_crawler.link_scoring.strategy import LearningStrategy, StrategyOptions
from focused_crawler.page.model import Link, Page

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

ANCHOR = 3.0
"""Log odds of a link: BIAS + PAGE * log odds of its page + ANCHOR * similarity of its anchor + link model."""

DIRECTORY = 0.99
"""Least priority of the way on through a directory."""

_REMEMBERED = 10_000
_LONGEST = 20
"""Wordings of links whose evidence is remembered, and terms of one: menus stand on page after page."""


class _Features(NamedTuple):
    """What a page says of its links: all that there is, unless it is a directory."""

    scores: list[float]
    evidence: list[float]  # what they say, in log odds; empty: it is none
    directory: DirectoryPage | None


class LinkClassifier(LearningStrategy):
    """A link's priority is the probability that it leads to a relevant page.

    A seed that is not about the topic is there for its links: it is taken for a directory, and explored
    within its site as long as its pages show new sites. What it is about says nothing of the sites it lists.
    """

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options)
        self._links = model.links
        self._directories = Directories()
        self._said: dict[tuple[str, ...], tuple[float, float]] = {}  # by anchors: anchor and link model

    def features(self, page: Page, links: Sequence[Link]) -> _Features:
        evidence = self._evidence(links)
        from_page = BIAS + PAGE * page_log_odds(page.relevance)
        if page.is_relevant or not is_directory(page):
            return _Features([sigmoid(from_page + odds) for odds in evidence], [], None)
        directory = directory_page(page, links, evidence)
        scores = [
            sigmoid(odds if rank < 0 else from_page + odds)
            for odds, rank in zip(evidence, directory.ranks, strict=True)
        ]
        return _Features(scores, evidence, directory)

    def learn_from(self, features: _Features) -> None:
        """Note which sites a directory shows."""
        if features.directory is not None:
            self._directories.learn(features.directory)

    def lesson(self, features: _Features) -> bytes:
        """Return which sites a directory shows."""
        return b"" if features.directory is None else features.directory.to_bytes()

    def learn_lesson(self, lesson: bytes) -> None:
        """Note which sites a directory has shown that another process read; raises ValueError."""
        self._directories.learn(DirectoryPage.from_bytes(lesson))

    def score_from(self, features: _Features) -> list[float]:
        scores, evidence, directory = features
        if directory is None:
            return scores
        ways = self._directories.ways(directory)
        return [
            DIRECTORY + (1.0 - DIRECTORY) * sigmoid(odds) if 0 <= rank < ways else score
            for score, rank, odds in zip(scores, directory.ranks, evidence, strict=True)
        ]

    def parts(self, page: Page, link: Link) -> Parts:
        addends = self._links.addends(link.url, link.anchor)
        values = {"anchor": self._of_anchor(link.anchor), "url_and_words": sum(addends.values())}
        sums, own = {"url_and_words": addends}, f"{ANCHOR:g} * anchor + url_and_words"
        directory = self.features(page, page.links).directory
        if directory is not None:
            ranks = {other.url: rank for other, rank in zip(page.links, directory.ranks, strict=True)}
            if 0 <= ranks.get(link.url, -1) < self._directories.ways(directory):
                return Parts(f"{DIRECTORY} + {1 - DIRECTORY:g} * sigmoid({own})", values, sums)
            if site_name(link.url) != site_name(page.url):
                return Parts(f"sigmoid({own})", values, sums)
        values = {"page_log_odds": page_log_odds(page.relevance), **values}
        return Parts(f"sigmoid({BIAS} + {PAGE} * page_log_odds + {own})", values, sums)

    def path(self, page: Page) -> bytes | None:
        """Return the site of a directory: its pages are known by it."""
        return None if page.is_relevant or not is_directory(page) else site_path(page.url)

    def memory(self) -> bytes:
        """Return the sites that directories have shown."""
        return self._directories.memory()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        self._directories.remember(memory)

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


class UntrainedLinkClassifier(BestFirstContentAnchor):
    """What is left of it without a link model: every report says so."""

    acts_as = "best_first_content_anchor"


def link_classifier(model: TopicModel, options: StrategyOptions) -> LinkScorer:
    """Return the strategy, untrained without examples to learn from."""
    return (LinkClassifier if model.links.weights else UntrainedLinkClassifier)(model, options)
