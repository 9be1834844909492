"""The strategy `thesaurus`; the laws of all strategies hold it as well."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.classify.page_classifiers import WINDOW, ThesaurusClassifier
from focused_crawler.link_scoring.registry import create, notes_windows
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.scoring import HALF_POINT, ThesaurusScorer

ANALYZER = Analyzer("en")
THESAURUS = Thesaurus((Facet("f", (Entry("steel", (), (Entry("hot dip galvanizing"),)), Entry("zinc"))),))
MODEL = SimpleNamespace(
    vector=TopicVector({}, {}, 1.0),
    midpoints=Midpoints(*[0.1] * 3),
    language="en",
    thesaurus=lambda: THESAURUS,
)
SCORER = ThesaurusScorer(THESAURUS, ANALYZER)


@pytest.fixture
def strategy():
    return create("thesaurus", MODEL)


def link(anchor, context="", url="https://x.example/"):
    return Link(url, anchor, ANALYZER.terms(anchor), ANALYZER.terms(context), 0)


def page(relevance, *links):
    return Page(
        "https://x.example/", "", "", Sections(), Outline(False), links=list(links), relevance=relevance
    )


def test_a_priority_by_hand(strategy):
    """The mean of the page's relevance and of x / (x + 0.6), x = score of the anchor + 0.3 of the URL's."""
    known = link("steel", url="https://zinc.example/zinc")
    score = SCORER.text(ANALYZER.terms("steel")) + 0.3 * SCORER.text(["zinc"])
    found = strategy.score(page(0.4, known), [known, link("cake")])
    assert found == pytest.approx([(0.4 + score / (score + HALF_POINT)) / 2, 0.2])


def test_narrow_entries_lead_on_better(strategy):
    """The link with the deepest words comes first, then one with a broad word, then others."""
    links = [
        link("cake"),
        link("zinc"),
        link("hot-dip galvanizing"),
        link("more", url="https://x.example/zinc"),
    ]
    scores = strategy.score(page(0.5, *links), links)
    assert sorted(range(4), key=lambda number: -scores[number]) == [2, 1, 3, 0]


def test_windows_travel_with_links(strategy):
    """Each link notes the score of its anchor with the words around it, which the page behind it counts."""
    links = [link("more", "our hot dip galvanizing"), link("zinc"), link("cake")]
    paths = strategy.paths(page(0.5, *links), links)
    expected = [SCORER.text(found.window) for found in links]
    assert [WINDOW.unpack(path)[0] for path in paths] == pytest.approx(expected)
    assert expected[0] > expected[1] > expected[2] == 0
    judge = ThesaurusClassifier(SCORER, reads_path=True)
    behind = [Page("", "", "", Sections(), Outline(False), path=path) for path in paths]
    assert judge.relevance(behind[0]) > judge.relevance(behind[1]) > judge.relevance(behind[2]) == 0


def test_phrases_go_over_the_border_of_an_anchor(strategy):
    """But not from the words before an anchor to those behind it."""
    over = Link("https://x.example/", "", ["galvan"], ["hot", "dip", "pipe"], 0, before=2)
    apart = Link("https://x.example/", "", ["sauc"], ["hot", "dip", "galvan"], 0, before=2)
    paths = strategy.paths(page(0.5, over, apart), [over, apart])
    assert [WINDOW.unpack(path)[0] > 0 for path in paths] == [True, False]


def test_parts_name_the_entries(strategy):
    """A reader sees which words of the thesaurus a link has."""
    known = link("zinc and steel", url="https://x.example/zinc")
    parts = strategy.parts(page(0.5, known), known)
    assert set(parts.sums["anchor"]) == {"zinc [f]", "steel [f]"}
    assert set(parts.sums["url"]) == {"zinc [f]"}
    assert strategy.parts(page(0.5), link("cake")).sums == {}


def test_the_registry_says_that_it_notes_windows():
    """So that a crawl's classifier may count them; other strategies note other things."""
    assert notes_windows("thesaurus")
    assert not notes_windows("shark_search")
