"""Crawls of a topic side by side, by one judge: curves, and differences with how much of them may be chance.

Pages are counted in runs of consecutive ones: what follows each other is alike, so a run is the unit that
intervals are drawn from, and 100,000 pages are some hundred numbers. Few runs may be alike by chance, and a
single one always is: so an interval is never narrower than that of as many independent pages. Of two equally
good crawls of 5 to 300 independent pages, at most 5 in 100 are called certainly different. Pages that people
labelled were drawn one by one: what is said of them is a simple random sample.
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
from focused_crawler.report.yardstick import Yardstick, yardstick
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import last_position
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.judges import GROUND_TRUTH, hits_by
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageTexts

DRAWS = 2_000
MOST_RUNS = 500
LEAST_RUN = 10
"""Pages of a run: fewer are too much alike with those beside them."""
SAMPLED = 300
"""Pages that are judged anew where crawls had several judges, evenly spread over the pages that all have; as
many more over all of a longer crawl, for its curve."""
MOST_REMEMBERED = 32
"""Samples of which the verdicts are kept: a process that shows them asks again and again."""
LEVEL = 0.95
_SEED = 20261127  # the same crawls have the same intervals

_RUNS = """
SELECT (position - 1) / ? AS run, count(*), sum({}) FROM pages WHERE position <= ? GROUP BY 1 ORDER BY 1
"""
_FIRSTS = "SELECT position, duplicate_of IS NULL FROM pages WHERE position {among}"
_HOSTS = "SELECT count(DISTINCT host) FROM pages WHERE {} = 1 AND position <= ?"

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
    starts = np.arange(0, len(hits), _length_of_runs(len(hits)))
    found = np.add.reduceat(hits, starts)
    ends = np.append(starts[1:], len(hits))
    counted = _Counted(ends, np.diff(ends, prepend=0), found, len(hits))
    return _interval(counted.drawn(np.random.default_rng(_SEED)), counted.rate)


def compare_crawls(folders: Sequence[Path], judge_of: Callable[[RunInfo], TextJudge]) -> CrawlComparison:
    """Compare crawls of one topic, the first with each other.

    By their `yardstick`, one alone by its own judge; a judge that has not judged all of them judges
    `SAMPLED` stored texts of each. CrawlError where a crawl has no page, or no texts, or another topic.
    """
    runs = [run_of(folder) for folder in folders]
    if len(topics := {run.topic for run in runs}) > 1:
        raise CrawlError(f"these crawls are about {' and '.join(sorted(topics))}; choose crawls of one topic")
    for folder in folders:
        if not _total(folder):
            raise CrawlError(f"{folder} has no page yet; compare it when it has some")
    by = yardstick(folders, judge_of) if len(runs) > 1 else Yardstick(runs[0].judged_by)
    crawls = [_Crawl(folder, run_of(folder), _total(folder)) for folder in folders]
    pages = min(one.total for one in crawls)
    samples = by.labelled or [None] * len(folders)
    made = [_of(one.folder, sample, by, pages) for one, sample in zip(crawls, samples, strict=True)]
    numbers = np.random.default_rng(_SEED)
    draws = [one.drawn(numbers) for one in made]
    beside, differences = [], []
    for crawl, sample, first, drawn in zip(crawls, samples, made, draws, strict=True):
        whole = first if sample or crawl.total == pages else _of(crawl.folder, None, by, crawl.total)
        beside.append(_beside(crawl, whole, by, _interval(drawn, first.rate)))
        difference = _interval(draws[0] - drawn, made[0].rate - first.rate)
        differences.append(RateDifference(crawl.run.job, crawl.run.ordered_by, difference))
    return CrawlComparison(
        by.name, by.judged_by, by.texts is not None, pages, tuple(beside), tuple(differences[1:])
    )


class _Crawl(NamedTuple):
    folder: Path
    run: RunInfo
    total: int  # pages


@dataclass(frozen=True, slots=True)
class _Counted:
    """The first pages of a crawl in runs, or of those pages the ones that were judged."""

    ends: Counts  # position of the last page of each run
    judged: Counts  # pages of each run
    relevant: Counts
    pages: int  # that they stand for
    is_random: bool = False  # those that are judged were drawn one by one

    @property
    def rate(self) -> float:
        """Return the harvest rate."""
        return float(self.relevant.sum() / self.judged.sum())

    def drawn(self, numbers: np.random.Generator) -> NDArray[np.float64]:
        """Return the rates of `DRAWS` crawls made of its runs, drawn with replacement.

        Those of as many independent pages, after Laplace, where these differ more. Of a random sample: of
        its pages, and of so many others as are likely given them, after Jeffreys.
        """
        found, known = int(self.relevant.sum()), int(self.judged.sum())
        if self.is_random:
            chances = numbers.beta(found + 0.5, known - found + 0.5, size=DRAWS)
            return np.asarray((found + numbers.binomial(self.pages - known, chances)) / self.pages)
        chosen = numbers.integers(len(self.judged), size=(DRAWS, len(self.judged)))
        by_runs = np.asarray(self.relevant[chosen].sum(axis=1) / self.judged[chosen].sum(axis=1))
        by_pages = np.asarray(numbers.spawn(1)[0].beta(found + 1, known - found + 1, size=DRAWS))
        return by_runs if by_runs.std() > by_pages.std() else by_pages


def _beside(crawl: _Crawl, whole: _Counted, by: Yardstick, interval: Interval) -> CrawlBeside:
    """Describe a crawl; `whole`: all its pages, which its curve is of."""
    run, total = crawl.run, crawl.total
    found, judged = np.cumsum(whole.relevant), np.cumsum(whole.judged)
    is_whole = int(judged[-1]) == total
    hosts = None
    if not by.labelled and by.texts is None:
        with read_crawl(crawl.folder) as database:
            ((hosts,),) = database.rows(_HOSTS.format(hits_by(by.name).column), (total,))
    return CrawlBeside(
        job=run.job,
        strategy=run.ordered_by,
        pages=total,
        relevant=int(found[-1]) if is_whole else None,
        hosts=hosts,
        rate=interval,
        recall=int(found[-1]) / run.targets if run.targets and by.name == GROUND_TRUTH else None,
        curve=Curve(tuple(whole.ends.tolist()), tuple((found / judged).tolist())),
    )


_remembered: dict[tuple[Path, str, int, int], _Counted] = {}


def _total(folder: Path) -> int:
    with read_crawl(folder) as database:
        return last_position(database)


def _of(folder: Path, sample: LabelledSample | None, by: Yardstick, pages: int) -> _Counted:
    """Count so many first pages of a crawl."""
    if sample is not None:
        return _grouped(sample.positions, sample.relevant, pages, is_random=True)
    with read_crawl(folder) as database:
        if by.texts is not None:
            key = folder, by.name, last_position(database), pages
            if key not in _remembered:
                while len(_remembered) >= MOST_REMEMBERED:
                    _remembered.pop(next(iter(_remembered)))
                _remembered[key] = _judged(database, by.texts, pages)
            return _remembered[key]
        rows = database.rows(_RUNS.format(hits_by(by.name).column), (_length_of_runs(pages), pages))
    counts = np.array([row[1:] for row in rows], dtype=np.int64).reshape(-1, 2)
    return _Counted(np.cumsum(counts[:, 0]), counts[:, 0], counts[:, 1], pages)


def _length_of_runs(pages: int) -> int:
    return max(LEAST_RUN, -(-pages // MOST_RUNS))


def _judged(database: CrawlDatabase, judge: TextJudge, pages: int) -> _Counted:
    """Judge pages that are evenly spread over the first so many; a run is `LEAST_RUN` of them."""
    positions = np.unique(np.linspace(1, pages, min(SAMPLED, pages)).round().astype(int))
    verdicts = _verdicts(database, judge, positions.tolist())
    return _grouped(positions, np.array(verdicts, dtype=np.bool_), pages)


def _grouped(
    positions: Counts, relevant: NDArray[np.bool_], pages: int, *, is_random: bool = False
) -> _Counted:
    """Return some pages of a crawl in runs of `LEAST_RUN`."""
    groups = np.array_split(np.arange(len(positions)), max(1, len(positions) // LEAST_RUN))
    found = np.array([relevant[group].sum() for group in groups], dtype=np.int64)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    ends = np.array([positions[group[-1]] for group in groups], dtype=np.int64)
    return _Counted(ends, sizes, found, pages, is_random)


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
