"""The thesaurus that ships with the corrosion topic: of a real size, and every wording found in one place."""

from __future__ import annotations

import pytest

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.thesaurus.file import FILE_NAME, read_thesaurus
from focused_crawler.topic.thesaurus.model import wording_key

ANALYZER = Analyzer("en")


@pytest.fixture(scope="module")
def thesaurus():
    return read_thesaurus(topics_folder() / "corrosion" / FILE_NAME)


def keys(wordings):
    return [wording_key(wording, ANALYZER) for wording in wordings]


def test_it_has_the_five_facets_of_the_paper(thesaurus):
    """Subject, methods, materials, people, organisations, each with a title."""
    names = [facet.name for facet in thesaurus.facets]
    assert names == ["subject", "methods", "materials", "people", "organisations"]
    assert all(facet.title for facet in thesaurus.facets)


def test_it_is_of_a_real_size(thesaurus):
    """250 entries and more, every facet a tree of three levels or more, with other wordings for many."""
    assert len(thesaurus) >= 250
    for facet in thesaurus.facets:
        assert 3 <= facet.depth <= 5, facet.name
        assert sum(1 for _ in facet.walk()) >= 50, facet.name
    entries = [entry for facet in thesaurus.facets for _, entry, _ in facet.walk()]
    assert sum(bool(entry.synonyms) for entry in entries) > len(entries) / 4


def test_no_wording_of_an_entry_is_another_once_stemmed(thesaurus):
    """A wording that is read as another is one that says nothing."""
    for facet in thesaurus.facets:
        for _, entry, _ in facet.walk():
            found = keys(entry.wordings)
            assert len(set(found)) == len(found), entry.name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("aluminium anode", "aluminum anode"),
        ("galvanised steel", "galvanized steel"),
        ("sulphate-reducing bacteria", "sulfate-reducing bacteria"),
        ("antifouling paint", "anti-fouling paint"),
        ("polarisation curve", "polarization curve"),
        ("mothballing", "ship preservation"),
        ("NACE International", "National Association of Corrosion Engineers"),
        ("salt spray test", "ASTM B117"),
    ],
)
def test_spellings_and_abbreviations_are_one_entry(thesaurus, one, other):
    """British and American, long and short."""
    entries = [entry for facet in thesaurus.facets for _, entry, _ in facet.walk()]
    assert any({*keys([one, other])} <= {*keys(entry.wordings)} for entry in entries)


@pytest.mark.parametrize(
    "word", ["anode", "metal", "pit", "foul", "primer", "vessel", "coat", "blast", "parker"]
)
def test_words_that_mean_too_much_never_stand_alone(thesaurus, word):
    """Not even as the stem of a longer one: metallizing is metal, anodizing is anode."""
    entries = [entry for facet in thesaurus.facets for _, entry, _ in facet.walk()]
    alone = {*keys([word])}
    assert not [entry.name for entry in entries if alone & {*keys(entry.wordings)}]


def test_near_misses_are_negative(thesaurus):
    """Rust in its other meanings, coatings of pills, hulls of point sets."""
    negative = {*keys(thesaurus.negative)}
    near = ["Rust language", "Rust Belt", "wheat rust", "galvanic skin", "convex hull", "enteric coating"]
    assert {*keys(near)} <= negative
