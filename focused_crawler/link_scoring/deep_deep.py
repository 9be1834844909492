"""Q-learning over the letters of anchors, with hosts drawn by chance (after deep-deep, TeamHG-Memex 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.choosing import ChoosingStrategy
from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.directory import site_name
from focused_crawler.link_scoring.hashed import grams
from focused_crawler.link_scoring.online import REST, PageRead
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Page

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

GAMMA = 0.4
"""Worth of what the best link of a page is worth, against the page itself."""

EPSILON = 0.2
"""Share of links that are drawn by chance: a host, and one of its links."""

TEMPERATURE = 1.0
"""Hosts are drawn by exp(worth of their best link / temperature)."""

RATE = 0.1
SWITCH = 100
"""After so many pages, links are valued by what was learnt until then."""

FIRST = 0.05
"""Worth of a link before anything is learnt."""

REPLAYED, REMEMBERED, LINKS = 300, 4_096, 16
"""Pages that are learnt from again after each page, that are remembered, and links of one that are."""

LETTERS, BITS = 48, 18
"""Bytes of an anchor that are read; their runs have 2^18 weights."""

_INTERCEPT, _SAME = 2**BITS + 1, 2**BITS + 2  # further weights


class DeepDeep(ChoosingStrategy):
    """A link's worth: the relevance of its page, and of what comes after it, by runs of 3 to 5 letters."""

    fields = (("text", f"S{LETTERS}"), ("same", "u1"))

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(model, options)
        self._learnt, self._valued = (np.zeros(2**BITS + 3, np.float32) for _ in range(2))
        self._valued[_INTERCEPT] = FIRST
        self._links = np.empty(0, np.int32)  # rows of links that were followed
        self._rewards = np.empty(0, np.float32)
        self._next = np.empty((0, LINKS), np.int32)  # rows of links of their pages; -1: none
        self._after = np.empty(0, np.float32)  # worth of the best of these
        self._after_by = np.empty(0, np.int64)  # the version by which it is

    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        own = site_name(page.url)
        rows["text"] = [link.text.lower().encode("utf-8", "replace")[:LETTERS] for link in links]
        rows["same"] = [site_name(link.url) == own for link in links]

    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        chance = np.random.default_rng([self._options.random_seed, self._pages, 1])
        known = list(dict.fromkeys(rows.tolist()))
        if len(known) > LINKS:
            known = [known[at] for at in sorted(chance.choice(len(known), LINKS, replace=False).tolist())]
        self._remember(row, page.p, known + [-1] * (LINKS - len(known)), chance)
        self._replay(chance.integers(len(self._links), size=REPLAYED))
        if self._pages % SWITCH == 0:
            self._valued = self._learnt.copy()
            self._version += 1

    def _remember(self, row: int, reward: float, links: list[int], chance: np.random.Generator) -> None:
        """Remember a page; when there are too many, in the place of any other."""
        at = len(self._links)
        if at < REMEMBERED:
            for name, of in (("_links", np.int32), ("_rewards", np.float32), ("_after", np.float32)):
                setattr(self, name, np.append(getattr(self, name), of(0)))
            self._after_by = np.append(self._after_by, np.int64(0))
            self._next = np.append(self._next, np.full((1, LINKS), -1, np.int32), axis=0)
        else:
            at = int(chance.integers(at))
        self._links[at], self._rewards[at], self._next[at], self._after_by[at] = row, reward, links, 0

    def _replay(self, sample: NDArray[np.int64]) -> None:
        """Move the weights towards what pages were worth, one after the other."""
        old = np.unique(sample[self._after_by[sample] != self._version])
        if len(old):
            worths = self._worths(self._next[old].ravel()).reshape(-1, LINKS)
            worths[self._next[old] < 0] = -np.inf
            best = worths.max(axis=1)
            self._after[old], self._after_by[old] = np.where(np.isfinite(best), best, 0.0), self._version
        aims = self._rewards[sample] + GAMMA * self._after[sample]
        rows, places = np.unique(sample, return_inverse=True)
        active, shares = self._active(self._links[rows])
        used = [numbers[numbers > 0] for numbers in active]
        weights = self._learnt
        for place, aim in zip(places.tolist(), aims.tolist(), strict=True):
            own = used[place]
            share = shares[place][: len(own)]
            wrong = aim - float(weights[own] @ share)
            weights[own] += np.float32(RATE * wrong) * share

    def _active(self, rows: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the numbers of links' weights, 0 where there are no more, and what each counts for."""
        runs = grams(self.seen["text"][rows], 3, 5, BITS)
        same = np.where(self.seen["same"][rows], _SAME, 0).astype(np.int32)
        known = np.full(len(rows), _INTERCEPT, np.int32)
        numbers = -np.sort(-np.concatenate([known[:, None], same[:, None], runs], axis=1), axis=1)
        shares = 1.0 / np.sqrt(np.maximum((runs > 0).sum(axis=1), 1.0))[:, None]
        return numbers, np.where(numbers > 2**BITS, 1.0, shares * (numbers > 0)).astype(np.float32)

    def _worths(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        numbers, shares = self._active(rows)
        worths: NDArray[np.float64] = (self._valued[numbers].astype(np.float64) * shares).sum(axis=1)
        return worths

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        worths = self._worths(rows)
        priorities: NDArray[np.float64] = REST * (1 - GAMMA) * np.clip(worths, 0.0, 1 / (1 - GAMMA))
        return priorities

    def _choose(self, waiting: Rows, chance: np.random.Generator) -> int:
        hosts = self.seen["host"][waiting]
        worths = self.seen["deserved"][waiting] / (REST * (1 - GAMMA))
        best = np.full(len(self._hosts), -np.inf)
        np.maximum.at(best, hosts, worths)
        is_random = chance.random() < EPSILON
        weights = np.isfinite(best) * (1.0 if is_random else np.exp(best / TEMPERATURE))
        host = int(chance.choice(len(best), p=weights / weights.sum()))
        own = np.flatnonzero(hosts == host)
        return int(waiting[chance.choice(own) if is_random else own[worths[own].argmax()]])

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        worth = float(np.clip(self._worths(row)[0], 0.0, 1 / (1 - GAMMA)))
        return Parts(f"{REST} * {1 - GAMMA} * worth", {"worth": worth})

    def _content(self) -> dict[str, NDArray[Any]]:
        weights = {"learnt": self._learnt, "valued": self._valued}
        replayed = {"links": self._links, "rewards": self._rewards, "next": self._next}
        return {
            **super()._content(), **weights, **replayed, "after": self._after, "after_by": self._after_by
        }  # fmt: skip

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._learnt = np.array(arrays["learnt"], np.float32).reshape(2**BITS + 3)
        self._valued = np.array(arrays["valued"], np.float32).reshape(2**BITS + 3)
        self._links, self._next = np.array(arrays["links"], np.int32), np.array(arrays["next"], np.int32)
        self._rewards, self._after = (np.array(arrays[name], np.float32) for name in ("rewards", "after"))
        self._after_by = np.array(arrays["after_by"], np.int64)
