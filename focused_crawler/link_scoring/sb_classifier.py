"""A bandit over groups of links at similar places of pages (Gauquier, Manolescu, Senellart 2025)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.choosing import ChoosingStrategy
from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.hashed import grams
from focused_crawler.link_scoring.online import REST, PageRead
from focused_crawler.link_scoring.rescoring import PENDING, part_of
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Page

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

SIMILAR = 0.55
"""Cosine from which on a place belongs to a group: one of its four elements may be another."""

EXPLORES = 2.0 * np.sqrt(2.0)
"""Weight of what is not known of a group."""

MOST_GROUPS, SIZE = 1_024, 512
"""Groups that there may be, and numbers that stand for pairs of elements."""

LETTERS, BITS, RATE = 96, 14, 0.5
"""Bytes of a URL that its classifier reads, in pairs; their weights; its rate of learning."""

TRUSTED = 10
"""Pages of each kind from which on the classifier of URLs is asked."""

AT_ONCE = 0.96
"""Least priority of links of a chosen page whose URLs look relevant: they are what it is worth."""

BY_PLACE = "links at similar places of pages"


class SbClassifier(ChoosingStrategy):
    """The group of links with the highest upper bound of its worth comes next, and any link of it.

    A link is worth as many relevant pages as come with it: its own, and those of its page's links whose
    URLs look relevant, which are fetched at once.
    """

    fields = (("place", "<u4"), ("url", f"S{LETTERS}"))

    def __init__(self, model: TopicModel, options: StrategyOptions) -> None:
        super().__init__(
            model,
            options,
            group=np.empty(0, np.int16),
            credit=np.empty(
                0, np.int16
            ),  # group whose link led to its page, from 1 on; 0: it is not fetched at once
        )
        self._places = Table(group=np.empty(0, np.int16))
        self._centres = np.zeros((0, SIZE), np.float32)  # sums of the places of a group
        self._pulls, self._worths = np.zeros(0, np.int32), np.zeros(0, np.float64)
        self._weights = np.zeros(2**BITS + 1, np.float32)  # of the classifier of URLs; the first: the bias
        self._kinds = np.zeros(2, np.int64)  # irrelevant, relevant pages that it has learnt from

    # Groups

    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        rows["place"] = [link.place for link in links]
        rows["url"] = [link.url.partition("://")[2].encode("utf-8", "replace")[:LETTERS] for link in links]

    def _read_more(self, page: Page, links: Sequence[Link]) -> bytes:
        return json.dumps({link.place: page.places.get(link.place, "") for link in links}).encode()

    def _held(self, new: Rows, rows: Rows, page: PageRead) -> None:
        known = self._places.find(page.links["place"].astype(np.int64))
        if (known < 0).any():
            for place, path in sorted(json.loads(page.rest).items()):
                key = np.array([int(place)], np.int64)
                if self._places.find(key)[0] < 0:
                    self._places["group"][self._places.rows_of(key)] = self._group_of(path)
        places = self._places.find(self.seen["place"][new].astype(np.int64))
        self.seen["group"][new] = self._places["group"][places]

    def _group_of(self, path: str) -> int:
        """Return the nearest group of a place, a new one if none is near."""
        own = np.zeros(SIZE, np.float32)
        steps = ["", *path.split(), ""]
        for one, other in pairwise(steps):
            own[crc32(f"{one} {other}".encode("utf-8", "replace")) % SIZE] += 1
        lengths = np.linalg.norm(self._centres, axis=1) * np.linalg.norm(own)
        likeness = self._centres @ own / np.maximum(lengths, 1e-12)
        if len(likeness) and (likeness.max() >= SIMILAR or len(likeness) >= MOST_GROUPS):
            group = int(likeness.argmax())
            self._centres[group] += own
            return group
        self._centres = np.append(self._centres, own[None], axis=0)
        self._pulls, self._worths = np.append(self._pulls, np.int32(0)), np.append(self._worths, 0.0)
        return len(self._centres) - 1

    # Learning

    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        seen = self.seen
        credit = int(seen["credit"][row]) - 1
        if credit < 0:
            credit = int(seen["group"][row])
            self._pulls[credit] += 1
            self._send_at_once(credit, rows)
        self._worths[credit] += page.is_relevant
        self._learn_url(row, page.is_relevant)
        self._version += 1

    def _send_at_once(self, group: int, rows: Rows) -> None:
        seen = self.seen
        if self._kinds.min() < TRUSTED or not len(rows):
            return
        rows = np.unique(rows)
        waiting = rows[(seen["state"][rows] == PENDING) & (seen["credit"][rows] == 0)]
        seen["credit"][waiting[self._chances(waiting) >= 0.5]] = group + 1

    def _learn_url(self, row: int, is_relevant: bool) -> None:
        chance = float(self._chances(np.array([row], np.int32))[0])
        pairs = grams(self.seen["url"][[row]], 2, 2, BITS)[0]
        own = pairs[pairs > 0]
        step = np.float32(RATE * (is_relevant - chance))
        self._weights[own] += step / np.float32(np.sqrt(max(len(own), 1)))
        self._weights[0] += step
        self._kinds[int(is_relevant)] += 1

    def _chances(self, rows: Rows) -> NDArray[np.float64]:
        """Return how probably URLs are those of relevant pages."""
        pairs = grams(self.seen["url"][rows], 2, 2, BITS)
        is_own = pairs > 0
        sums = np.where(is_own, self._weights[pairs].astype(np.float64), 0.0).sum(axis=1)
        odds = sums / np.sqrt(np.maximum(is_own.sum(axis=1), 1)) + float(self._weights[0])
        chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
        return chances

    # Choosing

    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean worth of each group's links, and by how much it may be more; inf: not tried."""
        pulls = np.maximum(self._pulls, 1)
        more = EXPLORES * np.sqrt(np.log(max(int(self._pulls.sum()), 1)) / pulls)
        return self._worths / pulls, np.where(self._pulls > 0, more, np.inf)

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        means, more = self._bounds()
        bounds = (means + more)[self.seen["group"][rows]]
        rest: NDArray[np.float64] = REST * (1.0 - 1.0 / (1.0 + bounds))
        is_sent = self.seen["credit"][rows] > 0
        if not is_sent.any():
            return rest
        return np.where(is_sent, AT_ONCE + (1.0 - AT_ONCE) * self._chances(rows), rest)

    def _choose(self, waiting: Rows, chance: np.random.Generator) -> int:
        groups = self.seen["group"][waiting]
        bounds = sum(self._bounds())
        awake = np.bincount(groups, minlength=len(self._pulls)) > 0
        best = np.where(awake, bounds, -np.inf)
        group = chance.choice(np.flatnonzero(best == best.max()))
        return int(chance.choice(waiting[groups == group]))

    def _kin(self, row: int, size: int) -> list[tuple[str, NDArray[np.bool_]]]:
        groups = self.seen["group"][:size]
        return [(BY_PLACE, groups == groups[row])]

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        if self.seen["credit"][row[0]]:
            return Parts(f"{AT_ONCE} + {1.0 - AT_ONCE} * url", {"url": float(self._chances(row)[0])})
        group = self.seen["group"][row[0]]
        if not self._pulls[group]:
            return Parts(f"{REST}", {"tried": 0.0})
        means, more = (float(one[group]) for one in self._bounds())
        return Parts(f"{REST} * (1 - 1 / (1 + mean + unknown))", {"mean": means, "unknown": more})

    def _content(self) -> dict[str, NDArray[Any]]:
        places = {f"place_{name}": column for name, column in self._places.content().items()}
        groups: dict[str, NDArray[Any]] = {
            "centres": self._centres,
            "pulls": self._pulls,
            "worths": self._worths,
        }
        return {**super()._content(), **places, **groups, "url_weights": self._weights, "kinds": self._kinds}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._places.load(part_of(arrays, "place_"))
        self._centres = np.array(arrays["centres"], np.float32).reshape(-1, SIZE)
        self._pulls, self._worths = (
            np.array(arrays["pulls"], np.int32),
            np.array(arrays["worths"], np.float64),
        )
        self._weights = np.array(arrays["url_weights"], np.float32).reshape(2**BITS + 1)
        self._kinds = np.array(arrays["kinds"], np.int64).reshape(2)
