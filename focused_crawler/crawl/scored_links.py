"""The links of a page with their scores, as they travel between processes and on to the frontier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from focused_crawler.frontier.base import Candidate


class ScoredLink(NamedTuple):
    """A link with the strategy's verdict."""

    url: str
    text: str
    block: int  # content block on its page
    score: float | None  # [0, 1]; None: not to be followed
    path: bytes | None = None  # what the strategy notes for the page it leads to


class FoundLinks(NamedTuple):
    """The links of a page in reading order, column by column: most of what travels from a worker."""

    urls: list[str]
    texts: list[str]
    blocks: list[int]
    paths: Sequence[bytes | None]
    scores: Sequence[float | None] | None = None  # None: they are still to come
    features: Any = None  # what a strategy that learns is to make them from
    is_open: Sequence[bool] | None = None  # which ones the features are of; None: all

    def scored(self, scores: Sequence[float | None]) -> list[ScoredLink]:
        """Return them one by one; ValueError if there are more or fewer scores."""
        return list(map(_AS_LINK, zip(self.urls, self.texts, self.blocks, scores, self.paths, strict=True)))


_AS_LINK: Callable[[tuple[Any, ...]], ScoredLink] = partial(tuple.__new__, ScoredLink)


def candidates(links: Sequence[ScoredLink], depth: int, parent: str) -> list[Candidate]:
    """Return what the frontier is to have of the links of a page: each URL once, by its best link."""
    best: dict[str, Candidate] = {}
    for url, _, _, score, path in links:
        if score is not None and (url not in best or score > best[url].priority):
            best[url] = _AS_CANDIDATE((url, score, depth, parent, path))
    return list(best.values())


_AS_CANDIDATE: Callable[[tuple[Any, ...]], Candidate] = partial(tuple.__new__, Candidate)
