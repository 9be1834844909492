"""What must be so in every experiment, whatever the strategies are: else the bench itself is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import NamedTuple, TypeAlias

import numpy as np

from focused_crawler.experiment.measures import Run, Setting, WebTopic, area
from focused_crawler.virtualweb.bounds import Bounds

CONTROLS = RANDOM, CONTROL = "random", "shuffled"
"""Strategies without information; the second has the scores of a real one, on the wrong links."""

NEAR = 0.15
"""The areas of the two, as shares of the upper bound's, differ by no more than this on any topic."""

FEWEST = 3
"""Seed sets of a topic without which that is not asked: a single blind crawl may be lucky."""


Areas: TypeAlias = dict[WebTopic, dict[str, list[float]]]  # by control, one a seed set


class Checks(NamedTuple):
    """What was asked of the runs, and what came out."""

    violations: list[str]  # a line for each run above its upper bound, and topic whose control is not near
    answers: list[str]  # a sentence for each question: its answer, or why it was not asked


def check(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Checks:
    """Ask whether any run is above its upper bound, and whether the controls are near each other."""
    above = list(_above(runs, bounds))
    areas = _areas(runs, bounds)
    asked = {topic: found for topic, found in areas.items() if min(map(len, found.values())) >= FEWEST}
    informed = list(_informed(asked))
    bounded = f"Above the upper bound: {len(above)} of {len(runs)} runs."
    return Checks(
        [*above, *informed],
        [bounded if above else "No run is above the upper bound.", _on_controls(areas, asked, informed)],
    )


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


def _areas(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Areas:
    """Return the areas of both controls, by topic, where both ran."""
    measure = area()
    areas: Areas = {}
    for run in runs:
        case = run.case
        if case.strategy in CONTROLS:
            found = areas.setdefault(WebTopic(case.web, case.topic), {})
            found.setdefault(case.strategy, []).append(measure(run, bounds[case.setting]))
    return {topic: found for topic, found in areas.items() if len(found) == len(CONTROLS)}


def _informed(areas: Areas) -> Iterator[str]:
    for (web, topic), found in areas.items():
        control, chance = mean(found[CONTROL]), mean(found[RANDOM])
        if abs(control - chance) > NEAR:
            yield (
                f"{web}/{topic}: {CONTROL} has {control:.2f} of the upper bound's area, {RANDOM} has"
                f" {chance:.2f}; both know nothing and should be near each other"
            )


def _on_controls(areas: Areas, asked: Areas, informed: Sequence[str]) -> str:
    if not areas:
        return f"Controls: not run ({CONTROL} and {RANDOM})."
    if not asked:
        return f"Controls: not asked, fewer than {FEWEST} seed sets."
    few = len(areas) - len(asked)
    rest = f"; not asked on {few}, with fewer than {FEWEST} seed sets" if few else ""
    near = f"{len(asked) - len(informed)} of {len(asked)}"
    return f"Controls: {CONTROL} is near {RANDOM} on {near} topics{rest}."
