"""Link priority evaluation (Lu et al. 2016, section 4.2): by block, else link by link."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class LinkPriorityEvaluationSoft(Strategy):
    """`lpe` that drops no link: those of a relevant block have its similarity, the others their JFE."""

    def score(self, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        return _highest(links, self._evaluate(page, links))

    def _evaluate(self, page: Page, links: Sequence[Link]) -> list[float]:
        blocks = self._blocks(page, links)
        priorities = []
        for link, anchor in zip(links, self._anchors(links), strict=True):
            block = blocks[link.block]
            is_relevant = block > self._threshold
            priorities.append(block if is_relevant else self._joint(anchor, link.context))
        return priorities


class LinkPriorityEvaluation(LinkPriorityEvaluationSoft):
    """The paper's: a link whose priority is not above the threshold is not followed."""

    def score(self, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        priorities = super().score(page, links)
        return [p if p is not None and p > self._threshold else None for p in priorities]


def _highest(links: Sequence[Link], priorities: Sequence[float]) -> list[float]:
    """Give each link the highest priority of all links to the same URL: it may stand in several blocks."""
    best: dict[str, float] = {}
    for link, priority in zip(links, priorities, strict=True):
        if priority > best.get(link.url, -1.0):
            best[link.url] = priority
    return [best[link.url] for link in links]
