"""Searches are few words of the upper levels, each combination once, the most promising first."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.discovery.queries import MOST_WORDS, queries
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.of_topic import subject_wordings, thesaurus_of
from focused_crawler.topic.topic import load_topic

ENGLISH = Analyzer("en")


def flat(name: str, *words: str) -> Facet:
    return Facet(name, tuple(map(Entry, words)))


def test_words_of_one_facet_are_combined_from_the_first_on():
    """A pair before a triple, and each word gets its turn before the first is worn out."""
    made = queries(Thesaurus((flat("subject", "rust", "hull", "zinc"),)), ENGLISH, 10)
    assert made == ["rust hull", "rust zinc", "hull zinc", "rust hull zinc"]


def test_words_of_different_facets_are_combined_first():
    """A subject with a method says more than two methods; those come when nothing else is left."""
    thesaurus = Thesaurus((flat("subject", "rust", "hull"), flat("methods", "blasting", "painting")))
    made = queries(thesaurus, ENGLISH, 100)
    mixed = ["rust blasting", "hull blasting", "rust painting", "hull painting"]
    assert sorted(made[:4]) == sorted(mixed)
    assert made[0] == "rust blasting"
    assert {"rust hull", "blasting painting"} < set(made[4:])


def test_what_lies_deep_comes_late():
    """High-level words first; the narrow ones only where more searches are wanted."""
    tree = Entry("coating", narrower=(Entry("primer", narrower=(Entry("zinc primer"),)),))
    thesaurus = Thesaurus((Facet("materials", (tree, Entry("steel"), Entry("paint"))),))
    made = queries(thesaurus, ENGLISH, 50)
    assert made[:3] == ["coating steel", "coating paint", "steel paint"]
    assert all("primer" not in query for query in made[:4])
    assert '"zinc primer"' in made


def test_of_thousands_of_words_the_best_are_searched_for():
    """Of keywords, or of facets: a list of them is soon so long, and all triples of it are hours of work."""
    words = [f"word{number}" for number in range(5_000)]
    made = queries(Thesaurus((flat("subject", *words[:3]),)), ENGLISH, 20, words)
    assert made == queries(Thesaurus((flat("subject", *words[:3]),)), ENGLISH, 20, words[:100])
    facets = Thesaurus(tuple(flat(word, word) for word in words))
    assert len(queries(facets, ENGLISH, 20)) == 20


def test_a_phrase_is_a_search_by_itself_and_is_quoted():
    """Two words are enough, if they are one term."""
    made = queries(Thesaurus((flat("subject", "sea water", "rust"),)), ENGLISH, 10)
    assert made == ['"sea water"', '"sea water" rust']


def test_nothing_is_said_twice():
    """Neither by another form of a word, nor by a phrase that has the word already."""
    words = ("cluster", "clusters", "cluster analysis", "data")
    made = queries(Thesaurus((flat("subject", *words),)), ENGLISH, 50)
    assert sorted(made) == sorted(['"cluster analysis"', "cluster data", '"cluster analysis" data'])


def test_a_script_without_spaces_has_words_too():
    """A keyword is one, although it is found by pairs of characters."""
    words = ("機械学習", "深層学習", "自然言語処理")
    made = queries(Thesaurus((flat("subject", *words),), "ja"), Analyzer("ja"), 50)
    assert made == ["機械学習 深層学習", "機械学習 自然言語処理", "深層学習 自然言語処理", " ".join(words)]


def test_long_searches_are_not_made():
    """Five words bring hundreds of pages where two bring tens of thousands."""
    words = ("neural network", "machine learning", "learning rate")
    made = queries(Thesaurus((flat("subject", *words),)), ENGLISH, 50)
    assert max(len(query.split()) for query in made) == MOST_WORDS


def test_keywords_are_the_best_words():
    """Wherever the thesaurus has them, by whatever wording; those that it lacks are of its subject."""
    deep = Entry("coating", narrower=(Entry("anti-fouling paint", ("antifoulant",)),))
    facets = flat("subject", "rust", "hull"), Facet("materials", (Entry("steel"), deep))
    made = queries(Thesaurus(facets), ENGLISH, 10, ["hulls", "antifoulant", "corrosion"])
    assert {'hull "anti-fouling paint"', '"anti-fouling paint" corrosion'} < set(made)


@pytest.mark.parametrize("words", [(), ("rust",), ("the", "of")])
def test_too_few_words_make_no_search(words):
    """One word is none: it would bring everything."""
    assert queries(Thesaurus((flat("subject", *words),)), ENGLISH, 10) == []


def test_signs_of_search_engines_are_words_here():
    """A wording cannot exclude pages, nor open a quotation that nobody closes."""
    made = queries(Thesaurus((flat("subject", 'say "ah', "-minus", "OR"),)), Analyzer("und"), 10)
    assert '"say ah" "-minus"' in made
    assert all(query.count('"') % 2 == 0 for query in made)
    assert "OR" not in {word for query in made for word in query.split()}


def test_corrosion_is_searched_for_by_its_subject_first():
    """The topic that ships with a thesaurus, or with keywords alone."""
    topic = load_topic("corrosion")
    made = queries(thesaurus_of(topic), ENGLISH, 30, subject_wordings(topic, ENGLISH))
    assert len(made) == 30
    assert sum("corrosion" in query or "ship" in query for query in made) >= 20


WORDS = st.lists(
    st.sampled_from(["anode", "hull", "rust", "zinc", "paint", "primer", "ship", "steel", "weld", "sand"]),
    min_size=1,
    max_size=3,
).map(" ".join)
ENTRIES = st.recursive(
    st.builds(Entry, WORDS),
    lambda narrower: st.builds(Entry, WORDS, narrower=st.lists(narrower, max_size=3).map(tuple)),
    max_leaves=8,
)
FACETS = st.lists(ENTRIES, max_size=6).map(tuple)
THESAURI = st.lists(FACETS, min_size=1, max_size=4).map(
    lambda facets: Thesaurus(tuple(Facet(f"f{number}", entries) for number, entries in enumerate(facets)))
)


@settings(deadline=None, max_examples=60)
@given(THESAURI, st.integers(1, 40))
def test_searches_are_different_short_and_always_the_same(thesaurus, most):
    """Up to the order of their words; and more searches begin as fewer do."""
    made = queries(thesaurus, ENGLISH, most)
    assert len(made) <= most
    assert len({frozenset(shlex.split(query)) for query in made}) == len(made)
    assert all(2 <= len(query.replace('"', "").split()) <= MOST_WORDS for query in made)
    assert queries(thesaurus, ENGLISH, most + 10)[:most] == made
