"""From which similarity on a block, an anchor or a context is rather about the topic than not.

Lu et al. 2016 compare cosines with 0.5, but a cosine depends on how long the texts are: a block of ordinary
prose comes to 0.05 with a topic of 200 terms, and nothing would ever be followed. So a similarity s is read
as s / (s + midpoint): the order stays, and 0.5 is half way between a usual text about the topic and another.

Each kind of text has its midpoint. LPE asks anchors and contexts where the block is not relevant, so theirs
are learnt from such links; most of them hold no word of the topic, and these tell nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from statistics import median
from typing import NamedTuple

from focused_crawler.classify.topic_vector import topic_vector
from focused_crawler.page.model import Page
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.topic import Topic

FOLDS = 5
MIN_TERMS = 5
"""Shorter blocks say too little to learn from."""


class Midpoints(NamedTuple):
    """A cosine for each kind of text; 0: its plain cosine counts."""

    block: float
    anchor: float
    context: float

    @classmethod
    def of_block(cls, block: float) -> Midpoints:
        """Return those of a topic whose links do not tell: on webs they are about half the block's."""
        return cls(block, block / 2, block / 2)


COLD_MIDPOINTS = Midpoints.of_block(0.06)
"""Of a topic without examples: of its 0.06, see `page_classifiers.HALF_POINT`."""

PLAIN = Midpoints(0.0, 0.0, 0.0)


def calibrated(cosine: float, midpoint: float) -> float:
    """Return s / (s + midpoint), in [0, 1].

    >>> calibrated(0.06, 0.06), calibrated(0.06, 0.0)
    (0.5, 0.06)
    """
    return cosine / (cosine + midpoint) if midpoint else cosine


class _Link(NamedTuple):
    """Similarities of a link's anchor, its context, and the block that it stands in."""

    anchor: float
    context: float
    block: float


class _Found(NamedTuple):
    """Similarities on pages of one kind."""

    blocks: list[float]
    links: list[_Link]

    def add(self, vector: TopicVector, page: Page) -> None:
        blocks = [vector.similarity(block.terms) for block in page.blocks]
        long = (sum(map(bool, block.terms)) >= MIN_TERMS for block in page.blocks)
        self.blocks.extend(compress(blocks, long))
        for link in page.links:
            anchor, context = vector.similarity(link.anchor), vector.similarity(link.context)
            self.links.append(_Link(anchor, context, blocks[link.block]))


def midpoints(
    topic: Topic, relevant: Sequence[Page], other: Sequence[Page], analyzer: Analyzer, terms: int
) -> Midpoints:
    """Return for each kind of text the mean of two medians: on relevant pages, and on the others.

    A text is compared with a vector made without its page. Where there is none, see `COLD_MIDPOINTS`.
    """
    about, apart = _Found([], []), _Found([], [])
    for fold in range(FOLDS):
        vector = topic_vector(topic, _rest(relevant, fold), _rest(other, fold), analyzer, terms)
        for found, pages in ((about, relevant), (apart, other)):
            for page in pages[fold::FOLDS]:
                found.add(vector, page)
    block = _half_way(about.blocks, apart.blocks) or COLD_MIDPOINTS.block
    kinds = [[link for link in found.links if link.block <= block] for found in (about, apart)]
    cold = Midpoints.of_block(block)
    return Midpoints(
        block,
        _half_way(*([link.anchor for link in links if link.anchor] for links in kinds)) or cold.anchor,
        _half_way(*([link.context for link in links if link.context] for links in kinds)) or cold.context,
    )


def _rest(pages: Sequence[Page], fold: int) -> list[Page]:
    return [page for number, page in enumerate(pages) if number % FOLDS != fold]


def _half_way(about: Sequence[float], apart: Sequence[float]) -> float:
    """Return the middle of the medians, which a few odd texts do not move; 0 where there is none."""
    return (median(about) + median(apart)) / 2 if about and apart else 0.0
