from __future__ import annotations

import pytest

from focused_crawler.report.sampling.precision import Count, find, majority, precision
from focused_crawler.report.sampling.sheet import JudgedSample, SheetStratum
from focused_crawler.report.sampling.terminal import conclusion


def judged(*judges, parts=None, strata="1"):
    """Sheets of so many pages as have strata named, one letter each."""
    pages = {number: (f"http://a/{number}", stratum) for number, stratum in enumerate(strata, 1)}
    parts = parts or {"1": SheetStratum(len(strata), 1000)}
    answers = [{page: answer for page, answer in enumerate(said, 1) if answer is not ...} for said in judges]
    return JudgedSample(pages, parts, dict(zip("abcdef", answers, strict=False)))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ([True, True, False], True),
        ([True, False, False], False),
        ([True, False], None),
        ([True, None, None], True),
        ([None, None, False], False),
        ([None, None], None),
        ([True, True, False, False, True], True),
    ],
)
def test_the_majority_is_of_those_who_decided(said, meant):
    """As many yes as no: undecided."""
    assert majority([{1: answer} for answer in said]) == {1: meant}


def test_pages_that_one_judge_left_out_count_by_the_others():
    """Those that nobody judged are in no majority."""
    assert majority([{1: True}, {2: False}, {}]) == {1: True, 2: False}


def test_all_pages_are_counted():
    """Relevant, not, undecided and blank add up to what was drawn, also where a row is gone."""
    sheets = judged([True, True, False, None, ...], strata="11111", parts={"1": SheetStratum(7, 1000)})
    verdict = find(sheets).majority
    assert verdict[:4] == (2, 1, 1, 3)
    assert sum(verdict[:4]) == find(sheets).drawn == 7


def test_what_is_open_says_how_far_it_could_go():
    """From none of it relevant to all of it."""
    verdict = find(judged([True] * 6 + [False] * 2 + [None, ...], strata="1" * 10)).majority
    assert (verdict.estimate.value, verdict.least, verdict.most) == pytest.approx((0.75, 0.6, 0.8))


def test_strata_weigh_as_in_the_crawl():
    """Also in the bounds of what is open."""
    parts = {"1": SheetStratum(2, 900), "2": SheetStratum(2, 100)}
    found = find(judged([True, False, True, None], strata="1122", parts=parts))
    counts = [Count(1, 2, 900), Count(1, 1, 100)]
    assert found.majority.estimate == precision(counts)
    assert (found.majority.least, found.majority.most) == pytest.approx((0.5, 0.55))
    assert [(part.name, part.judged, part.relevant) for part in found.strata] == [("1", 2, 1), ("2", 1, 1)]


def test_no_precision_while_a_stratum_is_not_judged():
    """Its pages would be left out, silently."""
    parts = {"1": SheetStratum(2, 900), "2": SheetStratum(2, 100)}
    found = find(judged([True, False], strata="1122", parts=parts))
    assert found.majority.estimate is None
    assert found.strata[1].estimate is None
    assert "no precision" in conclusion(found)


def test_each_judge_and_each_pair_is_there():
    """By name."""
    found = find(judged([True, False], [True, True], [False, True], strata="11"))
    assert [*found.judges] == ["a", "b", "c"]
    assert [(pair.first, pair.second, pair.agreed) for pair in found.pairs] == [
        ("a", "b", 1),
        ("a", "c", 0),
        ("b", "c", 1),
    ]
    assert found.alpha is not None


def test_one_judge_is_the_majority():
    """And agrees with nobody."""
    found = find(judged([True, False], strata="11"))
    assert found.majority == found.judges["a"]
    assert (found.pairs, found.alpha) == ([], None)


def test_the_conclusion_hides_nothing():
    """Precision, interval, and what is open."""
    found = find(judged([True] * 8 + [False, None], strata="1" * 10))
    assert conclusion(found) == (
        "10 pages drawn from 1,000: 88.9 % are relevant (95 % interval: 56.6 % to 98.0 %). 1 undecided,"
        " 0 not judged: counted as not relevant they make it 80.0 %, counted as relevant 90.0 %."
    )


def test_all_judgements_pooled_are_beside_the_majority():
    """By hand: 10 yes of 11; the majority has three pages, all relevant. A tie is told from indecision."""
    yes, no = True, False
    found = find(
        judged([yes] * 3 + [no, None], [yes] * 3 + [yes, None], [yes] * 3 + [..., ...], strata="1" * 5)
    )
    assert (found.ties, found.majority.undecided, found.majority.estimate.value) == (1, 2, 1.0)
    assert found.pooled.value == pytest.approx(10 / 11)
    assert "2 undecided (1 by a tie), 0 not judged" in conclusion(found)


def test_judges_who_always_agree_tell_no_more_than_one():
    """Pooling their judgements narrows no interval: judgements of one page are one draw."""
    said = [True] * 7 + [False] * 3
    one, four = find(judged(said, strata="1" * 10)), find(judged(*[said] * 4, strata="1" * 10))
    assert four.pooled == pytest.approx(one.majority.estimate)
    assert one.pooled == pytest.approx(one.majority.estimate)


def test_pooled_strata_weigh_as_in_the_crawl():
    """Whatever number of judgements each has; one without any leaves nothing to say."""
    parts = {"1": SheetStratum(2, 900), "2": SheetStratum(2, 100)}
    found = find(judged([True, False, True, True], [True, True, ..., ...], strata="1122", parts=parts))
    assert found.pooled.value == pytest.approx(0.9 * 3 / 4 + 0.1)
    assert find(judged([True, False], strata="1122", parts=parts)).pooled is None
