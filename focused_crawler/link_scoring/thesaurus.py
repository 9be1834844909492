"""Best-first by a thesaurus (Badia et al. 2006): the page, the anchor window, the words of the URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from focused_crawler.classify.thesaurus import WINDOW
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import LinkScoringSettings, Strategy
from focused_crawler.page.model import Link, Page
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.scoring import ThesaurusScorer

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel


class ThesaurusStrategy(Strategy):
    notes_windows: ClassVar[bool] = True

    P=.5; A=.5; C=0.; U=0.; H=.5
    def __init__(self, model: TopicModel, settings: LinkScoringSettings) -> None:
        super().__init__(model, settings)
        self._scorer = ThesaurusScorer(model.thesaurus(), Analyzer(model.language))

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        s=self._scorer
        out=[]
        h=self.H*s.half_point
        def sq(x): return x/(x+h) if x>0 else 0.
        for l in links:
            out.append((self.P*page.relevance+self.A*sq(s.text(l.anchor))+(self.C and self.C*sq(s.text(l.anchor,l.context)))+(self.U and self.U*sq(s.url(l.url))))/(self.P+self.A+self.C+self.U))
        return out

    def paths(self, page: Page, links: Sequence[Link]) -> list[bytes]:
        return [WINDOW.pack(self._scorer.text(link.anchor, link.context)) for link in links]
