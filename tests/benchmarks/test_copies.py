"""The benchmark of near-duplicates counts right: what is so, what is called so."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.studies.copies import Text, examine, mirrored, resemblance


def words(seed, count=400):
    chance = Random(seed)
    return [f"word{chance.randrange(9000)}" for _ in range(count)]


def test_copies_are_counted():
    """Among forty texts of their own are two verbatim copies, one nearly so, and one half rewritten."""
    texts = [Text(f"own {number}", words(number)) for number in range(40)]
    texts += [Text("copy", words(3)), Text("short", words(3)[:20]), Text("again", words(3))]
    texts += [Text("banner", ["monday", *words(7)]), Text("half", [*words(8)[:200], *words(99)[:200]])]
    found, pairs = examine("made up", texts)
    assert (found["texts"], found["called"], found["falsely"], len(pairs)) == (44, 3, 0, 3)
    assert [found[name] for name in ("copies", "close", "verbatim")] == [3, 3, 2]
    assert [found[f"{name}_found"] for name in ("copies", "close", "verbatim")] == [3, 3, 2]
    assert (found["false_rate"], found["copies_recall"]) == (0, 1)


def test_resemblance_is_of_runs_of_three():
    """Of six runs in all, two are in both."""
    assert resemblance([*"abcdxy"], [*"abcdzw"]) == pytest.approx(2 / 6)


def test_mirrors_that_change_little_are_found():
    """One more line is found always; five words in a hundred, wherever they are, are too many."""
    shares = mirrored([Text(f"own {number}", words(number)) for number in range(50)])
    assert shares["another banner and date"] == 1.0
    assert shares["2% of the words in one place"] > shares["5% of the words everywhere"] == 0.0
