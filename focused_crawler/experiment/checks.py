"""What must be so in every experiment, whatever the strategies are: else the bench itself is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

import numpy as np

from focused_crawler.experiment.measures import area
from focused_crawler.experiment.results import Run, Setting
from focused_crawler.virtualweb.bounds import Bounds

CONTROLS = RANDOM, CONTROL = "random", "shuffled"
"""Strategies without information; the second has the scores of a real one, on the wrong links."""

NEAR = 0.15
"""The areas of the two, as shares of the upper bound's, differ by no more than this on any topic."""

FEWEST = 3
"""Seed sets of a topic without which that is not asked: a single blind crawl may be lucky."""


def violations(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> list[str]:
    """Return a line for each run above its upper bound and topic whose control is not near random."""
    return [*_above(runs, bounds), *_informed(runs, bounds)]


def _above(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Iterator[str]:
    for run in runs:
        page = above_bound(run, bounds[run.case.setting])
        if page is not None:
            yield f"{run.case.name} has more relevant pages than possible, from page {page} on"


def above_bound(run: Run, limit: Bounds) -> int | None:
    """Return the first n of a run with more relevant pages than any crawl can have; None if there is none."""
    last = min(run.budget, len(limit.upper) - 1)
    above = np.flatnonzero(run.relevant(last) > limit.upper[: last + 1])
    return int(above[0]) if len(above) else None


def _informed(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Iterator[str]:
    measure = area()
    areas: dict[tuple[str, str], dict[str, list[float]]] = {}
    for run in runs:
        case = run.case
        if case.strategy in CONTROLS:
            found = areas.setdefault((case.web, case.topic), {})
            found.setdefault(case.strategy, []).append(measure(run, bounds[case.setting]))
    for (web, topic), found in areas.items():
        if len(found) < 2 or len(found[RANDOM]) < FEWEST:
            continue
        control, chance = mean(found[CONTROL]), mean(found[RANDOM])
        if abs(control - chance) > NEAR:
            yield (
                f"{web}/{topic}: {CONTROL} has {control:.2f} of the upper bound's area, {RANDOM} has"
                f" {chance:.2f}; both know nothing and should be near each other"
            )
