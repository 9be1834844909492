from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from focused_crawler.virtualweb.bounds import one_each
from focused_crawler.virtualweb.graph import LinkGraph, Pages


@dataclass(frozen=True)
class SmallWeb:
    """A web of few pages, of which every possible crawl can be tried."""

    links: list[list[int]]
    seeds: list[int]
    relevant: list[bool]

    @property
    def graph(self) -> LinkGraph:
        return LinkGraph.of(self.links)

    @property
    def mask(self) -> np.ndarray:
        return np.array(self.relevant, dtype=np.bool_)

    @property
    def targets(self) -> Pages:
        return one_each(self.mask)

    def may_follow(self, page: int, fetched: Sequence[int]) -> bool:
        """Whether a crawl that has fetched these pages knows of that one."""
        return page in self.seeds or any(page in self.links[other] for other in fetched)

    def crawls(self) -> set[frozenset[int]]:
        """Return each set of pages that some crawl fetches."""
        found, waiting = {frozenset[int]()}, [frozenset[int]()]
        while waiting:
            fetched = waiting.pop()
            for page in range(len(self.links)):
                more = fetched | {page}
                if more not in found and self.may_follow(page, tuple(fetched)):
                    found.add(more)
                    waiting.append(more)
        return found

    def hits(self, pages: Sequence[int] | frozenset[int]) -> int:
        return sum(self.relevant[page] for page in pages)


@st.composite
def small_webs(draw: st.DrawFn, most: int = 8) -> SmallWeb:
    """Webs of one page to eight, some of them dense, some hardly linked; seeds may be missing."""
    size = draw(st.integers(1, most))
    page = st.integers(0, size - 1)
    pairs = draw(st.sets(st.tuples(page, page), max_size=3 * size))
    links = [sorted(target for source, target in pairs if source == p != target) for p in range(size)]
    seeds = draw(st.lists(page, max_size=3))
    return SmallWeb(links, seeds, draw(st.lists(st.booleans(), min_size=size, max_size=size)))


def large_web(number: int, pages: int = 400) -> SmallWeb:
    """A web in which relevant pages link to each other more than to others; one irrelevant seed."""
    random = np.random.default_rng(number)
    relevant = random.random(pages) < 0.15
    relevant[0] = False
    links = []
    for page in range(pages):
        likes = np.where(relevant == relevant[page], 6.0, 1.0)
        likes[page] = 0
        links.append(sorted(set(random.choice(pages, random.integers(0, 5), p=likes / likes.sum()).tolist())))
    links[0] = sorted({*links[0], 1, 2, 3} - {0})
    return SmallWeb(links, [0], relevant.tolist())
