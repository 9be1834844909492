"""What a result looks like goes by title, snippet and the words of its URL."""

from __future__ import annotations

import pytest

from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.seed_search import apparent_relevance
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer

ENGLISH = Analyzer("en")
ENTRIES = tuple(map(Entry, ("rust", "sea water", "hull")))


@pytest.fixture
def look():
    thesaurus = Thesaurus((Facet("subject", ENTRIES),), negative=("programming",))
    return apparent_relevance(ThesaurusScorer(thesaurus, ENGLISH), ENGLISH)


def test_more_of_the_topic_looks_better(look):
    """Different words more than one repeated, in whichever place; never more than 1."""
    page = "https://a.example/"
    one = look(SearchResult(page, "Rust"))
    repeated = look(SearchResult(page, "Rust", "rust rust"))
    two = look(SearchResult(page, "Rust", "of hulls"))
    all_three = look(SearchResult(page, "Rust in sea water", "of hulls"))
    assert 0 < one < repeated < two < all_three <= 1


def test_nothing_of_the_topic_is_nothing(look):
    """Nor is what is about something else of the same name, nor a host's name."""
    assert look(SearchResult("https://rust.example/", "A page", "about nothing")) == 0
    assert look(SearchResult("https://a.example/", "Rust", "a programming language")) < 0.2


def test_words_of_a_url_count_a_little(look):
    """A page with a poor title may have a telling address."""
    plain, telling = "https://a.example/17", "https://a.example/hull-rust"
    assert (
        0 == look(SearchResult(plain)) < look(SearchResult(telling)) < look(SearchResult(plain, "hull rust"))
    )


def test_a_phrase_does_not_begin_in_the_title_and_end_in_the_snippet(look):
    """They are two texts."""
    assert look(SearchResult("https://a.example/", "The sea", "water is wet")) == 0
