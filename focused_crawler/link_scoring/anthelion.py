"""A bandit over hosts, above an online classifier of links (Meusel, Mika, Blanco 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.choosing import ChoosingStrategy
from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.hashed import buckets, table, url_words
from focused_crawler.link_scoring.online import REST, PageRead
from focused_crawler.link_scoring.rescoring import FETCHED
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import host_of

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

RANDOM, DECAY = 0.1, 1_000
"""Share of hosts that are drawn by chance; after so many pages it is half of that, then a third..."""

SIZE = 10_000
WORDS = 16
"""Words of a URL that are kept, its host among them."""

PARENT, SIBLING = SIZE, SIZE + 2
"""Numbers of the kinds, irrelevant and relevant, of the page that holds a link and of others it links to."""

BY_HOST = "links to its host"


class Anthelion(ChoosingStrategy):
    """The host whose links that wait are best in the mean comes next, and of these the best; or any host.

    How good a link is, says naive Bayes by the words of its URL, the page that holds it and its siblings.
    """

    fields = (("words", "<u2", (WORDS,)),)

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options, siblings=np.empty((0, 2), np.uint16))  # numbers; 0: none
        self._counts = np.zeros(
            (2, SIZE + 4), np.float32
        )  # pages of each kind with a word; of 0: all of them

    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        words = ([host_of(link.url), *url_words(link.url)] for link in links)
        parent = PARENT + page.is_relevant
        numbers = ([*buckets(own, "url", SIZE, WORDS - 1), parent] for own in words)
        rows["words"] = table(numbers, len(links), WORDS)

    def _held(self, new: Rows, rows: Rows, page: PageRead) -> None:
        rows = rows[~np.isin(page.links["key"], (page.key, page.way))]  # most menus link to their own page
        fetched = self.seen["is_relevant"][rows[self.seen["state"][rows] == FETCHED]]
        for kind in (0, 1):
            if (fetched == kind).any():
                self.seen["siblings"][new, kind] = SIBLING + kind

    def _words_of(self, rows: Rows) -> NDArray[np.intp]:
        both = (self.seen["words"][rows], self.seen["siblings"][rows])
        return np.concatenate(both, axis=1).astype(np.intp)

    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        words = self._words_of(np.array([row], np.int32))[0]
        counts = self._counts[int(page.is_relevant)]
        counts[words[words > 0]] += 1
        counts[0] += 1
        self._version += 1

    def _odds(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the log odds of relevant pages so far, and what each link's words add to them."""
        counts = self._counts.astype(np.float64)
        chances = np.log((counts + 1.0) / (counts[:, :1] + 2.0))
        weights = chances[1] - chances[0]
        weights[0] = 0.0  # stands where a link has no more words
        before = np.log((counts[1, :1] + 1.0) / (counts[0, :1] + 1.0))
        return before, weights[self._words_of(rows)].sum(axis=1)

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        before, words = self._odds(rows)
        priorities: NDArray[np.float64] = REST / (1.0 + np.exp(-np.clip(before + words, -30.0, 30.0)))
        return priorities

    def _choose(self, waiting: Rows, chance: np.random.Generator) -> int:
        hosts, values = self.seen["host"][waiting], self.seen["deserved"][waiting]
        count = len(self._hosts)
        links = np.bincount(hosts, minlength=count)
        if chance.random() < RANDOM / (1 + self._pages // DECAY):
            host = int(chance.choice(np.flatnonzero(links)))
        else:
            means = np.bincount(hosts, weights=values, minlength=count) / np.maximum(links, 1)
            host = int(np.where(links > 0, means, -np.inf).argmax())
        own = np.flatnonzero(hosts == host)
        return int(waiting[own[values[own].argmax()]])

    def _kin(self, row: int, size: int) -> list[tuple[str, NDArray[np.bool_]]]:
        hosts = self.seen["host"][:size]
        return [(BY_HOST, hosts == hosts[row])]

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        before, words = self._odds(row)
        both = float(np.clip(before + words, -30.0, 30.0)[0])
        values = {"before": float(before[0]), "words": both - float(before[0])}
        return Parts(f"{REST} * sigmoid(before + words)", values)

    def _content(self) -> dict[str, NDArray[Any]]:
        return {**super()._content(), "counts_of_words": self._counts}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._counts = np.array(arrays["counts_of_words"], np.float32).reshape(2, SIZE + 4)
