"""Precision and agreement for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.report.sampling.findings import Findings, StratumVerdict, Verdict
from focused_crawler.report.sampling.precision import Estimate, PairAgreement
from focused_crawler.safety.formats import count, percent, plural
from focused_crawler.safety.printable import printable

NONE = "-"


def tables(found: Findings, meanings: Mapping[str, str]) -> Iterator[RenderableType]:
    """Yield what was found, the answer first; `meanings` of strata, as far as they are known."""
    yield Text(conclusion(found), style="bold")
    yield _verdicts(found)
    if len(found.strata) > 1:
        yield _strata(found.strata, meanings)
    if found.pairs:
        yield _pairs(found.pairs)
        yield Text(f"Krippendorff's alpha over all judges: {_coefficient(found.alpha)}")


def conclusion(found: Findings) -> str:
    """Return the precision in a sentence, and what the open pages could make of it."""
    verdict = found.majority
    sample = f"{plural(found.drawn, 'page')} drawn from {count(found.pages)}"
    if verdict.estimate is None:
        return f"{sample}: no precision, since a stratum has no page that is decided."
    value, interval = percent(verdict.estimate.value), _interval(verdict.estimate)
    said = f"{sample}: {value} are relevant (95 % interval: {interval})."
    if not verdict.undecided + verdict.blank:
        return said
    said += f" {verdict.undecided} undecided, {verdict.blank} not judged: counted as not relevant"
    return f"{said} they make it {percent(verdict.least)}, counted as relevant {percent(verdict.most)}."


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _verdicts(found: Findings) -> Table:
    table = _table("judge", "relevant", "not", "undecided", "blank", "precision", "95 % interval")
    for name, verdict in found.judges.items():
        table.add_row(Text(printable(name)), *_cells(verdict))
    if len(found.judges) > 1:
        table.add_section()
        table.add_row("majority", *_cells(found.majority))
    return table


def _cells(verdict: Verdict) -> list[str]:
    numbers = (verdict.relevant, verdict.not_relevant, verdict.undecided, verdict.blank)
    return [*map(count, numbers), *_estimate(verdict.estimate)]


def _strata(strata: Sequence[StratumVerdict], meanings: Mapping[str, str]) -> Table:
    table = _table("stratum", "pages", "drawn", "decided", "relevant", "precision", "95 % interval")
    for part in strata:
        numbers = (part.pages, part.drawn, part.judged, part.relevant)
        name = printable(" ".join(filter(None, (part.name, meanings.get(part.name)))))
        table.add_row(Text(name), *map(count, numbers), *_estimate(part.estimate))
    return table


def _pairs(pairs: Sequence[PairAgreement]) -> Table:
    table = _table("judges", "both decided", "agreed", "Cohen's kappa")
    for pair in pairs:
        agreed = percent(pair.agreed / pair.pages) if pair.pages else NONE
        names = Text(f"{printable(pair.first)}, {printable(pair.second)}")
        table.add_row(names, count(pair.pages), agreed, _coefficient(pair.kappa))
    return table


def _estimate(estimate: Estimate | None) -> tuple[str, str]:
    return (NONE, NONE) if estimate is None else (percent(estimate.value), _interval(estimate))


def _interval(estimate: Estimate) -> str:
    return f"{percent(estimate.low)} to {percent(estimate.high)}"


def _coefficient(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"
