"""Best-first by meaning: words that WordNet relates to the topic's count as well (Batsakis et al. 2009)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import STOP, Link, Page
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import LANGUAGE, Relations, relations
from focused_crawler.safety.errors import ConfigError

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel


def conceptual_weights(
    topic: Mapping[str, float], related: Mapping[str, Relations], neighbour: float
) -> dict[str, float]:
    """Return sum_k w_k sim(k, l) / sum_k w_k of each term l for which it is not 0: Eq. 4 seen from a text.

    sim is 1 for the term itself and its synonyms, `neighbour` for a direct hypernym or hyponym.
    """
    total = sum(topic.values())
    weights: dict[str, float] = {}
    for term, weight in topic.items():
        synonyms, neighbours = related.get(term, Relations(frozenset(), frozenset()))
        similar = dict.fromkeys(neighbours, neighbour) | dict.fromkeys({term, *synonyms}, 1.0)
        for other, similarity in similar.items():
            weights[other] = weights.get(other, 0.0) + similarity * weight / total
    return {term: weight for term, weight in sorted(weights.items()) if weight > 0}


def semantic_similarity(text: Mapping[str, float], concepts: Mapping[str, float]) -> float:
    """Return Eq. 4 of a text's term weights, in [0, 1]; 0 for a text without terms.

    >>> synonyms = {"car": Relations(frozenset({"automobile"}), frozenset())}
    >>> concepts = conceptual_weights({"car": 1.0, "race": 0.5}, synonyms, neighbour=0.0)
    >>> round(semantic_similarity({"automobile": 0.8, "race": 0.4, "tree": 0.6}, concepts), 4)
    0.3704
    """
    whole = sum(text.values())
    near = sum(weight * concepts[term] for term, weight in text.items() if term in concepts)
    return min(near / whole, 1.0) if whole > 0 else 0.0


class SemanticSynonym(Strategy):
    """The mean of Eq. 4 on the page and on the anchor; a synonym is as good as the topic's word."""

    neighbour: ClassVar[float] = 0.0  # sim of a direct hypernym or hyponym

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options)
        if model.language != LANGUAGE:
            raise ConfigError(
                f"semantic strategies know English only, and the topic's language is {model.language!r};"
                " use best_first_content_anchor"
            )
        statistics = TermStatistics.for_language(LANGUAGE)
        self._idf, self._default_idf = statistics.mapping, statistics.default
        self._concepts = conceptual_weights(
            self._weights(topic_terms(model.keywords)), relations(model.keywords), self.neighbour
        )

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        content = self._content(page)
        return [(content + anchor) / 2 for anchor in self._anchors(links)]

    def parts(self, page: Page, link: Link) -> Parts:
        values = {"content": self._content(page), "anchor": self._nearness(link.anchor)}
        return Parts("(content + anchor) / 2", values)

    def _content(self, page: Page) -> float:
        sections = page.sections
        return self._nearness([*sections.headline, *sections.keywords, *sections.anchor, *sections.body])

    def _of_anchor(self, terms: Sequence[str]) -> float:
        return self._nearness(terms)

    def _nearness(self, terms: Sequence[str]) -> float:
        if self._concepts.keys().isdisjoint(terms):
            return 0.0
        return semantic_similarity(self._weights(terms), self._concepts)

    def _weights(self, terms: Sequence[str]) -> dict[str, float]:
        """Return Eq. 2 without its 1 / max f, which Eq. 4 has above and below the line."""
        counts = Counter(terms)
        del counts[STOP]
        idf, default = self._idf, self._default_idf
        return {term: count * idf.get(term, default) for term, count in counts.items()}


class SemanticHypernym(SemanticSynonym):
    """Direct hypernyms and hyponyms of the topic's words count half."""

    neighbour = 0.5


def topic_terms(keywords: Sequence[str]) -> list[str]:
    """Return the terms of English words and phrases, stop words left out."""
    analyzer = Analyzer(LANGUAGE)
    return [term for phrase in keywords for term in analyzer.terms(phrase) if term != STOP]
