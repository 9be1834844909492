"""The contract of a crawling strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from focused_crawler.page.model import Link, Page

LONGEST_PATH = 1024
"""Bytes that may be noted on a page for its links: the frontier keeps them with every URL."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What makes the priority of a link.

    `formula` is an expression of Python over the names of `values`, with `max`, `sqrt` and `sigmoid`
    (1 / (1 + e^-x)): it gives the priority, None for a link that is not followed. An empty one says that the
    values are only what the strategy may go by. `sums` has the addends of those values that are sums.
    """

    formula: str
    values: Mapping[str, float]
    sums: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class LinkScorer(Protocol):
    """Orders the links of a page. Pure: no input or output, no clock, no ground truth.

    One without `path`, `paths`, `read`, `memory`, `remember` and `parts` has nothing to say there.
    """

    def score(self, page: Page, links: Sequence[Link]) -> Sequence[float | None]:
        """Return a priority in [0, 1] a link, in the order of `links`; None means: do not follow it."""

    def learn(self, page: Page) -> None:
        """Take note of a fetched page with its relevance; most strategies ignore it."""

    def path(self, page: Page) -> bytes | None:
        """Return what the pages that this page's links lead to are to know of the way to them.

        Asked right after `score`; each of them has it as its `Page.path`. At most `LONGEST_PATH` bytes.
        """

    def paths(self, page: Page, links: Sequence[Link]) -> Sequence[bytes | None]:
        """Return the same a link, where it differs from link to link; asked instead of `path`."""

    def read(self, links: Sequence[Link]) -> None:
        """Find out what `score` is to ask of links: of a page with thousands it is called ahead, in parts."""

    def parts(self, page: Page, link: Link) -> Parts:
        """Return what makes the priority of a link among all links of its page; for people to read."""

    def memory(self) -> bytes | None:
        """Return all that was learnt so far, None if there is nothing to keep."""

    def remember(self, memory: bytes) -> None:
        """Go on from what an earlier run had learnt, before the first page.

        It comes from a file, so it is data and never code; ValueError if it is none of this strategy's.
        """


class LearningScorer(LinkScorer, Protocol):
    """Learns and scores from features alone, so that pages stay in the processes that read them.

    `learn` and `score` do the same in one go; `path` and `paths` go by the page, not by what was learnt.
    Where a class overrides one of the four below the one that has `features`, it is sent whole pages.
    """

    def features(self, page: Page, links: Sequence[Link]) -> Any:
        """Return all that the two others need of a page and these links: small, to be pickled, and pure."""

    def learn_from(self, features: Any) -> None:
        """Take note of a fetched page."""

    def score_from(self, features: Any) -> Sequence[float | None]:
        """Return what `score` does."""


class TeachingScorer(LearningScorer, Protocol):
    """Tells other processes of its crawl what its pages teach: each then has learnt from the pages of all.

    Where a class overrides `features` or `learn_from` below the one that has these, it teaches nothing.
    """

    def lesson(self, features: Any) -> bytes:
        """Return what a page teaches, to be stored with it; empty: nothing."""

    def learn_lesson(self, lesson: bytes) -> None:
        """Learn what a page of another process teaches; ValueError if it is nothing of this strategy's."""


def splits(scorer: LinkScorer) -> bool:
    """Tell whether a strategy is a `LearningScorer`, and none that changed another one's way to learn."""
    for kind in type(scorer).__mro__:
        if "features" in vars(kind):
            return True
        if not vars(kind).keys().isdisjoint(("learn", "score", "path", "paths")):
            break
    return False


def teaches(scorer: LinkScorer) -> bool:
    """Tell whether a strategy is a `TeachingScorer`, and none that learns more than another one teaches."""
    for kind in type(scorer).__mro__:
        if not vars(kind).keys().isdisjoint(("lesson", "learn_lesson")):
            return True
        if not vars(kind).keys().isdisjoint(("features", "learn_from")):
            break
    return False


class HeldLink(NamedTuple):
    """A link that several recorded pages hold."""

    url: str
    total: float  # of the scores that it had on these pages, the best one of each
    pages: int


class Rescorer(LinkScorer, Protocol):
    """Changes its mind about a link when further pages hold it; others leave it the highest of its scores."""

    def rescore(self, links: Sequence[HeldLink]) -> Sequence[float]:
        """Return new priorities, higher or lower, for links of a page just recorded that others hold, too.

        Start pages are not asked about; of links that are not pending any more it has no effect.
        """
