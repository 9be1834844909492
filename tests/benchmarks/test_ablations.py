"""What is left out of the order that learns is there, and comes back."""

from __future__ import annotations

import pytest

from benchmarks.studies.ablations import LEFT_OUT, WHOLE, changed


@pytest.mark.parametrize("part", LEFT_OUT)
def test_a_part_is_left_out_for_a_while(part: str) -> None:
    """Each names what the order has."""
    before = {(owner, name): getattr(owner, name) for owner, name in LEFT_OUT[part]}
    with changed(LEFT_OUT[part]):
        without = {(owner, name): getattr(owner, name) for owner, name in before}
    assert without == LEFT_OUT[part]
    assert part == WHOLE or all(without[one] != before[one] for one in before)
    assert {(owner, name): getattr(owner, name) for owner, name in before} == before
