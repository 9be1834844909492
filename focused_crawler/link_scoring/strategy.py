"""What the strategies share: two options, their common part, and a page's similarities, computed once."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from focused_crawler.classify.midpoints import PLAIN, calibrated
from focused_crawler.link_scoring.base import LearningScorer, Parts
from focused_crawler.page.model import Link, Page
from focused_crawler.safety.settings import choice, number, random_seed

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel


@dataclass(frozen=True, slots=True)
class StrategyOptions:
    """Options that several strategies share; one with more of them has a class of its own beside it."""

    threshold: float = number("FOCUSED_LINK_THRESHOLD", 0.5, most=1)  # a similarity above it is relevant
    similarity: str = choice("FOCUSED_LINK_SIMILARITY", "calibrated", ("calibrated", "cosine"))
    """calibrated: s / (s + midpoint) of the cosine s, a midpoint a kind of text; cosine: s itself."""
    random_seed: int = random_seed()  # of the controls, `random` and `shuffled`


class Strategy:
    """Common part of the strategies: what they are made from, and that they learn and note nothing."""

    options_class: ClassVar[type[StrategyOptions]] = StrategyOptions
    acts_as: ClassVar[str] = ""
    """Name of the strategy that it is where nothing was trained for it; empty: it is itself."""

    _options: StrategyOptions

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        self._options = options
        self._cosine = model.vector.similarity
        self._midpoints = model.midpoints if options.similarity == "calibrated" else PLAIN
        self._is_plain = self._midpoints == PLAIN
        self._threshold = options.threshold

    def learn(self, page: Page) -> None:
        """Nothing: the topic is fixed."""

    def path(self, page: Page) -> bytes | None:
        """Nothing: a link's priority depends on its own page only."""
        return None

    def paths(self, page: Page, links: Sequence[Link]) -> Sequence[bytes | None]:
        """Return `path` for each link: they differ in nothing."""
        return [self.path(page)] * len(links)

    def parts(self, page: Page, link: Link) -> Parts:
        """Return what most strategies go by; one that overrides `score` says how it does, too."""
        values = {
            "page": page.relevance,
            "anchor": self._of_anchor(link.anchor),
            "context": self._of_context(link.context),
            "block": self._of_block(page.blocks[link.block].terms),
        }
        return Parts("", values)

    def read(self, links: Sequence[Link]) -> None:
        """Nothing: nothing is remembered of links."""

    def memory(self) -> bytes | None:
        """Nothing: nothing is learnt."""
        return None

    def remember(self, memory: bytes) -> None:
        """Nothing: nothing is learnt."""

    def _of_anchor(self, terms: Sequence[str]) -> float:
        """Return how near an anchor is to the topic, in [0, 1]."""
        cosine = self._cosine(terms)
        return calibrated(cosine, self._midpoints.anchor) if cosine else 0.0  # most say nothing

    def _of_context(self, terms: Sequence[str]) -> float:
        cosine = self._cosine(terms)
        return calibrated(cosine, self._midpoints.context) if cosine else 0.0

    def _of_block(self, terms: Sequence[str]) -> float:
        cosine = self._cosine(terms)
        return calibrated(cosine, self._midpoints.block) if cosine else 0.0

    def _anchors(self, links: Sequence[Link]) -> list[float]:
        """Return the similarity of each link's anchor; each wording is looked at once."""
        known: dict[tuple[str, ...], float] = {}
        similarities = []
        for link in links:
            wording = tuple(link.anchor)
            if wording not in known:
                known[wording] = self._of_anchor(wording)
            similarities.append(known[wording])
        return similarities

    def _blocks(self, page: Page, links: Sequence[Link]) -> Mapping[int, float]:
        """Return the similarity of each block that holds a link, by its index."""
        return {index: self._of_block(page.blocks[index].terms) for index in {link.block for link in links}}


class LearningStrategy(Strategy):
    """Common part of those that learn from the features of pages (`LearningScorer`)."""

    def learn(self: LearningScorer, page: Page) -> None:
        self.learn_from(self.features(page, page.links))

    def score(self: LearningScorer, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        return self.score_from(self.features(page, links))


def unpacked(form: struct.Struct, lesson: bytes) -> tuple[Any, ...]:
    """Return the values of a lesson; ValueError if it is none of that form."""
    try:
        return form.unpack(lesson)
    except struct.error as error:
        raise ValueError(str(error)) from None
