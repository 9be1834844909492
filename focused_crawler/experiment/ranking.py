"""The ranking of strategies with all its figures, as pages and files show them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from focused_crawler.experiment.measures import (
    Best,
    Measure,
    RunTable,
    area,
    harvest_rate,
    hosts_found,
    is_dry,
    milliseconds_per_page,
    oracle,
    pages_fetched,
    target_recall,
    topics_of,
)
from focused_crawler.experiment.statistics import Interval, StrategyComparison, compare, intervals
from focused_crawler.link_scoring.registry import ABLATED, ABLATIONS
from focused_crawler.safety.formats import tidy

BASELINES = ("breadth_first", "best_first_content_anchor")
ORACLES: Mapping[str, Best] = {"greedy oracle": "greedy", "one-step oracle": "one_step"}
HORIZONS = {"|T|/2": 0.5, "|T|": 1.0, "2|T|": 2.0}
AREAS: Mapping[str, Measure] = {
    **{f"{horizon}, upper bound": area(targets) for horizon, targets in HORIZONS.items()},
    **{f"{horizon}, greedy oracle": area(targets, "greedy") for horizon, targets in HORIZONS.items()},
}
FINALS: Mapping[str, Measure] = {
    "harvest rate": harvest_rate,
    "target recall": target_recall,
    "pages fetched": pages_fetched,
    "ms a page": milliseconds_per_page,
}
LARGE = 5
"""Relevant pages of a host that whoever builds a collection would not want to miss."""

HOSTS: Mapping[str, Measure] = {
    "hosts, |T|": hosts_found(),
    "hosts, 2|T|": hosts_found(1, 2.0),
    f"hosts of {LARGE} or more, |T|": hosts_found(LARGE),
    f"hosts of {LARGE} or more, 2|T|": hosts_found(LARGE, 2.0),
}


class Ranked(NamedTuple):
    """A strategy, or an oracle, in the main table: areas at |T| over the upper bound's."""

    name: str
    interval: Interval
    topics: tuple[float, ...]  # means over seed sets
    best: frozenset[int] = frozenset()  # topics on which no strategy is better


def ranked(table: RunTable) -> list[Ranked]:
    """Return the strategies, the best mean first."""
    values = table.values(area())
    means, by_topic = intervals(values), values.by_topic()
    leads = np.max(list(by_topic.values()), axis=0)
    return [
        Ranked(
            name,
            means[name],
            tuple(by_topic[name].tolist()),
            frozenset(np.flatnonzero(by_topic[name] == leads).tolist()),
        )
        for name in values.ranking()
    ]


def ranked_oracles(table: RunTable) -> list[Ranked]:
    """Return what oracles reach in the same settings."""
    found = []
    for name, best in ORACLES.items():
        values = table.values(oracle(best))
        first = values.strategies[0]  # an oracle is the same whatever strategy it stands beside
        found.append(Ranked(name, intervals(values)[first], tuple(values.by_topic()[first].tolist())))
    return found


def means(table: RunTable, measures: Mapping[str, Measure]) -> dict[str, dict[str, float]]:
    """Return strategy -> name of a measure -> mean over topics."""
    columns = {name: table.values(measure).means() for name, measure in measures.items()}
    return {one: {name: column[one] for name, column in columns.items()} for one in table.strategies}


class OnWeb(NamedTuple):
    """What a strategy comes to on one web: means over its topics."""

    strategy: str
    web: str
    area: float  # at |T| over the upper bound's
    hosts: Mapping[str, float]  # shares found, by the names in `HOSTS`


def on_webs(table: RunTable) -> list[OnWeb]:
    """Return the strategies on each web, webs sorted, on each the best area first."""
    areas = table.values(area())
    found = {name: table.values(measure) for name, measure in HOSTS.items()}
    rows = []
    for web in sorted({setting.web for setting in table.settings}):
        mine = areas.of_web(web)
        hosts = {name: values.of_web(web) for name, values in found.items()}
        for strategy in sorted(mine, key=lambda strategy: (-mine[strategy], strategy)):
            shares = {name: column[strategy] for name, column in hosts.items()}
            rows.append(OnWeb(strategy, web, mine[strategy], shares))
    return rows


def baselines(ranking: Sequence[str]) -> list[str]:
    """Return what all are compared with: the usual baselines, and what an ablation was run of.

    Where none of them was run, the best.
    """
    wanted = (*BASELINES, ABLATED) if any(name in ABLATIONS for name in ranking) else BASELINES
    return [name for name in wanted if name in ranking] or list(ranking[:1])


def comparisons(table: RunTable) -> list[StrategyComparison]:
    """Compare areas at |T| over the upper bound's with the baselines."""
    values = table.values(area())
    return compare(values, *baselines(values.ranking()))


def dry_runs(table: RunTable) -> dict[str, list[str]]:
    """Return strategy -> where it had nothing left to fetch, and after how many pages."""
    found = {}
    for strategy in table.strategies:
        dry = [run for run in table.runs_of(strategy) if is_dry(run)]
        if dry:
            found[strategy] = [
                f"{'.'.join(run.case.setting)} after {len(run.hits):,} of {run.budget:,} pages" for run in dry
            ]
    return found


def share(value: float) -> str:
    """Return a share with two digits, as the papers have it; what is not known as a dash.

    >>> share(0.6849), share(math.nan)
    ('0.68', '–')
    """
    return "–" if math.isnan(value) else f"{value:.2f}"


def difference(value: float) -> str:
    """Return a difference of shares with its sign.

    >>> difference(0.051), difference(-0.051), difference(0.0), difference(-0.0001)
    ('+0.05', '−0.05', '0.00', '0.00')
    """
    text = share(abs(value))
    if text in {"0.00", "–"}:
        return text
    return ("+" if value > 0 else "−") + text


def p_value(p: float) -> str:
    """Return a p value; digits past the third say nothing.

    >>> p_value(0.0004), p_value(0.04), p_value(1.0), p_value(math.nan)
    ('< 0.001', '0.040', '1.000', '–')
    """
    if math.isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def markdown_tables(table: RunTable) -> str:
    """Return areas topic by topic, areas at all horizons with final figures, hosts, and the comparisons."""
    parts = [_main(table), _figures(table), _hosts(table)]
    if found := comparisons(table):
        parts.append(_comparisons(found))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _main(table: RunTable) -> Iterator[str]:
    topics = [topic.topic for topic in topics_of(table.settings)]
    yield from _head(["strategy", "mean", "95 % interval", *topics])
    for one in [*ranked(table), *ranked_oracles(table)]:
        yield _row([one.name, share(one.interval.mean), _span(one.interval), *_shares(one)])


def _figures(table: RunTable) -> Iterator[str]:
    figures = means(table, {**AREAS, **FINALS})
    yield from _head(["strategy", *AREAS, *FINALS])
    for one in ranked(table):
        own = figures[one.name]
        areas = [share(own[name]) for name in AREAS]
        finals = [share(own["harvest rate"]), share(own["target recall"])]
        yield _row([one.name, *areas, *finals, f"{own['pages fetched']:,.0f}", f"{own['ms a page']:.2f}"])


def _hosts(table: RunTable) -> Iterator[str]:
    yield from _head(["strategy", "web", "area, |T|", *HOSTS])
    for one in on_webs(table):
        yield _row([one.strategy, one.web, share(one.area), *map(share, one.hosts.values())])


def _comparisons(found: Sequence[StrategyComparison]) -> Iterator[str]:
    yield from _head(
        ["strategy", "against", "difference", "95 % interval", "p", "p (Holm)", "won", "equal", "lost"]
    )
    for one in found:
        low, high = difference(one.difference.low), difference(one.difference.high)
        span = f"{low} to {high}" if one.difference.is_known else "–"
        numbers = [p_value(one.p), p_value(one.p_holm), str(one.wins), str(one.ties), str(one.losses)]
        yield _row([one.strategy, one.baseline, difference(one.difference.mean), span, *numbers])


def _shares(one: Ranked) -> list[str]:
    return [
        f"**{share(value)}**" if number in one.best else share(value)
        for number, value in enumerate(one.topics)
    ]


def _span(interval: Interval) -> str:
    return f"{share(interval.low)} to {share(interval.high)}" if interval.is_known else "–"


def _head(names: Sequence[str]) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] + ["---:"] * (len(names) - 1))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(tidy(cell).replace("|", r"\|") for cell in cells) + " |"
