import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.naive_bayes import LuClassifier, naive_bayes_ratio
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.page.model import Page, Sections
from focused_crawler.page.text.weighting import information_gain, inverse_document_frequency, itfidf

EXACT = ClassifierSettings(mi_min_df=1)
READINGS = [
    replace(EXACT, information_gain=gain, ig_in_norm=in_norm, exponent=exponent)
    for gain, in_norm, exponent in product(("document", "class", "none"), (False, True), ("weight", "one"))
]


def examples_of(relevant, other, settings=EXACT):
    truth = [True] * len(relevant) + [False] * len(other)
    return ExamplePages.of([*relevant, *other], truth, settings.section_weights)


@pytest.mark.parametrize(
    "settings", READINGS, ids=lambda s: f"{s.information_gain}-{s.ig_in_norm}-{s.exponent}"
)
def test_the_plain_way_agrees_with_the_matrices(settings, relevant, other):
    """Scoring a page term by term gives what the formulas give on whole matrices, in every reading."""
    examples = examples_of(relevant, other)
    classifier = LuClassifier.fit(examples, settings)
    idf = inverse_document_frequency(examples.raw)
    gain = information_gain(examples.raw, examples.is_relevant, settings.information_gain)
    weights = itfidf(examples.tf, idf, gain, ig_in_norm=settings.ig_in_norm)
    prior, ratio = naive_bayes_ratio(weights, examples.is_relevant)
    used = (examples.tf > 0).astype(float) if settings.exponent == "one" else weights
    scores = [classifier.log_odds(page) for page in (*relevant, *other)]
    assert scores == pytest.approx(prior + used @ ratio)


def test_it_tells_the_classes_apart(relevant, other):
    """Pages of the topic have higher odds than all others."""
    classifier = LuClassifier.fit(examples_of(relevant[:10], other[:15]), ClassifierSettings())
    assert min(map(classifier.log_odds, relevant[10:])) > max(map(classifier.log_odds, other[15:]))


def test_pruning_keeps_what_it_is_told(relevant, other):
    """Only the terms that tell most are kept."""
    classifier = LuClassifier.fit(examples_of(relevant, other), ClassifierSettings(mi_terms=5))
    assert len(classifier.terms) == 5
    page = replace(relevant[0], sections=Sections(body=["home", "news"]))
    assert classifier.log_odds(page) is None


def test_nothing_survives_pruning(relevant, other):
    """If no term is in enough pages, there is nothing to judge by but the prior."""
    classifier = LuClassifier.fit(examples_of(relevant, other), ClassifierSettings(mi_min_df=99))
    assert classifier.log_odds(relevant[0]) is None
    assert classifier.evidence(relevant[0]).bias == pytest.approx(np.log(20 / 30))


def test_unknown_words_do_not_matter(relevant, other):
    """The paper's page is what is left after pruning."""
    classifier = LuClassifier.fit(examples_of(relevant, other), EXACT)
    page = relevant[0]
    sections = replace(page.sections, body=[*page.sections.body, "zyzzogeton", ""])
    assert classifier.log_odds(replace(page, sections=sections)) == classifier.log_odds(page)


def test_a_page_is_scored_fast(relevant, other):
    """A page of 1,500 words, 600 of them different, takes well under a millisecond."""
    classifier = LuClassifier.fit(examples_of(relevant, other), ClassifierSettings())
    words = [*classifier.terms, *(f"word{number}" for number in range(550))] * 3
    page = Page("https://a.example/", "", "", Sections(body=words), relevant[0].outline)
    best = min(_seconds(classifier.log_odds, page) for _ in range(50))
    assert best < 0.0008


def _seconds(function, argument):
    begin = time.perf_counter()
    function(argument)
    return time.perf_counter() - begin
