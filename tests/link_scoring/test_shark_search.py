"""Shark-Search: what a link inherits, and what stands around it."""

from __future__ import annotations

import math
from struct import Struct
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.shark_search import SharkSearchOptions
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector

MODEL = SimpleNamespace(
    vector=TopicVector({"robot": 1.0, "arm": 1.0}, {}, 1.0), midpoints=Midpoints(*[0.25] * 3)
)
ROBOT = 0.5**0.5  # similarity of "robot" alone
LINKS = [
    Link("http://a.example/", "robot", ["robot"], ["cake"], 0),
    Link("http://b.example/", "cake", ["cake"], ["robot", "arm"], 0),
    Link("http://c.example/", "", [], [], 0),
]


@pytest.fixture
def shark():
    return create("shark_search", MODEL, SharkSearchOptions(similarity="cosine"))


def page(relevance, path=None):
    return Page(
        "http://x.example/",
        "",
        "",
        Sections(),
        Outline(False),
        relevance=relevance,
        path=path,
        is_relevant=relevance >= 0.5,
    )


def test_potential_by_hand(shark):
    """Half of what is inherited, half of .8 anchor + .2 context, which is 1 where the anchor speaks."""
    inherited = 0.5 * 0.6
    neighbourhoods = [0.8 * ROBOT + 0.2, 0.8 * 0 + 0.2 * 1.0, 0.0]
    assert shark.score(page(0.6), LINKS) == pytest.approx([(inherited + near) / 2 for near in neighbourhoods])


def test_a_score_fades_over_irrelevant_pages(shark):
    """Each of them halves what its own parent handed down."""
    path = shark.path(page(0.8))
    for expected in (0.4, 0.2, 0.1, 0.05):
        nothing = page(0.3, path)
        assert shark.score(nothing, LINKS[2:]) == pytest.approx([expected / 2 / 2])
        path = shark.path(nothing)


def test_a_relevant_page_starts_anew(shark):
    """What it inherited itself is forgotten."""
    assert shark.path(page(0.5, shark.path(page(1.0)))) == shark.path(page(0.5))


def test_a_seed_has_no_ancestors(shark):
    """If it is not relevant it hands down nothing."""
    assert shark.score(page(0.4), LINKS[2:]) == [0.0]


@pytest.mark.parametrize(
    "path", [b"", b"abc", *map(Struct("<d").pack, (math.nan, math.inf, -1.0, 2.0))], ids=str
)
def test_what_is_no_score_hands_nothing_down(shark, path):
    """Whoever can write to a frontier may have put it there."""
    assert shark.score(page(0.4, path), LINKS) == shark.score(page(0.4), LINKS)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_however_long_the_way_priorities_are_shares(relevances):
    """In [0, 1], and what is handed down never grows."""
    shark = create("shark_search", MODEL)
    path = None
    for relevance in relevances:
        here = page(relevance, path)
        assert all(0.0 <= score <= 1.0 for score in shark.score(here, LINKS))
        path = shark.path(here)


def test_by_the_letter_any_page_hands_its_own_score_down():
    """A page that is not relevant, but above 0, hands down half of its relevance and nothing older."""
    options = SharkSearchOptions(similarity="cosine", inherits="positive")
    letter = create("shark_search", MODEL, options)
    older = letter.path(page(0.9))
    assert letter.score(page(0.2, older), LINKS)[2] == pytest.approx(0.5 * 0.5 * 0.2)
    assert letter.score(page(0.0, older), LINKS)[2] == pytest.approx(0.5 * 0.5 * 0.45)
