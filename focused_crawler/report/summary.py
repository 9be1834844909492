"""What a report says about a crawl: plain data, made by `read.read_crawl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.crawl.hubs.listing import RatedHost, RatedPage
from focused_crawler.crawl.judged import Interval, JudgeEstimate
from focused_crawler.crawl.steering.estimate import Estimate
from focused_crawler.report.ledger import Ledger
from focused_crawler.report.tunnels import Tunnel
from focused_crawler.store.history import ScoreBand

MAX_POINTS = 500
MOST_LISTED = 5000
"""Pages that a report lists, the most relevant ones: some 400 bytes each."""
_Z = 1.959964
"""Of 95 %."""


class Curve(NamedTuple):
    """A value after so many pages; `pages` rises strictly and ends with the last page."""

    pages: tuple[int, ...] = ()
    values: tuple[float, ...] = ()


def harvest_curve(relevant: Sequence[bool], max_points: int = MAX_POINTS) -> Curve:
    """Return the harvest rate after each page, thinned to `max_points`; pages in the order of fetching."""
    chosen = _thin(len(relevant), max_points)
    return _curve(chosen, _running_total(relevant)[chosen - 1] / chosen)


def recall_curve(hits: Sequence[bool], targets: int) -> Curve:
    """Return target recall after each page; a hit is a page that is a target met for the first time."""
    chosen = _thin(len(hits), MAX_POINTS)
    return _curve(chosen, _running_total(hits)[chosen - 1] / targets)


def moving_average(values: Sequence[float], window: int, max_points: int = MAX_POINTS) -> Curve:
    """Return the mean of the last `window` values (of all, while there are fewer) after each page."""
    chosen = _thin(len(values), max_points)
    sums = np.concatenate(([0.0], np.cumsum(np.asarray(values, dtype=float))))
    start = np.maximum(chosen - window, 0)
    return _curve(chosen, (sums[chosen] - sums[start]) / np.maximum(chosen - start, 1))


def _running_total(outcomes: Sequence[bool]) -> NDArray[np.int64]:
    return np.cumsum(np.asarray(outcomes, dtype=np.int64))


def _thin(length: int, max_points: int) -> NDArray[np.int64]:
    """Choose at most `max_points` of 1..length, evenly, the first and the last among them."""
    return np.unique(np.linspace(1, length, min(length, max_points)).round().astype(np.int64))


def _curve(pages: NDArray[np.int64], values: NDArray[np.float64]) -> Curve:
    return Curve(tuple(pages.tolist()), tuple(values.tolist()))


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host and what was fetched from it."""

    host: str
    pages: int
    relevant: int

    @property
    def share(self) -> float:
        """Relevant pages among those fetched, in [0, 1]."""
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def interval(self) -> Interval:
        """Wilson's interval of that share: of the pages that the host may have beside these."""
        value, pages = min(self.share, 1.0), max(self.pages, 1)
        noise = _Z * _Z / pages
        half = _Z * ((value * (1 - value) + noise / 4) / pages) ** 0.5
        middle = value + noise / 2
        low, high = max(0.0, middle - half), min(1.0 + noise, middle + half)
        return Interval(value, low / (1 + noise), high / (1 + noise))


@dataclass(frozen=True, slots=True)
class BestPage:
    """A fetched page. Title and URL come from the web: hostile until escaped."""

    url: str
    title: str
    relevance: float  # [0, 1]
    position: int = 0  # in the order of fetching, from 1 on
    depth: int = 0  # links from a start page
    is_relevant: bool = True


@dataclass(frozen=True, slots=True)
class TrapRow:
    """URLs of a host that a rule against traps left out. URL and host are hostile until escaped."""

    rule: str
    host: str
    urls: int
    example: str


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm of the monitor. Its text names hosts: hostile until escaped."""

    kind: str  # stagnation or diffusion
    raised_at: float  # seconds since the epoch
    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a crawl found out about itself."""

    estimate: Estimate | None = None  # of relevant pages left to fetch; None: unknown
    knows_frontier: bool = False  # so that it could be known
    alarms: tuple[AlarmRow, ...] = ()  # that stand, in order
    hubs: tuple[RatedPage, ...] = ()  # best first, as the next two
    authorities: tuple[RatedPage, ...] = ()
    sites: tuple[RatedHost, ...] = ()
    rated_pages: int = 0  # that had been fetched when pages were rated
    traps: tuple[TrapRow, ...] = ()  # most URLs first
    revisits: Mapping[str, int] = field(default_factory=dict)  # outcome -> how many, the most first
    tunnels: tuple[Tunnel, ...] = ()  # the shortest first
    ledger: Ledger = field(default_factory=Ledger)
    steered: Mapping[str, int] = field(
        default_factory=dict
    )  # copies, traps and the like, in words -> how many


class ComparedBy(NamedTuple):
    """What a crawl is compared by, where that needs words."""

    judged_by: str
    rate: Interval | None = None  # harvest rate of as many pages as all have, where people judge
    curve: Curve = Curve()


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """One crawl, over all its runs. Rates and relevance are in [0, 1]; times are seconds since the epoch."""

    folder: str  # as it was given
    topic: str
    title: str
    strategy: str  # as `RunInfo.ordered_by`
    job: str
    started: float
    ended: float
    seconds: float  # spent crawling: pauses between runs do not count
    pages: int
    relevant: int
    harvest_rate: float
    harvest_rate_100: float
    harvest_rate_1000: float
    target_recall: float | None  # None: no targets are known
    judged_by: str  # a name of `store.judges`, or several with "and"
    stopped: str  # why, as a sentence
    host_count: int
    relevance_by: str = ""  # another name: of the judge of relevances; empty: the same
    watched_by: str = ""  # another name: of the judge of alarms, hubs and what is left; empty: the same
    targets: int = 0  # relevant pages of its web, by the ground truth; 0: unknown
    interval: Interval | None = None  # of the harvest rate, by chance; None: of no page
    interval_100: Interval | None = None  # of that of the last pages
    interval_1000: Interval | None = None
    compared: ComparedBy | None = None
    estimate: JudgeEstimate | None = None  # of what is truly relevant; None: known, or unknown
    bands: tuple[ScoreBand, ...] | None = None  # what is left, lowest band first; None: unknown
    errors: Mapping[str, int] = field(default_factory=dict)  # class -> URLs
    hosts: tuple[HostRow, ...] = ()  # most pages first, at most `read.MOST_HOSTS`
    best_pages: tuple[BestPage, ...] = ()  # most relevant first, no copies; at most `MOST_LISTED`
    relevances: tuple[float, ...] = ()  # of every page, in the order of fetching
    harvest_curve: Curve = field(default_factory=Curve)
    recall_curve: Curve | None = None
    findings: Findings = field(default_factory=Findings)
    settings: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def lists_all(self) -> bool:
        """Tell whether all pages that are no copies are listed."""
        return len(self.best_pages) < MOST_LISTED

    @property
    def pending(self) -> int:
        """URLs left in the frontier, as far as is known."""
        return sum(band.urls for band in self.bands or ())

    @property
    def promising(self) -> int:
        """URLs left with a priority of 0.5 or more."""
        return sum(band.urls for band in self.bands or () if band.low >= 0.5)

    @property
    def targets_left(self) -> int:
        """Relevant pages that were not found, where the ground truth is known."""
        return round(self.targets * (1 - (self.target_recall or 0.0)))

    @property
    def pages_per_second(self) -> float:
        """Mean speed over the time spent crawling."""
        return self.pages / self.seconds if self.seconds > 0 else 0.0
