"""What must be so in every experiment, whatever the strategies are: else the bench itself is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import NamedTuple, TypeAlias

import numpy as np

from focused_crawler.experiment.measures import Run, Setting, WebTopic, area
from focused_crawler.link_scoring.registry import SHUFFLED, scored_by
from focused_crawler.safety.formats import plural
from focused_crawler.virtualweb.bounds import Bounds

RANDOM = "random"
"""The control that has no scores; all others have those of a real strategy, on the wrong links."""

NEAR = 0.15
"""By so much of the upper bound's area may another control be above it on a topic.

It may be below by any: equal scores go to the server asked least, which is no random order.
"""

FEWEST = 3
"""Seed sets of a topic without which that is not asked: a single blind crawl may be lucky."""


Areas: TypeAlias = dict[tuple[WebTopic, str], tuple[list[float], list[float]]]
"""By topic and control, one a seed set: of the control, and of random order."""


class Checks(NamedTuple):
    """What was asked of the runs, and what came out."""

    violations: list[str]  # a line for each run above its upper bound, and control above random order
    answers: list[str]  # a sentence for each question: its answer, or why it was not asked


def check(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Checks:
    """Ask whether any run is above its upper bound, and any control above random order."""
    above = list(_above(runs, bounds))
    areas = _areas(runs, bounds)
    asked = {one: found for one, found in areas.items() if min(map(len, found)) >= FEWEST}
    informed = list(_informed(asked))
    bounded = f"Above the upper bound: {len(above)} of {plural(len(runs), 'run')}."
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


def is_control(strategy: str) -> bool:
    """Tell whether a strategy is none: it knows nothing, or what it knows is said of the wrong links."""
    return strategy == RANDOM or scored_by(strategy) != strategy


def _areas(runs: Sequence[Run], bounds: Mapping[Setting, Bounds]) -> Areas:
    """Return the areas of the controls beside random order, where both ran."""
    measure = area()
    found: dict[tuple[WebTopic, str], list[float]] = {}
    for run in runs:
        case = run.case
        if is_control(case.strategy):
            key = WebTopic(case.web, case.topic), case.strategy
            found.setdefault(key, []).append(measure(run, bounds[case.setting]))
    chance = {topic: areas for (topic, control), areas in found.items() if control == RANDOM}
    return {
        (topic, control): (areas, chance[topic])
        for (topic, control), areas in found.items()
        if control != RANDOM and topic in chance
    }


def _informed(areas: Areas) -> Iterator[str]:
    for ((web, topic), control), found in areas.items():
        dealt, chance = map(mean, found)
        if dealt > chance + NEAR:
            yield (
                f"{web}/{topic}: {control} has {dealt:.2f} of the upper bound's area, {RANDOM} has"
                f" {chance:.2f}; its scores are on the wrong links, so something else tells it the way, or"
                " chance did: see what another --random-seed says"
            )


def _on_controls(areas: Areas, asked: Areas, informed: Sequence[str]) -> str:
    if not areas:
        return f"Controls: not run ({SHUFFLED} and {RANDOM})."
    if not asked:
        return f"Controls: not asked, fewer than {FEWEST} seed sets."
    few = len(areas) - len(asked)
    rest = f"; not asked on {few}, with fewer than {FEWEST} seed sets" if few else ""
    names = ", ".join(dict.fromkeys(control for _, control in asked))
    near = f"{len(asked) - len(informed)} of {len(asked)}"
    return f"Controls: no better than {RANDOM} on {near} topics ({names}){rest}."
