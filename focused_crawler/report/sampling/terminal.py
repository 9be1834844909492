"""Precision and agreement for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table

from focused_crawler.report.sampling.precision import (
    JudgeVerdict,
    PrecisionEstimate,
    SampleFindings,
    StratumVerdict,
)
from focused_crawler.report.terminal.output import sentence
from focused_crawler.report.terminal.tables import add_row, heading, table
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.topic.agreement import PairAgreement

NONE = "-"
_PRECISION = (">precision", ">95 % interval")


def tables(found: SampleFindings, meanings: Mapping[str, str]) -> Iterator[RenderableType]:
    """Yield what was found, the answer first; `meanings` of strata, as far as they are known."""
    yield heading(conclusion(found))
    yield _verdicts(found)
    if len(found.strata) > 1:
        yield _strata(found.strata, meanings)
    if found.pairs:
        yield _pairs(found.pairs)
        yield sentence(f"Krippendorff's alpha over all judges: {_coefficient(found.alpha)}")


def conclusion(found: SampleFindings) -> str:
    """Return the precision in a sentence, and what the open pages could make of it."""
    verdict = found.majority
    sample = f"{plural(found.drawn, 'page')} drawn from {count(found.pages)}"
    if verdict.estimate is None:
        return f"{sample}: no precision, since a stratum has no page that is decided."
    value, interval = percent(verdict.estimate.value), _interval(verdict.estimate)
    said = f"{sample}: {value} are relevant (95 % interval: {interval})."
    if not verdict.undecided + verdict.blank:
        return said
    ties = f" ({count(found.ties)} by a tie)" if found.ties else ""
    said += f" {verdict.undecided} undecided{ties}, {verdict.blank} not judged: counted as not relevant"
    return f"{said} they make it {percent(verdict.least)}, counted as relevant {percent(verdict.most)}."


def _verdicts(found: SampleFindings) -> Table:
    shown = table("judge", ">relevant", ">not", ">undecided", ">blank", *_PRECISION)
    for name, verdict in found.judges.items():
        add_row(shown, name, *_cells(verdict))
    if len(found.judges) > 1:
        add_row(shown)
        add_row(shown, "majority", *_cells(found.majority))
        pooled = [sum(column) for column in zip(*map(_numbers, found.judges.values()), strict=True)]
        add_row(shown, "all judgements", *map(count, pooled), *_estimate(found.pooled))
    return shown


def _cells(verdict: JudgeVerdict) -> list[str]:
    return [*map(count, _numbers(verdict)), *_estimate(verdict.estimate)]


def _numbers(verdict: JudgeVerdict) -> tuple[int, ...]:
    return verdict.relevant, verdict.not_relevant, verdict.undecided, verdict.blank


def _strata(strata: Sequence[StratumVerdict], meanings: Mapping[str, str]) -> Table:
    rows = (
        (
            " ".join(filter(None, (part.name, meanings.get(part.name)))),
            *map(count, (part.pages, part.drawn, part.judged, part.relevant)),
            *_estimate(part.estimate),
        )
        for part in strata
    )
    return table("stratum", ">pages", ">drawn", ">decided", ">relevant", *_PRECISION, rows=rows)


def _pairs(pairs: Sequence[PairAgreement]) -> Table:
    rows = (
        (
            f"{pair.first}, {pair.second}",
            count(pair.pages),
            percent(pair.agreed / pair.pages) if pair.pages else NONE,
            _coefficient(pair.kappa),
        )
        for pair in pairs
    )
    return table("judges", ">both decided", ">agreed", ">Cohen's kappa", rows=rows)


def _estimate(estimate: PrecisionEstimate | None) -> tuple[str, str]:
    return (NONE, NONE) if estimate is None else (percent(estimate.value), _interval(estimate))


def _interval(estimate: PrecisionEstimate) -> str:
    return f"{percent(estimate.low)} to {percent(estimate.high)}"


def _coefficient(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"
