"""The page classifiers of a topic: trained, by its own words, by pages its words found, by its thesaurus."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import ClassVar, NamedTuple

from focused_crawler.classify.base import Evidence, Method
from focused_crawler.classify.calibration import PlattScaling, log_odds
from focused_crawler.classify.words import ColdClassifier, weights_content
from focused_crawler.page.model import Page
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.weighting import RAW, section_counts
from focused_crawler.store.judges import MODEL, THESAURUS, VSM
from focused_crawler.topic.thesaurus import scoring
from focused_crawler.topic.thesaurus.model import Key
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer, page_runs


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """Relevance is a probability, where as large a share of the pages is relevant as training was told."""

    method: Method
    scaling: PlattScaling
    judge: ClassVar[str] = MODEL

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; 0 for a page without one known term."""
        log_odds = self.method.log_odds(page)
        return 0.0 if log_odds is None else self.scaling(log_odds)

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds of the relevance."""
        return self.scaled(page).bent(self.scaling.bend)

    def scaled(self, page: Page) -> Evidence:
        """Return what makes the log odds as they are scaled, before these are bent."""
        terms, bias, unit = self.method.evidence(page)
        slope, intercept = self.scaling.slope, self.scaling.intercept
        return Evidence(
            {term: slope * value for term, value in terms.items()}, slope * bias + intercept, unit
        )


HALF_POINT = 0.06
"""The cosine of a page that is as likely as not about the topic.

A whole page is never near a few keywords: if it has m of the topic's q words among n different ones, all of
like weight, their cosine is m / sqrt(q n). With q = 12 and n = 200 three words make 0.06.
"""


@dataclass(frozen=True, slots=True)
class VsmClassifier:
    """Relevance is the cosine of page and topic (Batsakis et al. 2009, Eq. 1), and nothing else.

    A page's words weigh tf / max tf * idf (Eq. 2), wherever on it they stand; a cosine does not see the
    division by max tf, so it is left out.
    """

    vector: TopicVector
    judge: ClassVar[str] = VSM

    @property
    def content(self) -> bytes:
        """Return what tells it from those of other words."""
        return weights_content(self.vector.weights)

    def relevance(self, page: Page) -> float:
        """Return the cosine, in [0, 1]."""
        return self.vector.similarity_of_counts(section_counts(page.sections, RAW))

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the cosine."""
        return Evidence(self.vector.products(section_counts(page.sections, RAW)), 0.0, "cosine")


class Trust(NamedTuple):
    """What the log odds of the topic's words count, and those learnt beside them."""

    words: float
    learnt: float
    floor: float  # log odds of a page without a word of the topic

    def of_words(self, relevance: float) -> float:
        """Return what the words add to the log odds of a page that they judge so."""
        return self.words * max(log_odds(relevance), self.floor)


OF_PSEUDO = Trust(1.0, 0.5, -6.0)
"""Pseudo-examples are labelled by the words themselves."""

ENOUGH = 30
"""Relevant examples from which on the topic's words are not asked any more."""


def trust_of(relevant: int) -> Trust:
    """Return that of so many relevant examples; a page without the words may be like the examples.

    >>> trust_of(12).words, trust_of(60).words
    (0.6, 0.0)
    """
    return Trust(max(1.0 - relevant / ENOUGH, 0.0), 1.0, -2.0)


@dataclass(frozen=True, slots=True)
class SeededClassifier:
    """log odds = those of the topic's words + those learnt, each by what it is trusted."""

    words: ColdClassifier
    learnt: TrainedClassifier
    trust: Trust = OF_PSEUDO
    judge: ClassVar[str] = MODEL

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; 0 without one known term."""
        known, words = self.learnt.method.log_odds(page), self.words.relevance(page)
        if known is None:
            if not words:
                return 0.0
            known = self.learnt.method.evidence(page).bias
        scaling = self.learnt.scaling
        scaled = scaling.slope * known + scaling.intercept
        return scaling.bend.relevance(self.trust.of_words(words) + self.trust.learnt * scaled)

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds."""
        trust, learnt = self.trust, self.learnt.scaled(page)
        words = self.words.log_odds(page, trust.floor)
        terms = {term: trust.learnt * value for term, value in learnt.terms.items()}
        for term, value in words.terms.items():
            terms[term] = terms.get(term, 0.0) + trust.words * value
        bias = trust.words * words.bias + trust.learnt * learnt.bias
        evidence = Evidence(terms, bias, "log odds")
        return evidence.bent(self.learnt.scaling.bend)


WINDOW = Struct("<d")
"""How the strategy `thesaurus` notes the score of an anchor window for the page behind its link."""


@dataclass(frozen=True, slots=True)
class ThesaurusClassifier:
    """Relevance from the score of a page's words, of its URL's words and of the anchor window that led to it.

    `reads_path`: the crawl's strategy notes the scores of windows; what another one notes is none.
    """

    scorer: ThesaurusScorer
    reads_path: bool = False
    judge: ClassVar[str] = THESAURUS
    reads_blocks: ClassVar[bool] = True  # phrases go over the borders of links, not of blocks

    @property
    def content(self) -> bytes:
        """Return what tells it from those of other thesauri, and that with windows from that without."""
        return f"{self.scorer.thesaurus} {self.reads_path}".encode("utf-8", "surrogatepass")

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; an estimate, not calibrated."""
        return scoring.relevance_of(self.scorer.page(page) + sum(self._around(page).values()))

    def evidence(self, page: Page) -> Evidence:
        """Return what each wording, the URL and the window add to the score."""
        words = self.scorer.addends(*page_runs(page))
        around = {name: value for name, value in self._around(page).items() if value}
        return Evidence(words | around, 0.0, "score")

    def wordings(self) -> Sequence[Mapping[str, Collection[Key]]]:
        """Return, for each facet, as which terms of a page each wording in its evidence is read."""
        return self.scorer.wordings()

    def _around(self, page: Page) -> dict[str, float]:
        """Return what is added for the URL and for the window."""
        weights = self.scorer.scoring
        added = {"(words of the URL)": weights.url * self.scorer.url(page.url)}
        if self.reads_path and page.path and len(page.path) == WINDOW.size:
            (window,) = WINDOW.unpack(page.path)
            added["(anchor window)"] = weights.anchor * window if 0 <= window < math.inf else 0.0
        return added
