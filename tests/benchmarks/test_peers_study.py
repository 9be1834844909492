"""What the policies of other crawlers are compared by."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.peers import OURS, POLICIES, area_of
from benchmarks.tables import Rows
from focused_crawler.link_scoring.registry import OPTIONS, STRATEGIES
from focused_crawler.safety.settings import defaults
from focused_crawler.virtualweb.bounds import Bounds


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_a_strategy_with_something_else_than_its_defaults(name: str) -> None:
    """Or without anything else, by its own name."""
    strategy, settings, constants = POLICIES[name]
    assert strategy in STRATEGIES
    assert (name == strategy) is not bool(settings or constants)
    assert all(defaults(*OPTIONS)[key] != value for key, value in settings.items())
    assert all(getattr(owner, key) != value for (owner, key), value in constants.items())
    assert next(iter(POLICIES)) == OURS


def test_the_area_of_a_crawl_that_ended_early_goes_on_level() -> None:
    """Four relevant pages, of which it finds the second and third at once, and no more."""
    best = Bounds(4, np.arange(5), np.arange(5), np.arange(5))
    assert area_of(np.array([True, True]), best) == (1 + 2 + 2 + 2) / (1 + 2 + 3 + 4)
    assert area_of(np.ones(9, np.bool_), best) == 1.0


def test_the_worst_topic_is_the_one_whose_runs_are_worst_in_the_mean() -> None:
    """Not that of the worst run."""
    areas = (("a", 0.1), ("a", 0.9), ("b", 0.4), ("b", 0.4))
    assert Rows({"topic": topic, "area": area} for topic, area in areas).value("area.worst_topic") == 0.4
