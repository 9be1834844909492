"""What a simulated crawl and its frontier went through: for `estimate.py`, which asks what could be known.

A trace holds no ground truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.crawls import known_to, simulated
from focused_crawler.experiment import simulator
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import FINISHED
from focused_crawler.experiment.work import analyst_of
from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.page.url import host_of, normalise
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


@dataclass(frozen=True, slots=True)
class Trace:
    """One crawl."""

    visits: Ints  # page numbers
    is_dry: bool
    stages: tuple[Stage, ...]


class _Shot(NamedTuple):
    pages: int
    pending: dict[str, float]
    gone: dict[str, float]
    links: dict[str, int]


class _Recorder(MemoryFrontier):
    """A frontier that records all that it is asked for. `simulate` makes it; `last` finds it again."""

    last: Self
    stages_at: Sequence[int] = ()

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.pending: dict[str, float] = {}
        self.gone: dict[str, float] = {}  # given out -> priority
        self.closed: set[str] = set()  # fetched under another name
        self.links: dict[str, int] = {}
        self.ends: dict[str, str] = {}  # given out -> URL of its page
        self.pages = 0
        self.shots: list[_Shot] = []
        type(self).last = self

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
        if self.pages in self.stages_at:
            self.shoot()

    def shoot(self) -> None:
        """Keep what is known now."""
        self.shots.append(_Shot(self.pages, dict(self.pending), dict(self.gone), dict(self.links)))


def trace(
    bench: Bench, subject: Subject, seed_set: str, strategy: str, pages: int, stages: Sequence[int]
) -> Trace:
    """Return the trace of a crawl of up to so many pages."""
    web, analyst = bench.web(subject), analyst_of(bench, subject, strategy)
    _Recorder.stages_at = tuple(stages)
    simulator.MemoryFrontier = _Recorder  # type: ignore[assignment,attr-defined,misc]
    known, seeds = known_to(bench, subject), subject.seed_sets[seed_set]
    run = simulated(bench, subject, analyst, seeds, pages, known)
    recorder, names = _Recorder.last, _Names()
    found = tuple(_stage(shot, recorder.ends, names, web) for shot in recorder.shots)
    return Trace(np.array(run.visits, np.int32), run.reason == FINISHED, found)


def _stage(shot: _Shot, ends: Mapping[str, str], names: _Names, web: AnalysedWeb) -> Stage:
    urls = [*shot.pending, *shot.gone]
    pages = [*shot.pending, *(ends.get(url) for url in shot.gone)]
    return Stage(
        shot.pages,
        len(shot.pending),
        np.array([*shot.pending.values(), *shot.gone.values()], np.float32),
        np.array([names.page(web, url) for url in pages], np.int32),
        np.array([shot.links.get(url, 0) for url in urls], np.int32),
        np.array([names.host(url) for url in urls], np.int32),
    )


class _Names:
    """Numbers for hosts, and of pages."""

    def __init__(self) -> None:
        self._hosts: dict[str, int] = {}
        self._pages: dict[str | None, int] = {None: -1}

    def host(self, url: str) -> int:
        return self._hosts.setdefault(host_of(url), len(self._hosts))

    def page(self, web: AnalysedWeb, url: str | None) -> int:
        if url not in self._pages and url is not None:
            number = web.number(url)
            self._pages[url] = -1 if number is None else number
        return self._pages[url]
