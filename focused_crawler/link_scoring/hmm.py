"""The crawlers that learnt paths to relevant pages (Batsakis et al. 2009; `hmm` as in Liu et al. 2006)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.classify.hmm.forward import Forward, Levels
from focused_crawler.classify.hmm.ties import TieOrder
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import LearningStrategy, Strategy, StrategyOptions, unpacked
from focused_crawler.page.model import Link, Page
from focused_crawler.page.text.weighting import RAW, section_counts
from focused_crawler.safety.settings import flag, number, whole

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel


@dataclass(frozen=True, slots=True)
class HmmOptions(StrategyOptions):
    """Options of the HMM crawlers, besides those of training."""

    neighbours: int = whole("FOCUSED_HMM_NEIGHBOURS", 5, least=1)  # training pages that vote on a cluster
    normalise: bool = flag("FOCUSED_HMM_NORMALISE", False)  # do the levels of a page sum to 1?
    epsilon: float = number("FOCUSED_HMM_EPSILON", 0.001, most=1)
    """In `hmm` P(L0, t+1) nearer than this are ordered by P(L0, t+2)."""


class _Reading(NamedTuple):
    """What is found out about a page, for `score` and then for `path`."""

    page: Page
    path: bytes | None  # that it was read with
    levels: Levels
    priority: float  # P(L0, t+1)
    similarity: float  # to the centroid of relevant pages


class _PathStrategy(Strategy):
    """What the crawlers go by: all links of a page have the same path."""

    options_class = HmmOptions

    def __init__(self, model: TopicModel, options: HmmOptions) -> None:
        """Raise ModelError, with what to type, where no HMM was trained."""
        super().__init__(model, options)
        trained = model.hidden_markov()
        self._clusters = trained.clusters
        self._neighbours = options.neighbours
        self._forward = Forward(trained.chain, is_normalised=options.normalise)
        self._latest: _Reading | None = None

    def path(self, page: Page) -> bytes:
        """Return a(L_j, t) of the page: those of the pages it leads to follow from them (Eq. 5)."""
        return self._forward.pack(self._read(page).levels)

    def _read(self, page: Page) -> _Reading:
        latest = self._latest
        if latest is None or latest.page is not page or latest.path != page.path:
            counts = section_counts(page.sections, RAW)
            cluster = self._clusters.nearest(counts, self._neighbours)
            levels = self._forward.follow(self._forward.unpack(page.path), cluster)
            similarity = self._clusters.centroid.similarity_of_counts(counts)
            priority = self._forward.priority(levels)
            latest = self._latest = _Reading(page, page.path, levels, priority, similarity)
        return latest


_LESSON = struct.Struct("<dd")  # `_Features.one` and `two`


class _Features(NamedTuple):
    """What is ahead of a page."""

    one: float  # P(L0, t+1)
    two: float  # P(L0, t+2)
    links: int


class HiddenMarkov(LearningStrategy, _PathStrategy):
    """All links of a page have the probability that they lead to a relevant one, by the page and its path."""

    def __init__(self, model: TopicModel, options: HmmOptions) -> None:
        super().__init__(model, options)
        self._ties = TieOrder(options.epsilon)

    def features(self, page: Page, links: Sequence[Link]) -> _Features:
        found = self._read(page)
        return _Features(found.priority, self._forward.further(found.levels), len(links))

    def learn_from(self, features: _Features) -> None:
        """Remember what the page's links are given: later ones are ordered beside it."""
        self._ties.add(features.one, features.two)

    def lesson(self, features: _Features) -> bytes:
        """Return what the page's links are given."""
        return _LESSON.pack(features.one, features.two)

    def learn_lesson(self, lesson: bytes) -> None:
        """Order later pages beside one of another process, too; raises ValueError."""
        one, two = unpacked(_LESSON, lesson)
        self._ties.add(one, two)

    def score_from(self, features: _Features) -> list[float]:
        return [self._ties.number(features.one, features.two)] * features.links

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("path", {"path": self.score_from(self.features(page, [link]))[0]})

    def memory(self) -> bytes:
        """Return what was given to pages so far."""
        return self._ties.to_bytes()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        self._ties.restore(memory)


class HiddenMarkovContent(_PathStrategy):
    """The mean of `hmm` and of how similar the page is to the centroid of relevant ones."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        found = self._read(page)
        return [(found.priority + found.similarity) / 2] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        found = self._read(page)
        return Parts("(path + content) / 2", {"path": found.priority, "content": found.similarity})


class HiddenMarkovContentAnchor(HiddenMarkovContent):
    """The same, where similar means the page and the link's anchor, each to a half."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        found = self._read(page)
        content = found.similarity
        return [(found.priority + (content + anchor) / 2) / 2 for anchor in self._anchors(links)]

    def parts(self, page: Page, link: Link) -> Parts:
        values = {**super().parts(page, link).values, "anchor": self._of_anchor(link.anchor)}
        return Parts("(path + (content + anchor) / 2) / 2", values)

    def _of_anchor(self, terms: Sequence[str]) -> float:
        return self._clusters.centroid.similarity(terms)
