"""The main tables of an experiment in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focused_crawler.experiment.measures import RunTable, topics_of
from focused_crawler.experiment.results import Run, Setting
from focused_crawler.experiment.standings import (
    AREAS,
    FINALS,
    Standing,
    comparisons,
    difference,
    means,
    oracle_standings,
    p_value,
    share,
    standings,
)
from focused_crawler.experiment.statistics import Comparison, Interval
from focused_crawler.report.words import tidy
from focused_crawler.virtualweb.bounds import Bounds


def markdown_tables(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> str:
    """Return areas topic by topic, areas at all horizons with final figures, and the comparisons."""
    table = RunTable.of(runs, bounds)
    parts = [_main(table), _figures(table)]
    if found := comparisons(table):
        parts.append(_comparisons(found))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _main(table: RunTable) -> Iterator[str]:
    topics = [topic.topic for topic in topics_of(table.settings)]
    yield from _head(["strategy", "mean", "95 % interval", *topics])
    for standing in [*standings(table), *oracle_standings(table)]:
        yield _row(
            [standing.name, share(standing.interval.mean), _span(standing.interval), *_shares(standing)]
        )


def _figures(table: RunTable) -> Iterator[str]:
    figures = means(table, {**AREAS, **FINALS})
    yield from _head(["strategy", *AREAS, *FINALS])
    for standing in standings(table):
        own = figures[standing.name]
        areas = [share(own[name]) for name in AREAS]
        finals = [share(own["harvest rate"]), share(own["target recall"])]
        yield _row(
            [standing.name, *areas, *finals, f"{own['pages fetched']:,.0f}", f"{own['ms a page']:.2f}"]
        )


def _comparisons(found: Sequence[Comparison]) -> Iterator[str]:
    yield from _head(
        ["strategy", "against", "difference", "95 % interval", "p", "p (Holm)", "won", "equal", "lost"]
    )
    for one in found:
        low, high = difference(one.difference.low), difference(one.difference.high)
        span = f"{low} to {high}" if one.difference.is_known else "–"
        numbers = [p_value(one.p), p_value(one.p_holm), str(one.wins), str(one.ties), str(one.losses)]
        yield _row([one.strategy, one.baseline, difference(one.difference.mean), span, *numbers])


def _shares(standing: Standing) -> list[str]:
    return [
        f"**{share(value)}**" if number in standing.best else share(value)
        for number, value in enumerate(standing.topics)
    ]


def _span(interval: Interval) -> str:
    return f"{share(interval.low)} to {share(interval.high)}" if interval.is_known else "–"


def _head(names: Sequence[str]) -> Iterator[str]:
    yield _row([names[0], *names[1:]])
    yield _row(["---"] + ["---:"] * (len(names) - 1))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(tidy(cell).replace("|", r"\|") for cell in cells) + " |"
