"""A classifier of links that is trained anew as the crawl goes on (after ACHE; Barbosa and Freire 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.hashed import buckets, table, url_words
from focused_crawler.link_scoring.online import REST, OnlineStrategy, PageRead
from focused_crawler.link_scoring.rescoring import FETCHED
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import host_of
from focused_crawler.safety.settings import whole

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

SAMPLES = 5_000
"""Links of a kind that it is trained on, the latest."""

SIZE = 2**14
URL, ANCHOR, AROUND = 12, 8, 12
"""Words that are kept of each."""

_STEPS, _RATE, _SHRINKS = 60, 0.1, 1e-4
_FIRST, _SECOND = 0.9, 0.99  # memory of the steps (Adam; Kingma and Ba 2015)


@dataclass(frozen=True, slots=True)
class AcheOptions(StrategyOptions):
    learning_limit: int = whole("FOCUSED_ACHE_LEARNING_LIMIT", 500, least=1)  # pages between trainings


class Ache(OnlineStrategy):
    """A link's priority is how probably it leads to a relevant page, by links that were fetched.

    Before the first training it is the relevance of the best page that holds the link.
    """

    options_class = AcheOptions
    _options: AcheOptions
    fields = (("words", "<u2", (URL + ANCHOR + AROUND,)),)

    def __init__(self, model: TopicModel, options: AcheOptions) -> None:
        super().__init__(model, options)
        self._weights = np.zeros(0, np.float32)  # by word; the first is the bias; none: untrained

    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        rows["words"] = table(map(_words, links), len(links), URL + ANCHOR + AROUND)

    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        if self._pages % self._options.learning_limit == 0:
            self._train()

    def _train(self) -> None:
        """Fit a logistic regression to the links that were fetched; both kinds have the same weight."""
        seen, size = self.seen, len(self.seen)
        fetched = (seen["state"][:size] == FETCHED) & (seen["holder"][:size] > 0)
        kinds = [np.flatnonzero(fetched & (seen["is_relevant"][:size] == kind))[-SAMPLES:] for kind in (0, 1)]
        if not all(map(len, kinds)):
            return
        words = seen["words"][np.concatenate(kinds)].astype(np.intp)
        is_relevant = np.repeat([0.0, 1.0], list(map(len, kinds)))
        shares = np.repeat([0.5 / len(kind) for kind in kinds], list(map(len, kinds)))
        weights, first, second = np.zeros((3, SIZE))
        for step in range(1, _STEPS + 1):
            wrong = (_chances(weights, words) - is_relevant) * shares
            each = np.repeat(wrong, words.shape[1])
            slope = np.bincount(words.ravel(), each, minlength=SIZE) + _SHRINKS * weights
            slope[0] = wrong.sum()
            first, second = _FIRST * first + (1 - _FIRST) * slope, _SECOND * second + (1 - _SECOND) * slope**2
            rate = _RATE * np.sqrt(1 - _SECOND**step) / (1 - _FIRST**step)
            weights = weights - rate * first / (np.sqrt(second) + 1e-8)
        self._weights = weights.astype(np.float32)
        self._version += 1

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        if not len(self._weights):
            return REST * self.seen["best"][rows].astype(np.float64)
        return _chances(self._weights.astype(np.float64), self.seen["words"][rows].astype(np.intp))

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        if not len(self._weights):
            return Parts(f"{REST} * page", {"page": float(self.seen["best"][row[0]])})
        return Parts("link", {"link": float(self._priorities(row)[0])})

    def _content(self) -> dict[str, NDArray[Any]]:
        return {**super()._content(), "weights": self._weights}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._weights = np.array(arrays["weights"], np.float32).reshape(-1)


def _words(link: Link) -> list[int]:
    own = [*host_of(link.url).split("."), *url_words(link.url)]
    return [
        *buckets(own, "url", SIZE, URL),
        *buckets(link.anchor, "anchor", SIZE, ANCHOR),
        *buckets(link.context, "around", SIZE, AROUND),
    ]


def _chances(weights: NDArray[np.float64], words: NDArray[np.intp]) -> NDArray[np.float64]:
    sums = weights[words].sum(axis=1, where=words > 0) + weights[0]
    chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(sums, -30.0, 30.0)))
    return chances
