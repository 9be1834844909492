"""The plateau begins where ten searches bring hardly a relevant page more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.experiment.plateau import GAIN, WINDOW, Plateau, PlateauJudge, Step, steps_of
from focused_crawler.topic.topic import Topic
from tests.discovery.shelf import answer

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
JUDGE = PlateauJudge(lambda result: True, "ground truth")


def plateau(tmp_path, *gains):
    """What searches brought, each so many relevant pages."""
    steps, relevant = [], 0
    for number, gain in enumerate(gains, start=1):
        relevant += gain
        steps.append(Step(number, f"query {number}", 10, gain, gain, relevant, relevant))
    return Plateau(Topic("rust", tmp_path), "local", 10, JUDGE, steps)


def test_a_page_counts_once():
    """However often, and in whatever spelling, it is found."""
    steps = steps_of(
        [answer("one", A, B), answer("two", "http://www.a.example", C, C), answer("three", "x:y")],
        lambda result: "b." not in result.url,
    )
    assert [(step.results, step.new, step.new_relevant, step.pages, step.relevant) for step in steps] == [
        (2, 2, 1, 2, 1),
        (3, 1, 1, 3, 2),
        (1, 0, 0, 3, 2),
    ]


@pytest.mark.parametrize(
    ("gains", "begins"),
    [
        ([5] * 30, None),  # as many as ever
        ([5] * 4 + [0] * WINDOW, 4),
        ([5] * 4 + [0] * (WINDOW - 1), None),  # nobody has looked far enough
        ([20] + [0] * (WINDOW - 1) + [1], None),  # 1 of 20 is 5 %: not less
        ([21] + [0] * (WINDOW - 1) + [1], 1),
        ([0] * 40, None),  # nothing is no plateau
        ([0] * 5 + [8] + [0] * 20, 6),
        ([], None),
    ],
    ids=["growing", "flat", "short", "at the limit", "below it", "nothing", "late", "none"],
)
def test_where_it_begins(tmp_path, gains, begins):
    """By hand."""
    assert plateau(tmp_path, *gains).begins == begins


@given(st.lists(st.integers(0, 9), max_size=60))
def test_the_rule_holds_there_and_nowhere_before(tmp_path_factory, gains):
    """Less than 5 % more in the next ten searches, for the first time."""
    found = plateau(tmp_path_factory.getbasetemp(), *gains)
    totals = [step.relevant for step in found.steps]
    flat = [
        number
        for number in range(1, len(totals) - WINDOW + 1)
        if totals[number - 1] and totals[number - 1 + WINDOW] - totals[number - 1] < GAIN * totals[number - 1]
    ]
    assert found.begins == (flat[0] if flat else None)


def test_it_is_told_in_words(tmp_path):
    """In one line, with who judged."""
    assert str(plateau(tmp_path, 5, 4, *[0] * 10)) == (
        "12 searches found 9 pages, 9 of them relevant (by ground truth)."
        " The plateau begins after 2 searches, with 9 relevant."
    )
    assert str(plateau(tmp_path, 1)) == (
        "1 search found 1 page, 1 of them relevant (by ground truth). No plateau within these."
    )
