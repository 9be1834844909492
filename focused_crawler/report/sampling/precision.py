"""What judged sheets say: the precision each judge found, its 95 % interval, and how far judges agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import mul
from typing import NamedTuple

from focused_crawler.report.sampling.sheet import JudgedSample
from focused_crawler.topic.agreement import PairAgreement, agree, alpha, vote

Answers = Mapping[int, bool | None]
"""Number of a page -> relevant or not; None: undecided."""

Z = 1.959963984540054
"""Quantile of the normal distribution: 2.5 % lie above it."""

_ROUNDS = 50
_CLOSE = 1e-10


class Count(NamedTuple):
    """What was judged of a stratum; of pooled judgements, as so many pages with that share say as much."""

    relevant: float
    judged: float  # as relevant or not: undecided pages are in neither
    pages: int  # of the crawl

    @property
    def share(self) -> float:
        return self.relevant / self.judged


class PrecisionEstimate(NamedTuple):
    """A share of the crawl's pages, and between which the true one lies in 95 of 100 samples."""

    value: float
    low: float
    high: float


def precision(strata: Sequence[Count]) -> PrecisionEstimate:
    """Return the share of relevant pages in a crawl of which each stratum was judged in part, each 1 or more.

    One stratum: Wilson's score interval. Several: each stratum's share weighs as many pages as it has in the
    crawl, and so do the ends of the strata's Wilson intervals, at a quantile that makes the whole a 95 %
    interval (Yan and Su 2010). Both with the correction for a finite population: the crawl's pages are
    counted, and when all are judged nothing is left uncertain.

    >>> [round(part, 3) for part in precision([Count(83, 100, 10**9)])]
    [0.83, 0.745, 0.891]
    >>> precision([Count(9, 10, 10)])
    PrecisionEstimate(value=0.9, low=0.9, high=0.9)
    """
    total = sum(stratum.pages for stratum in strata)
    weights = [stratum.pages / total for stratum in strata]
    z = _quantile(strata, weights)
    ends = [_wilson(stratum, z) for stratum in strata]
    value = math.fsum(map(mul, weights, (stratum.share for stratum in strata)))
    low, high = (math.fsum(map(mul, weights, side)) for side in zip(*ends, strict=True))
    return PrecisionEstimate(value, min(low, value), max(high, value))


def _quantile(strata: Sequence[Count], weights: Sequence[float]) -> float:
    """Return z for each stratum: Yan and Su's, by the variance of Wilson's interval at that very z."""
    z = Z
    for _ in range(_ROUNDS):
        spreads = [weight * _spread(stratum, z) for weight, stratum in zip(weights, strata, strict=True)]
        if not any(spreads):
            return Z
        before, z = z, Z * math.hypot(*spreads) / math.fsum(spreads)
        if abs(z - before) < _CLOSE:
            break
    return z


def _wilson(stratum: Count, z: float) -> tuple[float, float]:
    noise = z * z * _per_draw(stratum)
    middle = (stratum.share + noise / 2) / (1 + noise)
    half = z * _spread(stratum, z)
    return middle - half, middle + half


def _spread(stratum: Count, z: float) -> float:
    """Return the standard error as Wilson's interval has it: above 0 even where all judgements agree."""
    share, per_draw = stratum.share, _per_draw(stratum)
    noise = z * z * per_draw
    return math.sqrt(share * (1 - share) * per_draw + (z * per_draw) ** 2 / 4) / (1 + noise)


def _per_draw(stratum: Count) -> float:
    """Return 1 / n, times the correction for a finite population: 0 where every page was judged."""
    if stratum.judged >= stratum.pages:
        return 0.0
    return (stratum.pages - stratum.judged) / (stratum.pages - 1) / stratum.judged


class JudgeVerdict(NamedTuple):
    """What a judge, or the majority of them, said of a sample."""

    relevant: int
    not_relevant: int
    undecided: int  # by the majority: also where as many said yes as no
    blank: int
    estimate: PrecisionEstimate | None  # over the decided pages; None: a stratum has none
    least: float  # precision if all that is open were not relevant
    most: float  # if it were relevant


class StratumVerdict(NamedTuple):
    """What the majority said of a stratum."""

    name: str
    drawn: int
    pages: int  # of the crawl
    relevant: int
    judged: int
    estimate: PrecisionEstimate | None


@dataclass(frozen=True, slots=True)
class SampleFindings:
    """All that `scrapy precision` shows."""

    drawn: int
    pages: int  # of the crawl, which the sample stands for
    judges: Mapping[str, JudgeVerdict]
    majority: JudgeVerdict  # of one judge: the same
    ties: int  # pages on which as many said yes as no: undecided by the majority
    # Of yes among all judgements: Badia et al.'s "total precision", as we read it.
    pooled: PrecisionEstimate | None
    strata: Sequence[StratumVerdict]
    pairs: Sequence[PairAgreement]
    alpha: float | None


def find(judged: JudgedSample) -> SampleFindings:
    """Compute everything from sheets as they were read."""
    common = majority(list(judged.judges.values()))
    names = sorted(judged.judges)
    given = [_given(judged.judges.values(), page) for page in common]
    pooled = [_pooled(judged, name) for name in judged.parts]
    return SampleFindings(
        judged.drawn,
        sum(part.pages for part in judged.parts.values()),
        {name: _verdict(judged, judged.judges[name]) for name in names},
        _verdict(judged, common),
        sum(yes == no > 0 for yes, no in given),
        precision(pooled) if all(count.judged for count in pooled) else None,
        [_stratum(judged, common, name) for name in sorted(judged.parts, key=lambda name: (len(name), name))],
        [agree(first, second, judged.judges) for first, second in combinations(names, 2)],
        alpha(list(judged.judges.values())) if len(names) > 1 else None,
    )


def majority(judges: Sequence[Answers]) -> dict[int, bool | None]:
    """Return what more of those who decided a page said of it; None where as many said yes as no."""
    return {page: vote(known.get(page) for known in judges) for page in sorted(set().union(*judges))}


def _given(judges: Iterable[Answers], page: int) -> tuple[int, int]:
    """Return how many judges said yes and how many no of a page."""
    answers = [known.get(page) for known in judges]
    return answers.count(True), answers.count(False)


def _pooled(judged: JudgedSample, stratum: str) -> Count:
    """Return a stratum by all its judgements, which say as much as so many pages at least.

    Judgements of one page are no independent draws: the size is Kish's, (sum m)^2 / sum m^2 of m judgements
    a page, the number of pages where all have as many.
    """
    pages = [page for page, (_, name) in judged.pages.items() if name == stratum]
    given = [_given(judged.judges.values(), page) for page in pages]
    judgements = [yes + no for yes, no in given]
    total = sum(judgements)
    size = total * total / sum(map(mul, judgements, judgements)) if total else 0.0
    share = sum(yes for yes, _ in given) / total if total else 0.0
    return Count(share * size, size, judged.parts[stratum].pages)


def _verdict(judged: JudgedSample, answers: Answers) -> JudgeVerdict:
    given = list(answers.values())
    yes, no = given.count(True), given.count(False)
    counts = [_count(judged, answers, name) for name in judged.parts]
    return JudgeVerdict(
        yes,
        no,
        given.count(None),
        judged.drawn - len(given),
        precision(counts) if all(count.judged for count in counts) else None,
        *_bounds(judged, counts),
    )


def _stratum(judged: JudgedSample, answers: Answers, name: str) -> StratumVerdict:
    part, count = judged.parts[name], _count(judged, answers, name)
    estimate = precision([count]) if count.judged else None
    return StratumVerdict(name, part.drawn, part.pages, int(count.relevant), int(count.judged), estimate)


def _count(judged: JudgedSample, answers: Answers, stratum: str) -> Count:
    given = [answer for page, answer in answers.items() if judged.pages[page][1] == stratum]
    yes, no = given.count(True), given.count(False)
    return Count(yes, yes + no, judged.parts[stratum].pages)


def _bounds(judged: JudgedSample, counts: Sequence[Count]) -> tuple[float, float]:
    """Return the precision of the sample if everything open were not relevant, and if it were."""
    total = sum(count.pages for count in counts)
    least = most = 0.0
    for count, part in zip(counts, judged.parts.values(), strict=True):
        share = count.pages / total / part.drawn
        least += share * count.relevant
        most += share * (count.relevant + part.drawn - count.judged)
    return least, most
