"""Best-first by a thesaurus (Badia et al. 2006): page, anchor and the words of the URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from focused_crawler.classify.page_classifiers import WINDOW
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.scoring import HALF_POINT, ThesaurusScorer

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

URL = 0.3
"""What the score of a link's URL counts beside that of its anchor."""


class ThesaurusStrategy(Strategy):
    """The mean of the page's relevance and of what the thesaurus says of the link itself."""

    notes_windows: ClassVar[bool] = True

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options)
        self._scorer = ThesaurusScorer(model.thesaurus(), Analyzer(model.language))

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        anchors = self._anchors(links)
        return [
            (page.relevance + _saturated(anchor + URL * self._scorer.url(link.url))) / 2
            for link, anchor in zip(links, anchors, strict=True)
        ]

    def parts(self, page: Page, link: Link) -> Parts:
        """Return the scores of anchor and URL, and which entries made them."""
        texts = {"anchor": link.anchor, "url": self._scorer.url_terms(link.url)}
        sums = {name: self._scorer.addends(terms) for name, terms in texts.items()}
        values = {"page": page.relevance, **{name: sum(addends.values()) for name, addends in sums.items()}}
        formula = f"(page + (anchor + {URL} * url) / (anchor + {URL} * url + {HALF_POINT})) / 2"
        return Parts(formula, values, {name: addends for name, addends in sums.items() if addends})

    def paths(self, page: Page, links: Sequence[Link]) -> list[bytes]:
        """Return the score of each link's anchor window: it counts for the page behind the link."""
        return [WINDOW.pack(self._scorer.text(link.window)) for link in links]

    def _of_anchor(self, terms: Sequence[str]) -> float:
        """Return the score of a text: `_anchors` looks at each wording once."""
        return self._scorer.text(list(terms))


def _saturated(score: float) -> float:
    return score / (score + HALF_POINT)
