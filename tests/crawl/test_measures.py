from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.measures import HarvestRate, TargetRecall

URLS = st.sampled_from([f"http://site{n}.example/" for n in range(12)])


@given(st.lists(st.booleans(), min_size=1), st.data())
def test_a_corrected_page_counts_as_if_it_had_been_so(outcomes, data):
    """In all, and among the last: these told what another model had said."""
    position = data.draw(st.integers(1, len(outcomes)))
    rate = HarvestRate(windows=(2, 5))
    for relevant in outcomes:
        rate.record(relevant=relevant)
    was, outcomes[position - 1] = outcomes[position - 1], not outcomes[position - 1]
    rate.revise(position, was=was, relevant=not was)
    assert rate.relevant == sum(outcomes)
    assert rate.over_last(2) == sum(outcomes[-2:]) / len(outcomes[-2:])
    assert rate.over_last(5) == sum(outcomes[-5:]) / len(outcomes[-5:])


@given(st.sets(URLS, min_size=1), st.lists(URLS))
def test_recall_is_the_share_of_targets_fetched(targets, fetched):
    """Order, repetition and other pages do not matter."""
    recall = TargetRecall(targets, key=str)
    for url in fetched:
        recall.record(url)
    assert recall.value == len(targets & set(fetched)) / len(targets)
    assert (recall.found, recall.targets) == (len(targets & set(fetched)), len(targets))


@given(st.sets(URLS, min_size=1), st.lists(URLS))
def test_hits_are_counted_once(targets, fetched):
    """`record` says True exactly as often as recall rises."""
    recall = TargetRecall(targets, key=str)
    assert sum([recall.record(url) for url in fetched]) == recall.found


def test_a_target_is_missing_until_it_is_met():
    """Any other page never is."""
    recall = TargetRecall(["http://a.example/", "http://b.example/"], key=str)
    recall.record("http://a.example/")
    missing = [url for url in "abc" if recall.is_missing(f"http://{url}.example/")]
    assert missing == ["b"]


def test_the_key_decides_what_is_one_page():
    """Two spellings of one address are one target."""
    recall = TargetRecall(
        ["http://A.example/", "https://a.example"], key=lambda url: url.lower().strip("/")[-9:]
    )
    assert recall.targets == 1
    assert recall.record("http://a.example/")


def test_without_targets_there_is_no_recall():
    """A recall of nothing is an error, not 0 or 1."""
    with pytest.raises(ValueError, match="at least one target"):
        TargetRecall([], key=str)
