"""Crawls of a topic side by side, by one judge: curves, and differences with how much of them may be chance.

Pages are counted in runs of consecutive ones: what follows each other is alike, so a run is the unit that
intervals are drawn from, and 100,000 pages are some hundred numbers. Pages that people labelled were drawn
one by one: what is said of them is a simple random sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.crawl.judged import Interval
from focused_crawler.crawl.judging import TextJudge
from focused_crawler.crawl.labelled import LabelledSample
from focused_crawler.report.summary import Curve
from focused_crawler.report.yardstick import yardstick
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import PageTexts
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.judges import GROUND_TRUTH
from focused_crawler.store.opening import read_crawl

DRAWS = 2_000
MOST_RUNS = 500
LEAST_RUN = 10
"""Pages of a run: fewer are too much alike with those beside them."""
SAMPLED = 300
"""Pages of a crawl that are judged anew where crawls had several judges, evenly spread."""
MOST_REMEMBERED = 32
"""Crawls of which the verdicts are kept: a process that shows them asks again and again."""
LEVEL = 0.95
_SEED = 20261127  # the same crawls have the same intervals

_RUNS = """
SELECT (position - 1) / ? AS run, count(*), sum({}) FROM pages GROUP BY 1 ORDER BY 1
"""
_FIRSTS = "SELECT position, duplicate_of IS NULL FROM pages WHERE position {among}"
_HOSTS = "SELECT count(DISTINCT host) FROM pages WHERE {} = 1"

Counts = NDArray[np.int64]


class CrawlBeside(NamedTuple):
    """A crawl beside others."""

    job: str
    strategy: str
    pages: int
    relevant: int | None  # None: only some pages were judged
    hosts: int | None  # with a relevant page
    rate: Interval  # harvest rate after as many pages as all have
    recall: float | None  # of known targets, after all its pages; None: none are known
    curve: Curve  # harvest rate


class RateDifference(NamedTuple):
    """The harvest rate of the first crawl less that of another, after as many pages as all have."""

    job: str
    strategy: str
    difference: Interval

    @property
    def is_certain(self) -> bool:
        """Tell whether it is more than chance."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True, slots=True)
class CrawlComparison:
    """Crawls by one judge."""

    judge: str
    judged_by: str  # its name, and why it is this one where that needs words
    sampled: bool  # it judged some pages of each crawl anew
    pages: int  # that all crawls have: what is compared
    crawls: tuple[CrawlBeside, ...]
    differences: tuple[RateDifference, ...]  # of all but the first


def rate_interval(relevant: Sequence[bool]) -> Interval | None:
    """Return the harvest rate of a crawl's pages, given in their order, with how far chance moves it.

    None of no page.
    """
    if not relevant:
        return None
    hits = np.asarray(relevant, dtype=np.int64)
    starts = np.arange(0, len(hits), max(LEAST_RUN, -(-len(hits) // MOST_RUNS)))
    found = np.add.reduceat(hits, starts)
    ends = np.append(starts[1:], len(hits))
    counted = _Counted(ends, np.diff(ends, prepend=0), found, len(hits), None)
    return _interval(counted.drawn(len(hits), np.random.default_rng(_SEED)), counted.rate(len(hits)))


def compare_crawls(folders: Sequence[Path], judge_of: Callable[[RunInfo], TextJudge]) -> CrawlComparison:
    """Compare crawls of one topic, the first with each other.

    By their `yardstick`; a judge that has not judged all of them judges `SAMPLED` stored texts of each.
    CrawlError where a crawl has no page, or no texts.
    """
    runs = [run_of(folder) for folder in folders]
    for folder in folders:
        with read_crawl(folder) as database:
            if not database.rows("SELECT 1 FROM pages LIMIT 1"):
                raise CrawlError(f"{folder} has no page yet; compare it when it has some")
    by = yardstick(folders, judge_of)
    samples = by.labelled or [None] * len(folders)
    made = [_of(*one, by.name, by.texts) for one in zip(folders, samples, strict=True)]
    pages = min(one.total for one in made)
    numbers = np.random.default_rng(_SEED)
    draws = [one.drawn(pages, numbers) for one in made]
    rates = [one.rate(pages) for one in made]
    crawls = tuple(
        one.beside(run, by.name, _interval(rate_draws, pages_rate))
        for one, run, pages_rate, rate_draws in zip(made, runs, rates, draws, strict=True)
    )
    differences = tuple(
        RateDifference(run.job, run.ordered_by, _interval(draws[0] - drawn, rates[0] - rate))
        for run, rate, drawn in zip(runs[1:], rates[1:], draws[1:], strict=True)
    )
    return CrawlComparison(by.name, by.judged_by, by.texts is not None, pages, crawls, differences)


@dataclass(frozen=True, slots=True)
class _Counted:
    """The pages of a crawl in runs."""

    ends: Counts  # position of the last page of each run
    judged: Counts  # pages of each run
    relevant: Counts
    total: int  # pages of the crawl
    hosts: int | None
    is_random: bool = False  # the pages that are judged were drawn one by one from all that are compared

    def upto(self, pages: int) -> slice:
        """Return the runs that lie within so many pages; at least one."""
        return slice(0, max(1, int(np.searchsorted(self.ends, pages, side="right"))))

    def rate(self, pages: int) -> float:
        """Return the harvest rate after so many pages."""
        part = self.upto(pages)
        return float(self.relevant[part].sum() / self.judged[part].sum())

    def drawn(self, pages: int, numbers: np.random.Generator) -> NDArray[np.float64]:
        """Return the rates of `DRAWS` crawls made of its runs, drawn with replacement.

        Of a random sample: of its pages, and of so many others as are likely given them, after Jeffreys.
        """
        part = self.upto(pages)
        relevant, judged = self.relevant[part], self.judged[part]
        if self.is_random:
            found, known = int(relevant.sum()), int(judged.sum())
            chances = numbers.beta(found + 0.5, known - found + 0.5, size=DRAWS)
            return np.asarray((found + numbers.binomial(pages - known, chances)) / pages)
        chosen = numbers.integers(len(judged), size=(DRAWS, len(judged)))
        return np.asarray(relevant[chosen].sum(axis=1) / judged[chosen].sum(axis=1))

    def beside(self, run: RunInfo, judge: str, interval: Interval) -> CrawlBeside:
        found, judged = np.cumsum(self.relevant), np.cumsum(self.judged)
        is_whole = int(judged[-1]) == self.total
        return CrawlBeside(
            job=run.job,
            strategy=run.ordered_by,
            pages=self.total,
            relevant=int(found[-1]) if is_whole else None,
            hosts=self.hosts,
            rate=interval,
            recall=int(found[-1]) / run.targets if run.targets and judge == GROUND_TRUTH else None,
            curve=Curve(tuple(self.ends.tolist()), tuple((found / judged).tolist())),
        )


_remembered: dict[tuple[Path, str, int], _Counted] = {}


def _of(folder: Path, sample: LabelledSample | None, name: str, judge: TextJudge | None) -> _Counted:
    with read_crawl(folder) as database:
        ((total,),) = database.rows("SELECT coalesce(max(position), 0) FROM pages")
        if sample is not None:
            return _grouped(sample.positions, sample.relevant, total, is_random=True)
        if judge is not None:
            key = folder, judge.name, total
            if key not in _remembered:
                while len(_remembered) >= MOST_REMEMBERED:
                    _remembered.pop(next(iter(_remembered)))
                _remembered[key] = _judged(database, judge, total)
            return _remembered[key]
        column = "coalesce(is_target, 0)" if name == GROUND_TRUTH else "is_relevant"
        size = max(LEAST_RUN, -(-total // MOST_RUNS))
        rows = database.rows(_RUNS.format(column), (size,))
        ((hosts,),) = database.rows(_HOSTS.format(column))
    counts = np.array([row[1:] for row in rows], dtype=np.int64).reshape(-1, 2)
    return _Counted(np.cumsum(counts[:, 0]), counts[:, 0], counts[:, 1], total, hosts)


def _judged(database: CrawlDatabase, judge: TextJudge, total: int) -> _Counted:
    """Judge pages that are evenly spread; a run is `LEAST_RUN` of them."""
    positions = np.unique(np.linspace(1, total, min(SAMPLED, total)).round().astype(int))
    verdicts = _verdicts(database, judge, positions.tolist())
    return _grouped(positions, np.array(verdicts, dtype=np.bool_), total)


def _grouped(
    positions: Counts, relevant: NDArray[np.bool_], total: int, *, is_random: bool = False
) -> _Counted:
    """Return some pages of a crawl in runs of `LEAST_RUN`."""
    groups = np.array_split(np.arange(len(positions)), max(1, len(positions) // LEAST_RUN))
    found = np.array([relevant[group].sum() for group in groups], dtype=np.int64)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    ends = np.array([positions[group[-1]] for group in groups], dtype=np.int64)
    return _Counted(ends, sizes, found, total, None, is_random)


def _verdicts(database: CrawlDatabase, judge: TextJudge, positions: list[int]) -> list[bool]:
    firsts = dict(database.rows(_FIRSTS.format(among=database.among), (database.many(positions),)))
    texts = PageTexts(database).of(positions)
    found = {text.position: judge.judge(text)[1] for text in texts if firsts.get(text.position)}
    if not found:
        raise CrawlError(
            f"{database.location} has no texts of its pages (FOCUSED_KEEP_TEXTS was off), and its judge is"
            " not that of the others: it cannot be compared with them"
        )
    return [found.get(position, False) for position in positions]


def _interval(draws: NDArray[np.float64], value: float) -> Interval:
    low, high = np.percentile(draws, (50 * (1 - LEVEL), 50 * (1 + LEVEL))).tolist()
    return Interval(value, min(low, value), max(high, value))
