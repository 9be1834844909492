"""Wordings found in one pass."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.topic.thesaurus.scoring import Matcher

WORDS = st.sampled_from(["a", "ab", "b", "c", "ü", "日本", ""])
TERMS = st.lists(WORDS, max_size=12)
KEYS = st.lists(
    st.lists(WORDS, min_size=1, max_size=4).map(tuple).filter(lambda key: key[0] and key[-1]),
    unique=True,
    max_size=6,
)


def by_hand(keys, terms):
    """Return the same by looking at every wording at every word: the longest, then on behind it."""
    found, position = Counter(), 0
    while position < len(terms):
        here = [key for key in keys if tuple(terms[position : position + len(key)]) == key]
        if here:
            longest = max(here, key=len)
            found[keys.index(longest)] += 1
            position += len(longest)
        else:
            position += 1
    return found


@given(st.lists(KEYS, max_size=3), st.lists(TERMS, max_size=3))
@settings(deadline=None)
def test_it_finds_what_a_reader_finds(facets, runs):
    """Of each facet: whole words, the longest from the leftmost on, none in another, none over two runs."""
    by_facet = [sum((by_hand(keys, terms) for terms in runs), Counter()) for keys in facets]
    assert Matcher(*facets).count(*runs) == {number: found for number, found in enumerate(by_facet) if found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steel", {0: 1}),
        ("stainless steel pipe", {1: 1}),
        ("stainless pipe steel", {0: 1}),
        ("steel steel steel", {0: 3}),
        ("stainless steel steel", {0: 1, 1: 1}),
        ("steely stainlesssteel", {}),
        ("hull  steel", {2: 1}),
        ("hull steel", {0: 1}),
    ],
)
def test_the_longest_wording_wins(text, expected):
    """Where a narrow one stands, the broad one within it is not counted; two spaces are a stop word."""
    matcher = Matcher([("steel",), ("stainless", "steel"), ("hull", "", "steel")])
    assert matcher.count(text.split(" ")).get(0, {}) == expected


def test_facets_hide_nothing_from_each_other():
    """Each is matched by itself: a longer wording of one stands over a shorter one of another."""
    matcher = Matcher([("zinc", "coat")], [("zinc",)], [("coat", "steel"), ("zinc",)])
    assert matcher.count(["zinc", "coat", "steel"]) == {0: {0: 1}, 1: {0: 1}, 2: {0: 1, 1: 1}}
    assert matcher.count(["coat", "steel"]) == {2: {0: 1}}


def test_runs_are_apart():
    """What ends one section and begins the next makes no wording."""
    matcher = Matcher([("stainless", "steel")])
    assert not matcher.count(["stainless"], ["steel"])
    assert matcher.count(["stainless", "steel"], [], ["stainless", "steel"]) == {0: {0: 2}}


def test_a_matcher_goes_to_another_process():
    """It is sent as its wordings, and made there."""
    matcher = pickle.loads(pickle.dumps(Matcher([("hot", "dip"), ("zinc",)])))
    assert matcher.count(["zinc", "hot", "dip"]) == {0: {0: 1, 1: 1}}


def test_without_wordings_nothing_is_found():
    """An empty thesaurus is no error, nor an empty facet."""
    assert not Matcher().count(["steel"], [])
    assert not Matcher([]).count(["steel"], [])
