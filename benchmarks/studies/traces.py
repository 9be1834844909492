"""What a simulated crawl's frontier went through, and what its monitor is given: for `estimate.py`.

No ground truth is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.crawls import ClassifierCrawler, Start
from focused_crawler.crawl.steering.monitor import Seen
from focused_crawler.experiment import simulator
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.experiment.simulator import Simulation
from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.page.url import host_of, normalise
from focused_crawler.store.item import PageItem, judged
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Stage:
    """URLs when so many pages were fetched: first those pending, then those that were given out, in order."""

    pages: int
    pending: int  # so many come first
    priority: NDArray[np.float32]
    page: Ints  # that was fetched from the URL, or would be; -1: none
    links: Ints  # pages fetched that link it
    host: Ints  # a number for each


class _Recorder(MemoryFrontier):
    """A frontier that notes what it is asked for, and what is known when so many pages were fetched."""

    def __init__(self, rules: Rules, web: AnalysedWeb, stages_at: Collection[int]) -> None:
        super().__init__(rules)
        self.pending: dict[str, float] = {}
        self.gone: dict[str, float] = {}  # given out -> priority
        self.closed: set[str] = set()  # fetched under another name
        self.links: dict[str, int] = {}
        self.ends: dict[str, str] = {}  # given out -> URL of its page
        self.pages = 0
        self.stages: list[Stage] = []
        self._web, self._stages_at = web, stages_at

    def add(self, links: Iterable[Candidate]) -> int:
        links = list(links)
        for link in links:
            self.links[link.url] = self.links.get(link.url, 0) + 1
            if link.url not in self.gone and link.url not in self.closed:
                self.pending[link.url] = max(link.priority, self.pending.get(link.url, 0.0))
        return super().add(links)

    def take(self, n: int, now: float) -> Sequence[Lease]:
        leases = super().take(n, now)
        for lease in leases:
            self.pending.pop(lease.url, None)
            self.gone[lease.url] = lease.priority
        return leases

    def done(self, url: str, final: str | None = None) -> None:
        super().done(url, final)
        self.ends[url] = final or url
        end = normalise(final or url) or url
        self.pending.pop(end, None)
        self.closed.add(end)
        self.pages += 1
        if self.pages in self._stages_at:
            self.stages.append(self._stage())

    def _stage(self) -> Stage:
        urls = [*self.pending, *self.gone]
        pages = [*map(self._page, self.pending), *(self._page(self.ends.get(url)) for url in self.gone)]
        return Stage(
            self.pages,
            len(self.pending),
            np.array([*self.pending.values(), *self.gone.values()], np.float32),
            np.array(pages, np.int32),
            np.array([self.links.get(url, 0) for url in urls], np.int32),
            np.unique([host_of(url) for url in urls], return_inverse=True)[1].astype(np.int32),
        )

    def _page(self, url: str | None) -> int:
        number = None if url is None else self._web.number(url)
        return -1 if number is None else number


class _Records(SimulatedRecords):
    """Records that note what a monitor is given, in the crawl's own way: by R(d) where there is one."""

    def __init__(self, **given: bool) -> None:
        super().__init__(**given)
        self.seen: list[Seen] = []

    def page(self, item: PageItem) -> bool:
        self.seen.append(Seen(*judged(item), host_of(item.url)))
        return super().page(item)


@dataclass(frozen=True, slots=True)
class Trace:
    """A crawl, what its monitor is given of each page, and its stages."""

    run: Simulation
    seen: list[Seen]
    stages: list[Stage]


def trace(crawler: ClassifierCrawler, seed_set: str, strategy: str, stages_at: Collection[int]) -> Trace:
    """Make a crawl, and return what it went through."""
    frontiers: list[_Recorder] = []
    records: list[_Records] = []

    def frontier(rules: Rules) -> MemoryFrontier:
        frontiers.append(_Recorder(rules, crawler.web, stages_at))
        return frontiers[-1]

    def recording(**given: bool) -> SimulatedRecords:
        records.append(_Records(**given))
        return records[-1]

    with ExitStack() as stack:
        for name, made in {"MemoryFrontier": frontier, "SimulatedRecords": recording}.items():
            stack.enter_context(patch.object(simulator, name, made))
        run = crawler.simulated(crawler.analyst(strategy), Start(seed_set))
    return Trace(run, records[0].seen, frontiers[0].stages)
