"""What the strategies share: their settings, their common part, and a page's similarities, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused_crawler.link_scoring.base import Parts
from focused_crawler.page.model import Link, Page, Terms

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel


@dataclass(frozen=True, slots=True)
class LinkScoringSettings:
    """What the papers leave to be set."""

    threshold: float = 0.5  # [0, 1]: a similarity above it is relevant
    beta: float = 0.5  # [0, 1]: share of the anchor in JFE; the context has the rest
    is_calibrated: bool = True  # similarity is s / (s + midpoint) of the cosine s, else s itself
    soft_evidence: str = "page"  # of lpe_soft: the page's relevance as well, or the link's LPE alone
    shark_inherits: str = "relevant"  # what hands its own score down: relevant pages, or any above 0
    hmm_neighbours: int = 5  # training pages that vote on a page's cluster
    hmm_normalise: bool = True  # do the levels of a page sum to 1?
    hmm_epsilon: float = 0.001  # [0, 1]: P(L0, t+1) nearer than this are ordered by P(L0, t+2)
    learning_weights: tuple[float, float, float] = (0.2, 0.2, 0.3)  # of content, link and siblings, >= 0
    learning_threshold: float = 2.1  # >= 0: a link of a higher score is followed
    learning_counts: bool = True  # content, link and siblings are counts, else 0 or 1
    random_seed: int = 0


class Strategy:
    """Common part of the strategies: what they are made from, and that they learn and note nothing."""

    def __init__(self, model: TopicModel, settings: LinkScoringSettings) -> None:
        self._cosine = model.vector.similarity
        self._midpoint = model.midpoint if settings.is_calibrated else 0.0
        self._threshold = settings.threshold
        self._beta = settings.beta
        self._soft_evidence = settings.soft_evidence

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
            "anchor": self._similarity(link.anchor),
            "context": self._similarity(link.context),
            "block": self._similarity(page.blocks[link.block].terms),
        }
        return Parts("", values)

    def memory(self) -> bytes | None:
        """Nothing: nothing is learnt."""
        return None

    def remember(self, memory: bytes) -> None:
        """Nothing: nothing is learnt."""

    def _similarity(self, terms: Sequence[str]) -> float:
        """Return how near a text is to the topic, in [0, 1]; calibrated, 0.5 is the model's midpoint."""
        cosine = self._cosine(terms)
        return cosine / (cosine + self._midpoint) if self._midpoint else cosine

    def _anchors(self, links: Sequence[Link]) -> list[float]:
        """Return the similarity of each link's anchor; each wording is looked at once."""
        known: dict[tuple[str, ...], float] = {}
        similarities = []
        for link in links:
            wording = tuple(link.anchor)
            if wording not in known:
                known[wording] = self._similarity(wording)
            similarities.append(known[wording])
        return similarities

    def _blocks(self, page: Page, links: Sequence[Link]) -> Mapping[int, float]:
        """Return the similarity of each block that holds a link, by its index."""
        return {index: self._similarity(page.blocks[index].terms) for index in {link.block for link in links}}

    def _joint(self, anchor: float, context: Terms) -> float:
        """Return JFE (Lu et al. 2016, section 4.1), given the similarity of the anchor."""
        return self._beta * anchor + (1 - self._beta) * self._similarity(context)
