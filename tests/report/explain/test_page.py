from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from focused_crawler.classify import words
from focused_crawler.classify.page_classifiers import ThesaurusClassifier
from focused_crawler.classify.registry import METHODS
from focused_crawler.crawl.analysis import Analyst, Way
from focused_crawler.page.parser import parse_page
from focused_crawler.report.explain.page import PageReasons, WritingAnalyzer, explain_page, judge
from focused_crawler.report.explain.terminal import reckoning, verdict
from focused_crawler.topic.scope import Scope
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer, relevance_of

URL = "http://bread.example/"
PAGES = {
    "about": "<title>Baking bread</title><meta name=keywords content=oven><h1>Loaves</h1><p>A loaf of"
    " bread, the oven; breads and their crusts for all of the people here.</p><p><a href=/a>More"
    " Bread</a> and other news of the museum and of the guitar, year after year in all harbours</p>",
    "apart": "<title>News</title><p>The league, the senate, the museum. An oven.</p>",
    "unknown": "<title>Xyzzy</title><p>Plugh frotz</p>",
    "no words": "<p>",
}


GOOD = "<title>Bread</title><p>bread oven flour baking dough yeast crust loaf</p>"


def explained(analyst: Analyst, body: str) -> PageReasons:
    page = parse_page(body.encode(), URL, WritingAnalyzer("en"), "utf-8")
    judge(analyst, page, 1)
    return explain_page(analyst, page)


every_classifier = pytest.mark.parametrize("classifier", [*METHODS, "cold", "thesaurus"])
every_page = pytest.mark.parametrize("name", PAGES)


@every_classifier
@every_page
def test_relevance_is_that_of_the_crawl(analyst: Callable[..., Analyst], classifier: str, name: str) -> None:
    """And a reader can work it out from what is shown."""
    judging = analyst(classifier)
    reasons = explained(judging, PAGES[name])
    page = judging.classify(PAGES[name].encode(), URL, "utf-8", Way(1)).page
    assert (reasons.page.relevance, reasons.page.is_relevant) == (page.relevance, page.is_relevant)
    if not reasons.terms:
        assert page.relevance == 0.0
    elif reasons.unit == "words":
        assert words.relevance_of(reasons.total) == pytest.approx(page.relevance)
    elif reasons.unit == "score":
        assert relevance_of(reasons.total) == pytest.approx(page.relevance)
    else:
        assert reasons.total == pytest.approx(math.log(page.relevance / (1 - page.relevance)), abs=1e-9)


MISSING = "<title>404 Not Found</title><p>bread oven flour baking dough yeast crust loaf</p>"
FOREIGN = "<html lang=de><title>Bread</title><p>bread oven flour baking dough yeast crust loaf</p>"


@pytest.mark.parametrize(
    ("body", "why"),
    [(MISSING, "it reports that there is no such page"), (FOREIGN, "leaves its language out")],
)
def test_what_is_not_relevant_whatever_its_words(
    analyst: Callable[..., Analyst], body: str, why: str
) -> None:
    """The crawl and the explanation agree, and the words are reckoned all the same."""
    judging = analyst(scope=Scope(languages=("en",)))
    reasons = explained(judging, body)
    page = judging.classify(body.encode(), URL, "utf-8", Way(1)).page
    assert (reasons.page.relevance, reasons.page.is_relevant) == (page.relevance, page.is_relevant)
    assert reasons.relevance > reasons.threshold
    assert why in verdict(reasons)
    assert f"{reasons.relevance:.3f}" in verdict(reasons)
    assert list(reckoning(reasons))[-1] == f"relevance = 1 / (1 + e^-x) = {reasons.relevance:.3f}"


@every_classifier
@every_page
def test_blocks_and_sections_share_the_evidence(
    analyst: Callable[..., Analyst], classifier: str, name: str
) -> None:
    """Nothing is counted twice; what is in no block are title and meta keywords."""
    reasons = explained(analyst(classifier), PAGES[name])
    for term in reasons.terms:
        assert sum(term.shares) == pytest.approx(1.0 if term.value else 0.0)
    title_and_keywords = sum(
        term.value
        for terms in (
            reasons.page.sections.headline[: 2 if name == "about" else 1],
            reasons.page.sections.keywords,
        )
        for term in terms
    )
    assert reasons.elsewhere == pytest.approx(title_and_keywords)


def test_a_term_by_hand(analyst: Callable[..., Analyst]) -> None:
    """Bread: once in the title (5), once in an anchor (2), twice in the body (1 each)."""
    reasons = explained(analyst(), PAGES["about"])
    bread = next(term for term in reasons.terms if term.term == "bread")
    assert bread.value > 0
    assert bread.word == "bread"
    assert bread.shares == pytest.approx((5 / 9, 0, 2 / 9, 2 / 9))
    assert [block.text for block in reasons.blocks][1].startswith("More Bread and other news of the museum")
    assert reasons.terms[0].value == max(term.value for term in reasons.terms)


def test_sentences(analyst: Callable[..., Analyst]) -> None:
    """The verdict, and the way to it."""
    reasons = explained(analyst(), GOOD)
    relevance = f"{reasons.page.relevance:.3f}"
    assert (
        verdict(reasons)
        == f"Relevant: its relevance of {relevance} reaches the threshold of {reasons.threshold:.3f}."
    )
    known, odds, formula = reckoning(reasons)
    assert known == f"The classifier knows {len(reasons.terms)} of its {reasons.all_terms} terms."
    assert odds.endswith(f"= {reasons.total:+.3f}")
    assert formula == f"relevance = 1 / (1 + e^-x) = {relevance}"
    nothing = explained(analyst("cold"), PAGES["unknown"])
    assert verdict(nothing).startswith("Not relevant: its relevance of 0.000 stays below")
    assert [*reckoning(nothing)][1] == "A page without one known term has relevance 0."


def test_facets_do_not_hide_each_others_words(analyst: Callable[..., Analyst]) -> None:
    """What is longest in one stands over what another has: both are shown where they stand."""
    judging = analyst("thesaurus")
    facets = (Facet("methods", (Entry("zinc coating"),)), Facet("materials", (Entry("zinc"),)))
    classifier = ThesaurusClassifier(ThesaurusScorer(Thesaurus(facets), judging.analyzer))
    judging = replace(judging, model=replace(judging.model, classifier=classifier))
    reasons = explained(judging, "<title>Zinc</title><p>A zinc coating for steel</p>")
    found = {reason.word: reason for reason in reasons.terms}
    assert found["zinc coating [methods]"].shares == (0, 0, 0, 1)
    assert found["zinc [materials]"].shares == (0.5, 0, 0, 0.5)


def test_a_wording_may_go_over_a_link(analyst: Callable[..., Analyst]) -> None:
    """The page is read block by block, as in a crawl: it stands in the text and in the link."""
    body = "<title>News</title><p>A loaf of <a href=/b>bread</a> and more of the people here today</p>"
    (loaf,) = explained(analyst("thesaurus"), body).terms
    assert loaf.word == "loaf of bread [baking]"
    assert sum(loaf.shares) == 1


def test_a_thesaurus_shows_what_it_found(analyst: Callable[..., Analyst]) -> None:
    """Each wording with its facet; its words are marked where they stand, the longest wording as a whole."""
    reasons = explained(analyst("thesaurus"), PAGES["about"])
    found = {reason.word: reason for reason in reasons.terms}
    assert set(found) == {
        "loaf of bread [baking]",
        "breads [baking]",
        "oven [baking]",
        "guitars [baking]",
        "museum [baking]",
        "baking [f]",
    }
    assert found["museum [baking]"].value < 0 < found["guitars [baking]"].value
    assert found["breads [baking]"].shares == pytest.approx((1 / 3, 0, 1 / 3, 1 / 3))
    here = reasons.blocks[0].terms
    start = [term.word for term in here].index("loaf")
    loaf, of, bread = here[start : start + 3]
    assert loaf.value == of.value == bread.value == pytest.approx(found["loaf of bread [baking]"].value / 3)
    first, how = reckoning(reasons)
    assert first == "Its score by the thesaurus has 6 parts."
    assert how.endswith(f"relevance = s² / (s² + 0.6²) = {reasons.page.relevance:.3f}")
