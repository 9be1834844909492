"""A crawl's estimates and alarms, and what the truth says of them: for `estimate.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.crawl_traces import Stage, Trace, trace
from focused_crawler.crawl.steering.estimate import Estimate, Tally, band_of, chances, estimate
from focused_crawler.crawl.steering.monitor import Monitor, Seen
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.training import relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.virtualweb.graph import LinkGraph

ESTIMATED = ("link_classifier", "soft_focus", "best_first_content_anchor")
WATCHED = (
    "hard_focus",
    "soft_focus",
    "link_classifier",
    "best_first_content_anchor",
    "breadth_first",
    "unfocused",
)
STAGES = ("half", "once", "twice")
"""Pages fetched, by the number of relevant ones."""
TIMES = 4  # pages of a crawl, by the same
MORE = 1.2
"""An alarm is false if so many times as many relevant pages are found in the next |T| pages; a harvest has
ended where it is no more than that from there on."""
Mask = NDArray[np.bool_]


class Verdicts(NamedTuple):
    """Which pages of the web are relevant."""

    said: Mask  # by the crawler's own classifier
    true: Mask  # by the ground truth
    reachable: Mask  # from the seeds


@dataclass(frozen=True, slots=True)
class Guess:
    """What was said of a crawl at a stage, and what was so."""

    strategy: str
    stage: str
    methods: dict[str, float]
    interval: Estimate
    found: tuple[int, int]  # by classifier, by truth
    left: tuple[int, int]

    def error(self, method: str, judge: int) -> float:
        """How far off found and left together are, as a part of the true sum. 0: classifier, 1: truth."""
        total = self.found[judge] + self.left[judge]
        return abs(self.found[0] + self.methods[method] - total) / max(total, 1)

    def error_of_rest(self, judge: int) -> float:
        """How far the estimate is off, as a part of what was left."""
        return abs(self.methods["ours"] - self.left[judge]) / max(self.left[judge], 1)

    def holds(self, judge: int) -> bool:
        """Tell whether the interval holds what was left."""
        return self.interval.low <= self.left[judge] <= self.interval.high


@dataclass(frozen=True, slots=True)
class Watched:
    """The alarms of a crawl. Positions are in pages, as parts of |T|."""

    strategy: str
    alarms: int  # but that of a frontier that ran dry
    false: int
    first: float | None
    found_at_first: float | None  # share of what the crawl found in the end
    has_ended: bool
    is_dry: bool

    @property
    def is_silent(self) -> bool:
        """Tell whether nothing at all was told; that a frontier runs dry always is."""
        return not self.alarms and not self.is_dry


class Outcome(NamedTuple):
    """One crawl."""

    guesses: list[Guess]
    watched: Watched | None


def study(task: tuple[Subject, str, str], bench: Bench) -> Outcome:
    """Make a crawl, or read its trace, and ask it."""
    subject, seed_set, strategy = task
    truth = truth_of(bench, subject)
    size = len(truth)
    stages = {size // 2: STAGES[0], size: STAGES[1], 2 * size: STAGES[2]} if strategy in ESTIMATED else {}
    told = trace(bench, subject, seed_set, strategy, TIMES * size, list(stages))
    web, scores = bench.web(subject), relevances(bench.models(subject) / subject.topic.name)
    threshold = analyst_of(bench, subject, "breadth_first").threshold
    seeds = [number for url in subject.seed_sets[seed_set] if (number := web.number(url)) is not None]
    verdicts = Verdicts(scores >= threshold, truth.among(web.urls), reachable(web.graph, seeds))
    guesses = [
        guess(told, stage, verdicts, strategy, stages[stage.pages])
        for stage in told.stages
        if stage.pages in stages
    ]
    monitor = Monitor(threshold)
    watched = watch(told, scores, verdicts, size, monitor, strategy) if strategy in WATCHED else None
    return Outcome(guesses, watched)


def reachable(graph: LinkGraph, seeds: Sequence[int]) -> Mask:
    """Return the pages that links lead to."""
    found = np.zeros(len(graph), dtype=np.bool_)
    waiting = list(seeds)
    found[waiting] = True
    while waiting:
        for page in graph.out(waiting.pop()).tolist():
            if not found[page]:
                found[page] = True
                waiting.append(page)
    return found


def guess(told: Trace, stage: Stage, verdicts: Verdicts, strategy: str, name: str) -> Guess:
    """Ask all methods what is left."""
    fetched = np.zeros(len(verdicts.said), dtype=np.bool_)
    fetched[told.visits[: stage.pages]] = True
    judges = (verdicts.said, verdicts.true)
    interval = estimate(tallies(stage, verdicts.said))
    assert interval is not None
    return Guess(
        strategy,
        name,
        dict(methods(told, stage, verdicts.said, fetched)) | {"ours": interval.middle},
        interval,
        tuple(int((judge & fetched).sum()) for judge in judges),  # type: ignore[arg-type]
        tuple(int((judge & verdicts.reachable & ~fetched).sum()) for judge in judges),  # type: ignore[arg-type]
    )


def tallies(stage: Stage, said: Mask, *, hosts: bool = True) -> list[Tally]:
    """Count URLs as `steering.remaining` counts those of a crawl's database."""
    counts: dict[tuple[int, int], list[int]] = {}
    tried = len(stage.page) - stage.pending
    for place, (score, page, host) in enumerate(zip(stage.priority, stage.page, stage.host, strict=True)):
        count = counts.setdefault((int(host) * hosts, band_of(score)), [0] * 5)
        if place < stage.pending:
            count[4] += 1
            continue
        hit, is_late = int(page >= 0 and said[page]), place - stage.pending >= tried // 2
        for number, value in enumerate((1, hit, is_late, is_late and hit)):
            count[number] += value
    return [Tally(*key, *count) for key, count in counts.items()]


def methods(told: Trace, stage: Stage, said: Mask, fetched: Mask) -> Iterator[tuple[str, float]]:
    """Yield what other methods say."""
    yield "score", _by_score(tallies(stage, said, hosts=False))
    waits, gone = slice(stage.pending), slice(stage.pending, None)
    hits = (stage.page[gone] >= 0) & said[stage.page[gone]]
    hosts = int(stage.host.max()) + 1
    share = np.bincount(stage.host[gone], hits, hosts) / (np.bincount(stage.host[gone], minlength=hosts) + 1)
    yield "host", float(share[stage.host[waits]].sum())
    once, twice = (int((hits & (stage.links[gone] == number)).sum()) for number in (1, 2))
    yield "chao", once * (once - 1) / (2 * (twice + 1))
    halves = [int(part.sum()) for part in np.array_split(said[told.visits[: stage.pages]], 2)]
    yield "growth", min(halves[1] ** 2 / max(halves[0] - halves[1], 1), 100.0 * sum(halves))
    pages = np.unique(stage.page[waits][stage.page[waits] >= 0])
    yield "known", float((said & ~fetched)[pages].sum())


def _by_score(counted: Sequence[Tally]) -> float:
    """Return what the curve over scores says, of all hosts as one."""
    bands, tried, relevant, pending = np.array(counted, dtype=np.float64)[:, [1, 2, 3, 6]].T
    return float(chances(bands, tried, relevant) @ pending)


def watch(
    told: Trace, scores: NDArray[np.float64], verdicts: Verdicts, size: int, monitor: Monitor, strategy: str
) -> Watched:
    """Let the monitor follow a crawl; judge its alarms by the truth."""
    alarms = []
    for page in told.visits:
        monitor.record(Seen(float(scores[page]), bool(verdicts.said[page]), ""))
        if monitor.due():
            monitor.told()
            alarms.append(monitor.pages)
    found = np.cumsum(verdicts.true[told.visits])
    return Watched(
        strategy,
        len(alarms),
        sum(has_more(found, place, size) for place in alarms),
        alarms[0] / size if alarms else None,
        float(found[alarms[0] - 1] / max(found[-1], 1)) if alarms else None,
        told.is_dry or not has_more(found, max(1, len(found) - size), size),
        told.is_dry,
    )


def has_more(found: NDArray[np.int64], place: int, size: int) -> bool:
    """Tell whether the |T| pages after so many brought markedly more."""
    return bool(found[min(place + size, len(found)) - 1] >= MORE * max(found[place - 1], 1))
