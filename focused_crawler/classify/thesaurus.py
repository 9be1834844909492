"""The page classifier of a topic with a thesaurus (Badia et al. 2006): nothing is learnt."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from struct import Struct
from typing import ClassVar, Self

from focused_crawler.classify.base import Evidence
from focused_crawler.page.model import Page
from focused_crawler.thesaurus.scoring import ThesaurusScorer, page_runs, relevance_of
from focused_crawler.thesaurus.wording import Key

WINDOW = Struct("<d")
"""How the strategy `thesaurus` notes the score of an anchor window for the page behind its link."""


@dataclass(frozen=True, slots=True)
class ThesaurusClassifier:
    """Relevance from the score of a page's words, of its URL's words and of the anchor window that led to it.

    `reads_path`: the crawl's strategy notes the scores of windows; what another one notes is none.
    """

    scorer: ThesaurusScorer
    reads_path: bool = False
    reads_blocks: ClassVar[bool] = True  # phrases go over the borders of links, not of blocks

    def reading_path(self) -> Self:
        """Return the classifier that counts anchor windows."""
        return replace(self, reads_path=True)

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; an estimate, not calibrated."""
        return relevance_of(self.scorer.page(page) + sum(self._around(page).values()))

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
        scoring = self.scorer.scoring
        added = {"(words of the URL)": scoring.url * self.scorer.url(page.url)}
        if self.reads_path and page.path and len(page.path) == WINDOW.size:
            (window,) = WINDOW.unpack(page.path)
            added["(anchor window)"] = scoring.anchor * window if 0 <= window < math.inf else 0.0
        return added
