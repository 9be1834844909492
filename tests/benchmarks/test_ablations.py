"""The study of ablations crawls by strategies that anybody can run."""

from __future__ import annotations

import pytest

from benchmarks.studies.ablations import strategies_of


def test_each_part_is_a_strategy() -> None:
    """Beside the whole order, to which all are compared."""
    assert strategies_of(["hosts", " words"]) == ("adaptive", "without:hosts", "without:words")


def test_a_part_that_is_none_ends_the_study_at_once() -> None:
    """Before anything is trained, in one line."""
    with pytest.raises(SystemExit, match=r"^adaptive has no part 'hots'; did you mean hosts\? Else"):
        strategies_of(["hots"])
