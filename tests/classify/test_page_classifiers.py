"""Relevance by a thesaurus."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pytest

from focused_crawler.classify.page_classifiers import WINDOW, ThesaurusClassifier
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Scoring, Thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer, relevance_of

ANALYZER = Analyzer("en")
THESAURUS = Thesaurus(
    (
        Facet(
            "f",
            (Entry("steel", (), (Entry("hot dip galvanizing"),)), Entry("zinc")),
            negative=("zinc pills",),
        ),
    ),
    scoring=Scoring(anchor=0.5, url=0.25),
)
SCORER = ThesaurusScorer(THESAURUS, ANALYZER)
CLASSIFIER = ThesaurusClassifier(SCORER)


def page(text, url="https://x.example/", path=None):
    sections = Sections(body=ANALYZER.terms(text))
    return Page(url, "", text, sections, Outline(is_heading=False), path=path)


def test_a_page_without_a_known_word_is_not_relevant():
    """Its evidence is empty, too."""
    empty = page("cake", "https://zinc.example/cake")
    assert CLASSIFIER.relevance(empty) == 0
    assert not CLASSIFIER.evidence(empty).terms


def test_the_words_of_the_url_count_a_share():
    """nu times their score is added; the host says nothing."""
    words = SCORER.text(ANALYZER.terms("steel"))
    url = SCORER.text(ANALYZER.terms("zinc"))
    found = CLASSIFIER.relevance(page("steel", "https://zinc.example/about-zinc/"))
    assert found == pytest.approx(relevance_of(words + 0.25 * url))


@pytest.mark.parametrize(
    ("path", "window"),
    [
        (WINDOW.pack(0.4), 0.4),
        (WINDOW.pack(0.0), 0.0),
        (None, 0.0),
        (b"", 0.0),
        (b"site.example", 0.0),
        (WINDOW.pack(math.nan), 0.0),
        (WINDOW.pack(math.inf), 0.0),
        (WINDOW.pack(-1.0), 0.0),
    ],
)
def test_the_anchor_window_counts_a_share(path, window):
    """mu times its score is added, where the crawl's strategy notes it; anything else counts for nothing."""
    reading = replace(CLASSIFIER, reads_path=True)
    assert (CLASSIFIER.reads_path, reading.reads_path) == (False, True)
    words = SCORER.text(ANALYZER.terms("steel"))
    assert CLASSIFIER.relevance(page("steel", path=path)) == pytest.approx(relevance_of(words))
    assert reading.relevance(page("steel", path=path)) == pytest.approx(relevance_of(words + 0.5 * window))


@pytest.mark.parametrize(
    "text", ["steel, zinc", "hot dip galvanizing, zinc pills, zinc", "zinc pills", "cake"]
)
def test_evidence_makes_the_relevance(text):
    """Its sum is the score that the relevance comes from; each wording is named with its facet."""
    read = page(text, "https://x.example/zinc", WINDOW.pack(0.3))
    judge = replace(CLASSIFIER, reads_path=True)
    evidence = judge.evidence(read)
    assert relevance_of(sum(evidence.terms.values()) + evidence.bias) == pytest.approx(judge.relevance(read))
    assert set(evidence.terms) - {"(words of the URL)", "(anchor window)"} <= set().union(*judge.wordings())


def test_it_goes_to_another_process():
    """As the pages of a crawl may be judged there."""
    assert pickle.loads(pickle.dumps(CLASSIFIER)).relevance(page("steel")) == CLASSIFIER.relevance(
        page("steel")
    )


@pytest.mark.parametrize(
    ("body", "is_there"),
    [
        ("<p>We dip hot <a href='/p'>dip galvanizing</a> pipes.</p>", True),
        ("<p><a href='/p'>Hot dip</a> galvanizing of pipes.</p>", True),
        ("<p>Something hot <a href='/p'>sauces</a> dip galvanizing</p>", False),
        (f"<p>{'Many words. ' * 9}Served hot</p><p>Dip galvanizing{' is done' * 9}</p>", False),
    ],
)
def test_phrases_are_read_as_a_reader_reads_them(body, is_there):
    """Over the borders of links, but not from one content block to the next."""
    found = parse_page(body.encode(), "https://x.example/", ANALYZER)
    partition(found)
    assert ("hot dip galvanizing" in str(CLASSIFIER.evidence(found).terms)) is is_there
