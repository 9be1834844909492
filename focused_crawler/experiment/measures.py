"""What a run is worth in numbers, and all runs side by side: strategies by settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.experiment.hosts import NO_HOSTS, HostsFound
from focused_crawler.safety.errors import CrawlError
from focused_crawler.virtualweb.bounds import Bounds, Counts, area_share

PAGES_SPENT, FINISHED = "pages_budget", "finished"
"""Why a run ended: its budget was spent, or nothing was left to fetch before."""


class Setting(NamedTuple):
    """Where a strategy is put to the test; what it can reach depends on nothing else."""

    web: str  # name of the WARC file without .warc.gz
    topic: str
    seed_set: str


class Case(NamedTuple):
    """One run to make."""

    web: str
    topic: str
    seed_set: str
    strategy: str

    @property
    def setting(self) -> Setting:
        """Return the case without its strategy."""
        return Setting(self.web, self.topic, self.seed_set)

    @property
    def name(self) -> str:
        """Return what files of the run are called by."""
        return ".".join(self)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was made."""

    case: Case
    hits: NDArray[np.bool_]  # one a page in the order fetched: whether it is relevant
    budget: int  # pages it might have fetched; it has fewer when it ran dry, or read sitemaps
    cpu_seconds: float  # of the whole run, pages analysed before
    reason: str = PAGES_SPENT  # why it ended
    hosts: HostsFound = NO_HOSTS

    def relevant(self, budget: int) -> Counts:
        """Return R(n), the relevant pages among the first n, for n = 0..budget; flat after the last page."""
        hits = np.zeros(budget + 1, dtype=np.int64)
        fetched = min(budget, len(self.hits))
        hits[1 : fetched + 1] = self.hits[:fetched]
        return np.cumsum(hits)


Floats = NDArray[np.float64]
Measure = Callable[[Run, Bounds], float]
Best = Literal["upper", "greedy", "one_step"]


class WebTopic(NamedTuple):
    """The unit of comparison: topics of different webs are different topics."""

    web: str
    topic: str


def horizon(run: Run, bounds: Bounds, targets: float) -> int:
    """Return the pages that are `targets` times |T|, rounded down; at least 1, at most the budget."""
    return min(max(1, int(targets * bounds.targets)), run.budget, len(bounds.upper) - 1)


def area(targets: float = 1.0, best: Best = "upper") -> Measure:
    """Return the measure: area under R(n) as a share of that under a bound, up to `horizon` pages."""

    def measure(run: Run, bounds: Bounds) -> float:
        pages = horizon(run, bounds, targets)
        return area_share(run.relevant(pages), getattr(bounds, best), pages)

    return measure


def oracle(best: Best) -> Measure:
    """Return the measure of an oracle in a run's setting: its area at |T| as a share of the upper bound's."""

    def measure(run: Run, bounds: Bounds) -> float:
        return area_share(getattr(bounds, best), bounds.upper, horizon(run, bounds, 1.0))

    return measure


def harvest_rate(run: Run, _bounds: Bounds) -> float:
    """Relevant pages among those fetched; a run that ran dry is not charged for pages it did not fetch."""
    return float(run.hits.mean()) if len(run.hits) else 0.0


def target_recall(run: Run, bounds: Bounds) -> float:
    """Share of the targets that was fetched within the budget."""
    return int(run.hits.sum()) / bounds.targets


def hosts_found(least: int = 1, targets: float = 1.0) -> Measure:
    """Return the measure: share of the hosts with at least so many relevant pages that were found.

    A host is found when one of its relevant pages is fetched, up to `horizon` pages. Not a number where no
    host has as many.
    """

    def measure(run: Run, bounds: Bounds) -> float:
        return run.hosts.share(least, horizon(run, bounds, targets))

    return measure


def pages_fetched(run: Run, _bounds: Bounds) -> float:
    """How many pages were fetched."""
    return float(len(run.hits))


def milliseconds_per_page(run: Run, _bounds: Bounds) -> float:
    """CPU time a page took."""
    return 1000 * run.cpu_seconds / max(1, len(run.hits))


def is_dry(run: Run) -> bool:
    """Whether nothing was left to fetch before the budget was spent."""
    return run.reason == FINISHED


@dataclass(frozen=True, slots=True)
class Values:
    """One number a run; both names in the order of the array's rows and columns."""

    strategies: tuple[str, ...]
    settings: tuple[Setting, ...]
    array: Floats  # strategies x settings

    def of(self, strategy: str) -> Floats:
        """Return a strategy's values, one a setting."""
        row: Floats = self.array[self.strategies.index(strategy)]
        return row

    def by_topic(self) -> dict[str, Floats]:
        """Return by strategy the means over the seed sets of each topic."""
        columns = [self.array[:, members].mean(axis=1) for members in members_of(self.settings)]
        return dict(zip(self.strategies, np.stack(columns, axis=1), strict=True))

    def means(self) -> dict[str, float]:
        """Return by strategy the mean over topics."""
        return {strategy: _mean(values) for strategy, values in self.by_topic().items()}

    def of_web(self, web: str) -> dict[str, float]:
        """Return by strategy the mean over the topics of a web."""
        topics = topics_of(self.settings)
        mine = [number for number, topic in enumerate(topics) if topic.web == web]
        return {strategy: _mean(values[mine]) for strategy, values in self.by_topic().items()}

    def ranking(self) -> list[str]:
        """Return the strategies, highest mean first; equal ones by name."""
        means = self.means()
        return sorted(means, key=lambda strategy: (-means[strategy], strategy))


def _mean(values: Floats) -> float:
    """Return the mean of the values that are known."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def topics_of(settings: Sequence[Setting]) -> tuple[WebTopic, ...]:
    return tuple(sorted({WebTopic(setting.web, setting.topic) for setting in settings}))


def members_of(settings: Sequence[Setting]) -> list[list[int]]:
    """Return where the settings of each topic stand, topics sorted."""
    members: dict[WebTopic, list[int]] = {topic: [] for topic in topics_of(settings)}
    for position, setting in enumerate(settings):
        members[WebTopic(setting.web, setting.topic)].append(position)
    return list(members.values())


@dataclass(frozen=True, slots=True)
class RunTable:
    """A run of every strategy in every setting: what means and comparisons may rest on."""

    strategies: tuple[str, ...]
    settings: tuple[Setting, ...]
    runs: Mapping[Case, Run]
    bounds: Mapping[Setting, Bounds]
    left_out: Mapping[Setting, str]  # setting -> why no figure counts its runs

    @classmethod
    def of(cls, runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Self:
        """Keep the settings in which every strategy was run and something can be found.

        A mean over other settings than another's would compare settings, not strategies. Raises CrawlError
        when nothing is left.
        """
        made = {run.case: run for run in runs}
        strategies = tuple(sorted({case.strategy for case in made}))
        everywhere = sorted({case.setting for case in made})
        faults = {setting: _fault(setting, strategies, made, bounds) for setting in everywhere}
        left_out = {setting: fault for setting, fault in faults.items() if fault}
        settings = tuple(setting for setting in everywhere if setting not in left_out)
        if not settings:
            first = "; ".join(f"{'.'.join(setting)}: {why}" for setting, why in list(left_out.items())[:1])
            raise CrawlError(
                f"no setting can be counted ({first or 'there are no runs'}); the same scrapy experiment "
                "command again makes runs that are missing, more --pages let more be found"
            )
        return cls(strategies, settings, made, bounds, left_out)

    def run(self, strategy: str, setting: Setting) -> Run:
        """Return a run of the table."""
        return self.runs[Case(*setting, strategy)]

    def runs_of(self, strategy: str) -> list[Run]:
        """Return a strategy's runs, in the order of the settings."""
        return [self.run(strategy, setting) for setting in self.settings]

    def name_of(self, topic: WebTopic) -> str:
        """Return what a topic is called: with its web where there are several."""
        is_alone = len({setting.web for setting in self.settings}) == 1
        return topic.topic if is_alone else f"{topic.web}: {topic.topic}"

    def values(self, measure: Measure) -> Values:
        """Measure every run."""
        rows = [
            [measure(run, self.bounds[run.case.setting]) for run in self.runs_of(strategy)]
            for strategy in self.strategies
        ]
        return Values(self.strategies, self.settings, np.array(rows, dtype=np.float64))


def _fault(
    setting: Setting, strategies: Sequence[str], made: Mapping[Case, Run], bounds: Mapping[Setting, Bounds]
) -> str:
    """Say why a setting cannot be counted; empty when it can."""
    if setting not in bounds:
        return "its bounds are not known"
    if not bounds[setting].upper[-1]:
        return "no crawl can reach a relevant page within the budget"
    missing = [strategy for strategy in strategies if Case(*setting, strategy) not in made]
    return f"{', '.join(missing)} not run" if missing else ""
