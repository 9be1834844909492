"""What each strategy says of the same small page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.lpe import LpeOptions
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Block, Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector

# Similarities by hand: the topic is robot and arm in equal parts, every term has idf 1.
MODEL = SimpleNamespace(
    vector=TopicVector({"robot": 1.0, "arm": 1.0}, {}, 1.0), midpoints=Midpoints(*[0.25] * 3)
)
ROBOT = 0.5**0.5  # of "robot" alone

RELEVANT = Block(["robot", "arm"])  # 1.0
IRRELEVANT = Block(["cake", "news", "soup", "salad", "robot"])  # ROBOT / 5 ** 0.5 = 0.32
LINKS = [
    Link("http://a.example/", "cake", ["cake"], [], 0),
    Link("http://b.example/", "robot arm", ["robot", "arm"], ["robot", "cake"], 1),
    Link("http://c.example/", "cake", ["cake"], ["robot", "arm"], 1),
    Link("http://d.example/", "", [], [], 1),
]
PAGE = Page("http://x.example/", "", "", Sections(), Outline(False), "", [RELEVANT, IRRELEVANT], LINKS)
PAGE.relevance, PAGE.depth = 0.4, 1


def scores(name: str, threshold: float = 0.5, beta: float = 0.5) -> list[float | None]:
    options = {"threshold": threshold, "similarity": "cosine"}
    given = LpeOptions(**options, beta=beta) if name.startswith("lpe") else StrategyOptions(**options)
    return list(create(name, MODEL, given).score(PAGE, LINKS))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("breadth_first", [1 / 3] * 4),
        ("best_first_content", [0.4, 0.4, 0.4, 0.4]),
        ("best_first_anchor", [0, 1, 0, 0]),
        ("best_first_content_anchor", [0.2, 0.7, 0.2, 0.2]),
        ("link_context", [0, 0.5, 1, 0]),
        ("cbp", [1, None, None, None]),
        ("lpe", [1, 0.75, None, None]),
        ("lpe_soft", [0.2, (0.4 + 0.75**0.5) / 2, 0.2, 0.2]),
    ],
)
def test_priorities(name, expected):
    """The papers' formulas, worked out by hand."""
    assert scores(name) == [None if value is None else pytest.approx(value) for value in expected]


def test_calibrated_similarity_is_a_half_at_the_midpoint():
    """Calibration turns a cosine s into s / (s + midpoint): the order stays."""
    scorer = create("best_first_anchor", MODEL)
    assert scorer.score(PAGE, LINKS) == pytest.approx([0, 1 / 1.25, 0, 0])
    scorer = create("cbp", MODEL)
    weak = ROBOT / 5**0.5
    assert scorer.score(PAGE, LINKS) == pytest.approx([1 / 1.25] + 3 * [weak / (weak + 0.25)])


def test_beta_weighs_the_anchor():
    """JFE with beta 1 is the anchor alone, with 0 the context alone."""
    assert scores("lpe", beta=1)[1:] == [pytest.approx(1), None, None]
    assert scores("lpe", beta=0, threshold=0.4)[1:] == [pytest.approx(0.5), pytest.approx(1), None]
    assert scores("lpe", beta=0.2)[1] == pytest.approx(0.2 * 1 + 0.8 * 0.5)


def test_a_similarity_at_the_threshold_is_not_above_it():
    """The paper asks for more than the threshold, of blocks and of links."""
    assert scores("cbp", threshold=1.0) == [None] * 4
    assert scores("lpe", threshold=0.75)[1] is None


def test_threshold_below_all_follows_every_relevant_block():
    """With a threshold of 0 a block counts as soon as it has one word of the topic."""
    block = ROBOT / 5**0.5
    assert scores("cbp", threshold=0.0) == pytest.approx([1, block, block, block])
    assert scores("lpe", threshold=0.0) == pytest.approx([1, block, block, block])


@pytest.mark.parametrize(("name", "highest"), [("lpe", 1), ("lpe_soft", 0.7)])
def test_a_link_met_twice_keeps_its_highest_priority(name, highest):
    """Its place in a relevant block counts, wherever else it stands."""
    twice = [
        Link("http://a.example/", "robot arm", ["robot", "arm"], [], 1),
        Link("http://a.example/", "robot arm", ["robot", "arm"], [], 0),
    ]
    scorer = create(name, MODEL, LpeOptions(similarity="cosine"))
    assert list(scorer.score(PAGE, twice)) == pytest.approx([highest, highest])


def test_soft_evaluation_by_the_letter():
    """Each link keeps the priority that LPE found, also where LPE would not follow it."""
    options = LpeOptions(similarity="cosine", soft="links")
    soft = create("lpe_soft", MODEL, options).score(PAGE, LINKS)
    assert list(soft) == pytest.approx([1, 0.75, 0.5, 0])


def test_soft_evaluation_parts_the_links_of_a_relevant_block():
    """LPE gives them one priority; the anchor's words and the page's relevance say which leave first."""
    links = [Link(f"http://{word}.example/", word, [word], [], 0) for word in ("robot", "cake")]
    options = LpeOptions(similarity="cosine")
    assert list(create("lpe", MODEL, options).score(PAGE, links)) == pytest.approx([1, 1])
    soft = create("lpe_soft", MODEL, options).score(PAGE, links)
    assert list(soft) == pytest.approx([(0.4 + ROBOT**0.5) / 2, 0.2])


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_breadth_first_goes_level_by_level(one, other):
    """A deeper page's links come later, never at 0; those of a seed come after the seeds, which have 1."""
    scorer = create("breadth_first", MODEL)

    def priority(depth: int) -> float:
        page = Page("http://x.example/", "", "", Sections(), Outline(False), depth=depth)
        (score,) = scorer.score(page, LINKS[:1])
        return score

    assert 0 < priority(one) <= priority(0) < 1
    assert (priority(one) > priority(other)) == (one < other)


def test_each_block_and_wording_is_looked_at_once():
    """Similarities cost the time of scoring: a menu's "more" is compared once a page."""
    seen = []

    def similarity(terms):
        seen.append(tuple(terms))
        return 0.0

    model = SimpleNamespace(vector=SimpleNamespace(similarity=similarity), midpoints=Midpoints(*[0.25] * 3))
    create("lpe", model).score(PAGE, LINKS * 3)
    assert seen.count(("cake",)) == 1
    assert (
        seen.count(tuple(RELEVANT.terms)) == 1 + 1 + 3
    )  # a block, an anchor, and the contexts of a link met thrice
    assert seen.count(tuple(IRRELEVANT.terms)) == 1
