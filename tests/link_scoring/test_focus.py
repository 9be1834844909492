"""What a taxonomy says of a page decides over its links."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.focus import HardFocus
from focused_crawler.link_scoring.registry import STRATEGIES, create, needs_focus
from focused_crawler.page.model import Focus, Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from tests.small_taxonomy import small_page, small_taxonomy

MODEL = SimpleNamespace(vector=TopicVector({}, {}, 1.0), midpoints=Midpoints(*[0.25] * 3))
GOOD = Focus(0.75, "sky/stars", is_good=True)
POOR = Focus(0.25, "sports/football", is_good=False)
NEAR = Focus(0.625, "sports/football", is_good=False)  # two good leaves together outweigh the best one


class Own(HardFocus):
    """A user's own strategy, after ours."""


def scored(name, focus, links=2):
    """Return the priorities of a page's links."""
    found = [Link(f"http://example.org/{number}", "", [], [], 0) for number in range(links)]
    page = Page("http://example.org/", "", "", Sections(), Outline(False), links=found, focus=focus)
    return list(create(name, MODEL).score(page, page.links))


@pytest.mark.parametrize(
    ("name", "focus", "priorities"),
    [
        ("soft_focus", GOOD, [0.75, 0.75]),
        ("soft_focus", POOR, [0.25, 0.25]),
        ("soft_focus", NEAR, [0.625, 0.625]),
        ("hard_focus", GOOD, [0.75, 0.75]),
        ("hard_focus", POOR, [None, None]),
        ("hard_focus", NEAR, [None, None]),
        ("least_loaded", None, [0.5, 0.5]),
        ("least_loaded", GOOD, [0.5, 0.5]),
    ],
)
def test_links_have_what_their_page_has(name, focus, priorities):
    """R(d); nothing leads on from a page whose best category is not good; least_loaded asks nobody."""
    assert scored(name, focus) == priorities


@pytest.mark.parametrize(("text", "is_followed"), [("star galaxy", True), ("planet moon", False)])
def test_a_mark_is_for_what_is_below_it(text, is_followed):
    """Marking the parent makes its other child good as well, and R no smaller."""
    model, page = small_taxonomy(), small_page(text)
    narrow, broad = model.judge(page, {"sky/stars"}), model.judge(page, {"sky"})
    assert (scored("hard_focus", narrow) != [None, None]) is is_followed
    assert scored("hard_focus", broad) == [broad.relevance] * 2
    assert broad.relevance >= narrow.relevance


def test_who_needs_a_taxonomy():
    """Two of ours, and what a user makes of them."""
    assert [name for name in STRATEGIES if needs_focus(name)] == ["hard_focus", "soft_focus"]
    extra = {"own": f"{__name__}.Own", "soft_focus": "focused_crawler.link_scoring.lpe.ContentBlocks"}
    assert needs_focus("own", extra)
    assert not needs_focus("soft_focus", extra)  # a user's name wins over ours
    assert not needs_focus("nobody")
