"""Link priority evaluation (Lu et al. 2016, section 4.2), by block, else link by link; and two baselines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.safety.settings import choice, number


class ContentBlocks(Strategy):
    """Links of a relevant block have its similarity; those of other blocks are not followed."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        blocks, threshold = self._blocks(page, links), self._threshold
        return [blocks[link.block] if blocks[link.block] > threshold else None for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        block = self._of_block(page.blocks[link.block].terms)
        return Parts("block if block > threshold else None", {"block": block, "threshold": self._threshold})


class LinkContext(Strategy):
    """A link's priority is the similarity of the words around it to the topic."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [self._of_context(link.context) for link in links]

    def parts(self, page: Page, link: Link) -> Parts:
        return Parts("context", {"context": self._of_context(link.context)})


@dataclass(frozen=True, slots=True)
class LpeOptions(StrategyOptions):
    beta: float = number("FOCUSED_JFE_BETA", 0.5, most=1)  # share of the anchor in JFE, the rest is context's
    soft: str = choice("FOCUSED_LPE_SOFT", "page", ("page", "links"))
    """Evidence of `lpe_soft`: page, the page's relevance as well; links, each link's LPE alone."""


class LinkPriorityEvaluation(Strategy):
    """The paper's: a link whose priority is not above the threshold is not followed."""

    options_class = LpeOptions
    _options: LpeOptions

    def score(self, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        priorities = _highest(links, self._priorities(page, links))
        return [priority if priority > self._threshold else None for priority in priorities]

    def parts(self, page: Page, link: Link) -> Parts:
        found = self._found(page, link)
        name = found.formula
        return Parts(
            f"{name} if {name} > threshold else None",
            {**found.values, "threshold": self._threshold},
            found.sums,
        )

    def _priorities(self, page: Page, links: Sequence[Link]) -> list[float]:
        """Return the priority of each link, whatever other links lead to the same URL."""
        return self._evaluate(page, links, self._anchors(links))

    def _found(self, page: Page, link: Link) -> Parts:
        """Return what LPE goes by where the page links best to a URL; the formula is a name."""
        places = [other for other in page.links if other.url == link.url]
        priorities = self._priorities(page, places)
        best = places[priorities.index(max(priorities))]
        anchor, context = self._of_anchor(best.anchor), self._of_context(best.context)
        values = {"block": self._of_block(page.blocks[best.block].terms), "anchor": anchor}
        if values["block"] > self._threshold:
            return Parts("block", values)
        values["context"] = context
        beta, of = self._options.beta, "" if self._is_plain else "odds of "
        addends = {
            f"{share:g} * {of}{name}": share * self._weight(value)
            for name, value, share in (("anchor", anchor, beta), ("context", context, 1 - beta))
        }
        values["joint"] = sum(addends.values())
        return Parts("joint" if self._is_plain else "(joint / (1 + joint))", values, {"joint": addends})

    def _joint(self, anchor: float, context: float) -> float:
        """Return JFE of an anchor and a context (section 4.1).

        Cosines are joined as printed. Of calibrated similarities the odds are, s / midpoint: so one of the
        two can speak for a link where the other says nothing, as of "click here", which JFE is there for.
        """
        beta = self._options.beta
        joint = beta * self._weight(anchor) + (1 - beta) * self._weight(context)
        return joint if self._is_plain else joint / (1 + joint)

    def _weight(self, similarity: float) -> float:
        return similarity if self._is_plain else similarity / (1 - similarity)

    def _evaluate(self, page: Page, links: Sequence[Link], anchors: Sequence[float]) -> list[float]:
        """Return the similarity of a link's block if that is relevant, else the link's JFE (section 4.1)."""
        blocks = self._blocks(page, links)
        priorities = []
        for link, anchor in zip(links, anchors, strict=True):
            priority = blocks[link.block]
            if priority <= self._threshold:
                priority = self._joint(anchor, self._of_context(link.context))
            priorities.append(priority)
        return priorities


class LinkPriorityEvaluationSoft(LinkPriorityEvaluation):
    """LPE that drops no link.

    By the letter (`soft` "links") each link keeps its LPE. With "page", LPE stands in the place of
    the anchor in Batsakis et al.'s Eq. 3; so that a link's own words count too, it is the geometric mean of
    LPE and the anchor's similarity: each must speak for the link.
    """

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return _highest(links, self._priorities(page, links))

    def parts(self, page: Page, link: Link) -> Parts:
        found = self._found(page, link)
        if self._options.soft != "page":
            return found
        values = {"page": page.relevance, **found.values}
        return Parts(f"(page + sqrt({found.formula} * anchor)) / 2", values, found.sums)

    def _priorities(self, page: Page, links: Sequence[Link]) -> list[float]:
        anchors = self._anchors(links)
        evaluated = self._evaluate(page, links, anchors)
        if self._options.soft == "page":
            signals = (math.sqrt(one * anchor) for one, anchor in zip(evaluated, anchors, strict=True))
            evaluated = [(page.relevance + signal) / 2 for signal in signals]
        return evaluated


def _highest(links: Sequence[Link], priorities: Sequence[float]) -> list[float]:
    """Give each link the highest priority of all links to the same URL: it may stand in several blocks."""
    best: dict[str, float] = {}
    for link, priority in zip(links, priorities, strict=True):
        if priority > best.get(link.url, -1.0):
            best[link.url] = priority
    return [best[link.url] for link in links]
