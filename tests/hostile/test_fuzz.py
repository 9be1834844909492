"""The fuzzer's targets: what each makes of its seeds, and of a few inputs made of them."""

from __future__ import annotations

from random import Random

import pytest

from tests.hostile.fuzz_targets import TARGETS
from tests.hostile.fuzzing import attempt, mutated


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_the_errors_of_the_docs(name: str) -> None:
    """The first seed can be read; of what is made of it comes an error that the docs name, if any."""
    target, random = TARGETS[name], Random(1)
    seeds = target.examples()
    target.read(seeds[0])
    number = 1 if target.is_slow else 15
    inputs = [*seeds, *(mutated(random.choice(seeds), target.words, seeds, random) for _ in range(number))]
    found = [(find.name, data[:200]) for data in inputs if (find := attempt(target, data)) is not None]
    assert found == []
