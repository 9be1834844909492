"""What a simulated crawl and its frontier went through: for `estimate.py`, which asks what could be known of them.

A trace holds no ground truth. `Trace.of` makes one, or reads the one made before.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.experiment import simulator
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import write_whole
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import FINISHED, simulate
from focused_crawler.experiment.training import relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory import MemoryFrontier
from focused_crawler.page.url import host_of, normalise

BANDS = 10
EVERY = 25
"""Leases between two looks at the frontier."""


@dataclass(frozen=True, slots=True)
class Stage:
    """All URLs known when so many pages were fetched."""

    pages: int
    leases: int
    priority: NDArray[np.float32]  # of those pending; at their lease of those that are not
    page: NDArray[np.int32]  # that the URL leads to; -1: none
    is_pending: NDArray[np.bool_]
    links: NDArray[np.int32]  # pages fetched that link it
    sites: NDArray[np.int32]  # hosts of those


@dataclass(frozen=True, slots=True)
class Trace:
    """One crawl. Arrays of leases are in the order given out; `page` -1: the lease gave none."""

    visits: NDArray[np.int32]
    priority: NDArray[np.float32]
    page: NDArray[np.int32]
    bands: NDArray[np.int32]  # pending URLs by band of priority, a row every `EVERY` leases
    hosts: NDArray[np.int32]  # the same rows: hosts with pending URLs, hosts that were asked
    is_dry: bool
    stages: tuple[Stage, ...]


class _Recorder(MemoryFrontier):
    """A frontier that remembers all it is told. Made by `simulate`; found again in `last`."""

    last: Self
    stages_at: Sequence[int] = ()

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.pending: dict[str, float] = {}
        self.gone: dict[str, float] = {}  # leased or fetched under another name -> priority then
        self.links: dict[str, int] = {}
        self.sites: dict[str, set[str]] = {}
        self.leases: list[tuple[float, str]] = []
        self.ends: dict[str, str] = {}  # lease -> URL of its page
        self.counts = np.zeros(BANDS, np.int32)
        self.per_host: dict[str, int] = {}
        self.asked: set[str] = set()
        self.rows: list[NDArray[np.int32]] = []
        self.host_rows: list[tuple[int, int]] = []
        self.shots: list[tuple[int, int, dict[str, float], dict[str, float], dict[str, int], dict[str, int]]] = []
        self.fetched = 0
        type(self).last = self

    def add(self, links: Iterable[Candidate]) -> int:
        links = list(links)
        for link in links:
            self.links[link.url] = self.links.get(link.url, 0) + 1
            if link.parent:
                self.sites.setdefault(link.url, set()).add(host_of(link.parent))
            if link.url not in self.gone:
                self._wait(link.url, max(link.priority, self.pending.get(link.url, 0.0)))
        return super().add(links)

    def take(self, n: int, now: float) -> Sequence[Lease]:
        if len(self.leases) % EVERY == 0:
            self.rows.append(self.counts.copy())
            self.host_rows.append((len(self.per_host), len(self.asked)))
        leases = super().take(n, now)
        for lease in leases:
            self._leave(lease.url)
            self.gone[lease.url] = lease.priority
            self.asked.add(host_of(lease.url))
            self.leases.append((lease.priority, lease.url))
        return leases

    def done(self, url: str, final: str | None = None) -> None:
        super().done(url, final)
        self.ends[url] = final or url
        end = normalise(final or url) or url
        self._leave(end)
        self.gone.setdefault(end, self.gone[url])
        self.fetched += 1
        if self.fetched in self.stages_at:
            self._shoot()

    def _shoot(self) -> None:
        sites = {url: len(found) for url, found in self.sites.items()}
        shot = (self.fetched, len(self.leases), dict(self.pending), dict(self.gone), dict(self.links), sites)
        self.shots.append(shot)

    def _wait(self, url: str, priority: float) -> None:
        if (old := self.pending.get(url)) is not None:
            self.counts[_band(old)] -= 1
        else:
            host = host_of(url)
            self.per_host[host] = self.per_host.get(host, 0) + 1
        self.pending[url] = priority
        self.counts[_band(priority)] += 1

    def _leave(self, url: str) -> None:
        priority = self.pending.pop(url, None)
        if priority is None:
            return
        self.counts[_band(priority)] -= 1
        host = host_of(url)
        self.per_host[host] -= 1
        if not self.per_host[host]:
            del self.per_host[host]


def _band(priority: float) -> int:
    return min(int(priority * BANDS), BANDS - 1)


def trace(
    bench: Bench, subject: Subject, seed_set: str, strategy: str, pages: int, stages: Sequence[int]
) -> Trace:
    """Return the trace of a crawl of up to so many pages; it is made once, and kept in the bench's folder."""
    path = bench.folder / "traces" / f"{subject.topic.name}.{seed_set}.{strategy}.npz"
    if not path.is_file():
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **_make(bench, subject, seed_set, strategy, pages, stages))
        write_whole(path, buffer.getvalue())
    return _read(path)


def _make(
    bench: Bench, subject: Subject, seed_set: str, strategy: str, pages: int, stages: Sequence[int]
) -> dict[str, object]:
    web = bench.web(subject)
    analyst = analyst_of(bench, subject, strategy)
    known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
    rules = replace(bench.config.rules(), delay=0.0, per_host=None)
    _Recorder.stages_at = tuple(stages)
    simulator.MemoryFrontier = _Recorder  # type: ignore[misc]
    run = simulate(analyst, web, subject.seed_sets[seed_set], pages, rules, relevance=known)
    told = _Recorder.last
    if run.reason == FINISHED:
        told._shoot()
    found: dict[str, object] = {
        "visits": np.array(run.visits, np.int32),
        "priority": np.array([priority for priority, _ in told.leases], np.float32),
        "page": np.array([_number(web, told.ends.get(url)) for _, url in told.leases], np.int32),
        "bands": np.array(told.rows, np.int32),
        "hosts": np.array(told.host_rows, np.int32),
        "is_dry": np.array(run.reason == FINISHED),
        "at": np.array([shot[:2] for shot in told.shots], np.int32),
    }
    numbers: dict[str, int] = {}
    for place, (_, _, pending, gone, links, sites) in enumerate(told.shots):
        urls = [*pending, *gone]
        for url in urls:
            if url not in numbers:
                number = _final(web, url)
                numbers[url] = -1 if number is None else number
        found[f"priority{place}"] = np.array([*pending.values(), *gone.values()], np.float32)
        found[f"page{place}"] = np.array([numbers[url] for url in urls], np.int32)
        found[f"pending{place}"] = np.arange(len(urls)) < len(pending)
        found[f"links{place}"] = np.array([links.get(url, 0) for url in urls], np.int32)
        found[f"sites{place}"] = np.array([sites.get(url, 0) for url in urls], np.int32)
    return found


def _number(web: object, url: str | None) -> int:
    number = None if url is None else _final(web, url)
    return -1 if number is None else number


def _final(web, url: str) -> int | None:
    """Return the page that a URL leads to in the end, None if it leads to none."""
    for _ in range(6):
        page, location, _, _ = web.answer(url)
        if page is not None and location is None:
            return page
        if location is None:
            return None
        url = location
    return None


def _read(path: Path) -> Trace:
    with np.load(path, allow_pickle=False) as file:
        stages = tuple(
            Stage(
                int(pages),
                int(leases),
                file[f"priority{place}"],
                file[f"page{place}"],
                file[f"pending{place}"],
                file[f"links{place}"],
                file[f"sites{place}"],
            )
            for place, (pages, leases) in enumerate(file["at"].reshape(-1, 2))
        )
        names = ("visits", "priority", "page", "bands", "hosts")
        return Trace(*(file[name] for name in names), bool(file["is_dry"]), stages)
