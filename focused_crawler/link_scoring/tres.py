"""Reinforcement learning over the regions of a tree (TRES; Kontogiannis et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.link_scoring.base import Parts
from focused_crawler.link_scoring.choosing import CHOICES, ChoosingStrategy
from focused_crawler.link_scoring.columns import Rows
from focused_crawler.link_scoring.evidence import LinkEvidence
from focused_crawler.link_scoring.network import Network
from focused_crawler.link_scoring.online import REST, PageRead
from focused_crawler.link_scoring.regions import LEAST, Regions, best_cut
from focused_crawler.link_scoring.rescoring import FETCHED, part_of
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.link_scoring.weights import WHOLE
from focused_crawler.page.model import Link, Page
from focused_crawler.safety.settings import whole

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

GAMMA = 0.99
HIDDEN = (30, 15)
BATCH, BATCHES = 60, 4
"""Pages that are learnt from again at once, as soon as there are as many, and how often after each page."""

REMEMBERED, CANDIDATES = 4_096, 16
"""Pages that are remembered, and links of one that might come next."""

REFRESH = 10
"""Pages after which all links that wait get the features of their hosts anew."""

SWITCH = 100
"""After so many pages, what comes next is valued by what was learnt until then."""

FEATURES = ("page", "share", "distance", "url", "anchor", "host", "host_unknown", "link")
"""Whether the page that holds the link is relevant, the share of such pages on the way to it, 1 / (1 + links
since the last of them); how like the topic URL and anchor are; the share of such pages of its host, and
whether none is known; what the link model says."""

_HOST = FEATURES.index("host")

BY_REGION = "links of the same region of the tree"


@dataclass(frozen=True, slots=True)
class TresOptions(StrategyOptions):
    host_pages: int = whole("FOCUSED_TRES_HOST_PAGES", 100)
    """Pages of a host after which its links come last; 0: any number."""


class Tres(ChoosingStrategy):
    """Of a link from each region, drawn by chance, that comes next which the network values most.

    Regions are parted where the rewards of fetched pages differ most; a relevant page is a reward of 1.
    """

    options_class = TresOptions
    _options: TresOptions
    fields = (("own", "<f4", (3,)),)

    def __init__(self, model: TopicModel, options: TresOptions) -> None:
        super().__init__(
            model,
            options,
            features=np.empty((0, len(FEATURES)), np.float32),
            region=np.empty(0, np.int16),
            steps=np.empty(0, np.int32),  # pages on the way to a page and with it, once it is fetched
            found=np.empty(0, np.int32),  # of these, relevant ones
            since=np.empty(0, np.int32),  # links since the last of them
        )
        self._evidence = LinkEvidence(model)
        self._regions = Regions()
        sizes = (len(FEATURES), *HIDDEN, 1)
        self._network, self._valued = (Network(sizes, options.random_seed) for _ in range(2))
        self._links, self._next = np.empty(0, np.int32), np.empty((0, CANDIDATES), np.int32)
        self._candidates = np.full(CANDIDATES, -1, np.int32)  # when a link was chosen last

    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        found = self._evidence.of_links(links)
        for own, link, (of_url, _, odds, _) in zip(rows["own"], links, found, strict=True):
            own[:] = of_url.words / WHOLE.url, self._evidence.of_anchor(link.anchor)[0], sigmoid(odds)

    # Features

    def _held(self, new: Rows, rows: Rows, page: PageRead) -> None:
        seen = self.seen
        holder = int(seen["holder"][new[0]]) - 1
        steps, found, since = (int(seen[name][holder]) for name in ("steps", "found", "since"))
        if not steps:  # it was not learnt
            steps, found, since = 1, int(page.is_relevant), int(not page.is_relevant)
        url, anchor, link = seen["own"][new].T
        way = (page.is_relevant, found / steps, 1 / (1 + since))
        none = np.zeros(len(new))
        columns = [*(np.full(len(new), one) for one in way), url, anchor, none, none, link]
        seen["features"][new] = np.stack(columns, axis=1).astype(np.float32)
        self._refresh(new)

    def _refresh(self, rows: Rows) -> None:
        """Note what is known of the hosts of links by now, and find their regions."""
        hosts, features = self.seen["host"][rows], self.seen["features"]
        pages, relevant = (self._hosts[name][hosts] for name in ("pages", "relevant"))
        features[rows, _HOST] = relevant / np.maximum(pages, 1)
        features[rows, _HOST + 1] = pages == 0
        self.seen["region"][rows] = self._regions.of(features[rows])

    def _note_way(self, row: int, page: PageRead) -> None:
        seen, holder = self.seen, int(self.seen["holder"][row]) - 1
        before, found, since = (
            (int(seen[name][holder]) for name in ("steps", "found", "since")) if holder >= 0 else (0, 0, 0)
        )
        seen["steps"][row] = before + 1
        seen["found"][row] = found + page.is_relevant
        seen["since"][row] = 0 if page.is_relevant else since + 1

    def _hold(self, row: int, page: PageRead) -> Rows:
        if self.seen["state"][row] == FETCHED and not self.seen["steps"][row]:
            self._note_way(row, page)
        return super()._hold(row, page)

    # Learning

    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        self._part(int(self.seen["region"][row]))
        chance = np.random.default_rng([self._options.random_seed, self._pages, 1])
        at = len(self._links)
        if at < REMEMBERED:
            self._links = np.append(self._links, np.int32(0))
            self._next = np.append(self._next, np.full((1, CANDIDATES), -1, np.int32), axis=0)
        else:
            at = int(chance.integers(at))
        self._links[at], self._next[at] = row, self._candidates
        if len(self._links) < BATCH:
            return
        for sample in chance.integers(len(self._links), size=(BATCHES, BATCH)):
            self._replay(sample)
        if self._pages % SWITCH == 0:
            self._valued.load(self._network.content())
        self._version += 1

    def _part(self, region: int) -> None:
        """Part a region in two, if that makes its rewards more alike."""
        seen, size = self.seen, len(self.seen)
        members = np.flatnonzero((seen["region"][:size] == region) & (seen["holder"][:size] > 0))
        fetched = members[seen["state"][members] == FETCHED]
        if len(fetched) < LEAST or not self._regions.can_part(region):
            return
        cut = best_cut(seen["features"][fetched], seen["is_relevant"][fetched].astype(np.int64))
        if cut is not None:
            self._regions.part(region, cut)
            seen["region"][members] = self._regions.of(seen["features"][members])

    def _replay(self, sample: NDArray[np.int64]) -> None:
        """Learn from remembered pages: of what might come next the network chooses, the other one values."""
        features = self.seen["features"]
        following = self._next[sample]
        points = features[following.ravel()]
        worths = self._network.quick_worths(points).reshape(following.shape)
        best = np.where(following >= 0, worths, -np.inf).argmax(axis=1)
        best_rows = following[np.arange(len(sample)), best]
        after = np.where(best_rows >= 0, self._valued.quick_worths(features[best_rows]), 0.0)
        rows = self._links[sample]
        self._network.fit(features[rows], self.seen["is_relevant"][rows] + GAMMA * after)

    # Choosing

    def _priorities(self, rows: Rows) -> NDArray[np.float64]:
        worths = self._network.worths(self.seen["features"][rows])
        priorities = REST / (1.0 + np.exp(-np.clip(worths, -30.0, 30.0)))
        return np.where(self._is_full(rows), 0.0, priorities)

    def _is_full(self, rows: Rows) -> NDArray[np.bool_]:
        pages = self._hosts["pages"][self.seen["host"][rows]]
        most = self._options.host_pages
        return pages >= most if most else np.zeros(len(rows), np.bool_)

    def _choices(self, waiting: Rows, chance: np.random.Generator) -> list[int]:
        if self._pages % REFRESH == 0:
            self._refresh(waiting)
        allowed = waiting[~self._is_full(waiting)]
        mixed = chance.permutation(allowed if len(allowed) else waiting)
        rows: list[int] = []
        while len(mixed) and len(rows) < CHOICES:
            drawn = mixed[np.unique(self.seen["region"][mixed], return_index=True)[1]]
            drawn = drawn[np.argsort(-self._network.worths(self.seen["features"][drawn]), kind="stable")]
            if not rows:
                self._candidates = np.full(CANDIDATES, -1, np.int32)
                self._candidates[: len(drawn)] = drawn[:CANDIDATES]
            rows += drawn.tolist()
            mixed = mixed[~np.isin(mixed, drawn)]
        return rows[:CHOICES]

    def _choose(self, waiting: Rows, chance: np.random.Generator) -> int:
        return self._choices(waiting, chance)[0]

    def _kin(self, row: int, size: int) -> list[tuple[str, NDArray[np.bool_]]]:
        regions = self.seen["region"][:size]
        return [(BY_REGION, regions == regions[row])]

    def parts_of(self, key: int) -> Parts:
        row = self.seen.find(np.array([key], np.int64))
        points = self.seen["features"][row]
        worth = float(np.clip(self._network.worths(points), -30.0, 30.0)[0])
        values = dict(zip(FEATURES, points[0].tolist(), strict=True)) | {"worth": worth}
        return Parts("0.0" if self._is_full(row)[0] else f"{REST} * sigmoid(worth)", values)

    def _content(self) -> dict[str, NDArray[Any]]:
        networks = (("network", self._network), ("valued", self._valued))
        arrays = {f"region_{key}": array for key, array in self._regions.content().items()}
        for name, network in networks:
            arrays |= {f"{name}_{key}": array for key, array in network.content().items()}
        memory = {"links": self._links, "next": self._next, "candidates": self._candidates}
        return {**super()._content(), **arrays, **memory}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._regions.load(part_of(arrays, "region_"))
        self._network.load(part_of(arrays, "network_"))
        self._valued.load(part_of(arrays, "valued_"))
        self._links, self._next, self._candidates = (
            np.array(arrays[name], np.int32) for name in ("links", "next", "candidates")
        )
