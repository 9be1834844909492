"""What an experiment came to, read back from the tables that it wrote: ranking, differences, curves."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focused_crawler.experiment.folder import ABOUT
from focused_crawler.experiment.measures import Setting, Values
from focused_crawler.experiment.ranking import baselines
from focused_crawler.experiment.statistics import Interval, StrategyComparison, compare, intervals
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.printable import place

_MOST_BYTES = 50_000_000
AREA = "area_upper_1"
"""The column by which strategies are ranked."""


class RankedStrategy(NamedTuple):
    """A strategy, with its area under R(n) up to |T| as a share of the upper bound's."""

    name: str
    area: Interval
    curve: tuple[float, ...]  # mean target recall at each per cent of the budget


@dataclass(frozen=True, slots=True)
class ExperimentOutcome:
    """An experiment that has ended."""

    strategies: tuple[RankedStrategy, ...]  # the best first
    comparisons: tuple[StrategyComparison, ...]
    settings: int
    topics: int
    left_out: int  # settings in which not every strategy was run
    judges: tuple[str, ...]


def is_experiment(folder: Path) -> bool:
    """Tell whether a folder holds an experiment that has written its tables."""
    return all((folder / name).is_file() for name in (ABOUT, "summary.csv", "results.csv"))


def read_outcome(folder: Path) -> ExperimentOutcome:
    """Read what an experiment came to; raises CrawlError with what would be right."""
    if not is_experiment(folder):
        raise CrawlError(f"{place(folder)} holds no experiment that has ended; scrapy experiment makes one")
    try:
        json.loads((folder / ABOUT).read_bytes())
        summary, results = (_rows(folder / name) for name in ("summary.csv", "results.csv"))
        areas = {(_setting(row), row["strategy"]): _number(row[AREA]) for row in summary}
        values, left_out = _values(areas)
        curves = _curves(results, {*values.settings})
        judges = sorted({row["judged_by"] for row in summary})
    except (OSError, ValueError, KeyError) as error:
        raise CrawlError(f"{place(folder)}: its tables cannot be read ({error}); make them again") from None
    means = intervals(values)
    names = values.ranking()
    return ExperimentOutcome(
        strategies=tuple(RankedStrategy(name, means[name], curves[name]) for name in names),
        comparisons=tuple(compare(values, *baselines(names))) if len(names) > 1 else (),
        settings=len(values.settings),
        topics=len({(setting.web, setting.topic) for setting in values.settings}),
        left_out=left_out,
        judges=tuple(judges),
    )


def _rows(path: Path) -> list[dict[str, str]]:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{path.name} is larger than {_MOST_BYTES:,} bytes")
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))


def _setting(row: Mapping[str, str]) -> Setting:
    return Setting(row["web"], row["topic"], row["seed_set"])


def _number(text: str) -> float:
    return float(text) if text else float("nan")


def _values(areas: Mapping[tuple[Setting, str], float]) -> tuple[Values, int]:
    """Return the areas of the settings in which every strategy was run and something could be found."""
    strategies = tuple(sorted({strategy for _, strategy in areas}))
    everywhere = sorted({setting for setting, _ in areas})
    whole = [
        setting
        for setting in everywhere
        if not any(np.isnan(areas.get((setting, name), np.nan)) for name in strategies)
    ]
    if not whole:
        raise ValueError("no setting has all strategies")
    rows = [[areas[setting, strategy] for setting in whole] for strategy in strategies]
    return Values(strategies, tuple(whole), np.array(rows)), len(everywhere) - len(whole)


def _curves(rows: list[dict[str, str]], settings: set[Setting]) -> dict[str, tuple[float, ...]]:
    """Return each strategy's mean target recall at each step of the budget: over topics, then seed sets."""
    runs: dict[tuple[str, str, str], list[list[float]]] = defaultdict(list)
    last: tuple[str, ...] = ()
    for row in rows:
        setting = _setting(row)
        if setting not in settings:
            continue
        case = (*setting, row["strategy"])
        group = runs[row["strategy"], setting.web, setting.topic]
        if case != last:
            group.append([])
            last = case
        group[-1].append(float(row["target_recall"]))
    topics: dict[str, list[np.typing.NDArray[np.float64]]] = defaultdict(list)
    for (strategy, *_), curves in runs.items():
        topics[strategy].append(np.mean(np.array(curves), axis=0))
    return {name: tuple(np.mean(np.array(curves), axis=0).tolist()) for name, curves in topics.items()}
