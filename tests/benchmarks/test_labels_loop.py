"""The study of labels in a loop crawls, labels and trains as the commands do, and counts by the truth."""

from __future__ import annotations

from statistics import fmean

import pytest

from benchmarks.harness import Report, results_of
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.labels_loop import ARMS, ROUNDS, Task, rows_of
from benchmarks.tables import Rows
from benchmarks.yardstick import measure


@pytest.fixture(scope="module")
def loop(tmp_path_factory, new_demo_web):
    """The rows of a topic of the demo web, made and read again."""
    folder = tmp_path_factory.mktemp("loop")
    (subject,) = subjects_of(new_demo_web(), "astronomy")
    task = Task("web", subject, next(iter(subject.seed_sets)))
    rows = rows_of(task, folder / "arms")
    assert rows_of(task, folder / "arms") == rows
    return Rows(rows)


def test_each_round_asks_as_much_of_both_arms(loop):
    """Fifteen pages a round, of both kinds in the end; without labels none."""
    for arm, queues in ARMS.items():
        rows = loop.where(arm=arm)
        asked = [row["yes"] + row["no"] for row in rows]
        assert asked == [sum(queues.values()) * number for number in range(1, ROUNDS + 1)]
        assert min(rows[-1]["yes"], rows[-1]["no"]) > 0
    (none,) = loop.where(arm="none")
    assert (none["yes"], none["no"]) == (0, 0)


def test_labels_make_model_and_crawl_better(loop):
    """Where words alone are rather good already."""
    last, (none,) = loop.where(arm="loop", round=ROUNDS)[0], loop.where(arm="none")
    rounds = [row["f1"] for row in loop.where(arm="loop")]
    assert fmean(rounds) > none["f1"] > 0.7  # one model of one topic may come out .1 lower, by chance
    assert last["area"] > none["area"] > 0.5
    (gain,) = loop.where(against="none", round=ROUNDS)
    assert gain["f1_gain"] == last["f1"] - none["f1"]


def test_figures_are_after_the_last_round(loop):
    """Of the loop beside as many random labels."""
    kinds = {"rounds": Rows(row for row in loop if "arm" in row)}
    kinds["gains"] = Rows(row for row in loop if "against" in row)
    _, figures = results_of(measure, Report(kinds))
    (last,) = loop.where(against="random", round=ROUNDS)
    assert figures == {
        "loop_f1_gain": pytest.approx(last["f1_gain"], abs=1e-6),
        "loop_area_gain": pytest.approx(last["area_gain"], abs=1e-6),
    }
