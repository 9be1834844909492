"""The page classifier of a topic with a thesaurus (Badia et al. 2006): nothing is learnt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from struct import Struct
from typing import Self

from focused_crawler.classify.base import Evidence
from focused_crawler.page.model import Page
from focused_crawler.thesaurus.scoring import FacetEvidence, ThesaurusScorer, page_runs

WINDOW = Struct("<d")
"""How the strategy `thesaurus` notes the score of an anchor window for the page behind its link."""


@dataclass(frozen=True, slots=True)
class ThesaurusClassifier:
    """Relevance from the score of a page's words, of its URL's words and of the anchor window that led to it.

    `reads_path`: the crawl's strategy notes the scores of windows; what another one notes is none.
    """

    scorer: ThesaurusScorer
    reads_path: bool = False

    def reading_path(self) -> Self:
        """Return the classifier that counts anchor windows."""
        return replace(self, reads_path=True)

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; an estimate, not calibrated."""
        return self.scorer.relevance(self.scorer.page(page) + sum(self._around(page).values()))

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the score: each entry has its share of what its facet adds."""
        terms: dict[str, float] = {}
        for facet in self.scorer.evidence(*page_runs(page)):
            for name, value in _addends(facet, self.scorer.scoring.penalty):
                terms[name] = terms.get(name, 0.0) + value
        around = {name: value for name, value in self._around(page).items() if value}
        return Evidence(terms | around, 0.0, "score")

    def _around(self, page: Page) -> dict[str, float]:
        """Return what is added for the URL and for the window."""
        scoring, most = self.scorer.scoring, self.scorer.most
        added = {"(URL)": scoring.url * self.scorer.url(page.url)}
        if self.reads_path and page.path and len(page.path) == WINDOW.size:
            (window,) = WINDOW.unpack(page.path)
            added["(anchor window)"] = scoring.anchor * window if 0 <= window <= most else 0.0
        return added


def _addends(facet: FacetEvidence, penalty: float) -> Iterator[tuple[str, float]]:
    """Yield what each wording of a facet adds to the score; nothing of a facet that counts for nothing."""
    share = facet.value / facet.score if facet.score > 0 else 0.0
    for entry in facet.entries:
        yield entry.name, entry.value * share
    for wording in facet.negative:
        yield wording, -penalty * share
