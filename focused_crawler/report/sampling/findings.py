"""What judged sheets say: the precision each judge found, the majority's, and how far judges agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from focused_crawler.report.sampling.precision import (
    Answers,
    Count,
    PairAgreement,
    PrecisionEstimate,
    agree,
    alpha,
    precision,
)
from focused_crawler.report.sampling.sheet import JudgedSample


class Verdict(NamedTuple):
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
    judges: Mapping[str, Verdict]
    majority: Verdict  # of one judge: the same
    strata: Sequence[StratumVerdict]
    pairs: Sequence[PairAgreement]
    alpha: float | None


def find(judged: JudgedSample) -> SampleFindings:
    """Compute everything from sheets as they were read."""
    common = majority(list(judged.judges.values()))
    names = sorted(judged.judges)
    return SampleFindings(
        judged.drawn,
        sum(part.pages for part in judged.parts.values()),
        {name: _verdict(judged, judged.judges[name]) for name in names},
        _verdict(judged, common),
        [_stratum(judged, common, name) for name in sorted(judged.parts, key=lambda name: (len(name), name))],
        [agree(first, second, judged.judges) for first, second in combinations(names, 2)],
        alpha(list(judged.judges.values())) if len(names) > 1 else None,
    )


def majority(judges: Sequence[Answers]) -> dict[int, bool | None]:
    """Return what more of those who decided a page said of it; None where as many said yes as no."""
    found: dict[int, bool | None] = {}
    for page in sorted(set().union(*judges)):
        given = [answers.get(page) for answers in judges]
        lead = given.count(True) - given.count(False)
        found[page] = None if lead == 0 else lead > 0
    return found


def _verdict(judged: JudgedSample, answers: Answers) -> Verdict:
    given = list(answers.values())
    yes, no = given.count(True), given.count(False)
    counts = [_count(judged, answers, name) for name in judged.parts]
    return Verdict(
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
    return StratumVerdict(name, part.drawn, part.pages, count.relevant, count.judged, estimate)


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
