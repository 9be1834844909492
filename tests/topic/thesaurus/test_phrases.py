"""Noun phrases and names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import open_wordnet
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.model import wording_key
from focused_crawler.topic.thesaurus.phrases import (
    BORDER,
    MAX_CHARACTERS,
    MAX_WORDS,
    PhraseReader,
    check_language,
)
from tests.wordnet import needs_wordnet


def wordings(text: str, reader: PhraseReader | None = None) -> list[str]:
    return [phrase.wording for phrase in (reader or PhraseReader(Analyzer("en"))).phrases(text)]


def test_parts_of_a_run_are_phrases_too():
    """Up to four words."""
    assert wordings("impressed current cathodic protection system")[-4:] == [
        "system",
        "protection system",
        "cathodic protection system",
        "current cathodic protection system",
    ]


@pytest.mark.parametrize("text", ["12 345", "ab", "www.rust.example/page", "the of", "a.b.c"])
def test_numbers_addresses_and_scraps_are_none(text):
    """Nor are stop words."""
    assert wordings(text) == []


@needs_wordnet
def test_a_phrase_ends_on_a_noun():
    """And begins with no verb or adverb; words that nobody knows are nouns."""
    with open_wordnet() as wordnet:
        reader = PhraseReader(Analyzer("en"), wordnet)
        found = wordings("marine coating protects quickly galvanic xylotrode", reader)
    assert {"marine coating", "coating", "galvanic xylotrode", "xylotrode"} <= set(found)
    assert not {"protects", "quickly", "galvanic", "coating protects"} & set(found)


@needs_wordnet
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("transit near lyra rises", {"transit", "lyra"}),
        ("queries against tables", {"queries", "tables"}),
        ("shows luminous structure", {"structure", "luminous structure"}),
        ("marine art works", {"marine", "marine art", "art", "works", "art works", "marine art works"}),
        ("baking dish", {"baking", "dish", "baking dish"}),
    ],
)
def test_prepositions_and_verbs_end_a_phrase(text, phrases):
    """WordNet has none of the former, and knows "rises" as a noun, too."""
    with open_wordnet() as wordnet:
        assert set(wordings(text, PhraseReader(Analyzer("en"), wordnet))) == phrases


@needs_wordnet
def test_wordnet_says_nothing_of_other_languages():
    """A German "rises" is no English verb."""
    with open_wordnet() as wordnet:
        assert "quickly" in wordings("quickly", PhraseReader(Analyzer("de"), wordnet))


def test_no_phrase_runs_over_a_border():
    """Neither of a menu nor of a table."""
    assert wordings(f"zinc anode{BORDER}epoxy primer") == [
        "zinc", "anode", "zinc anode", "epoxy", "primer", "epoxy primer",
    ]  # fmt: skip


def test_japanese_phrases_are_runs_of_one_script():
    """Of bounded length; what is written in Latin letters is read as elsewhere."""
    text = "船舶の防錆塗料はエポキシプライマーとepoxy primerである。" + "錆" * 9 + "ロ" * 13
    assert wordings(text, PhraseReader(Analyzer("ja"))) == [
        "船舶", "防錆塗料", "エポキシプライマー", "epoxy", "primer", "epoxy primer",
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "th"])
def test_languages_without_spaces_are_refused(language):
    """In one line."""
    with pytest.raises(TopicError, match=f"a thesaurus in {language} cannot be grown: it is written without"):
        check_language(language)
    check_language("ja")


def test_names_are_told_by_capitals_within_a_sentence():
    """At its beginning, and in titles, any word has one."""
    reader = PhraseReader(Analyzer("en"))
    text = "Paint makers were asked by Lloyd Register. Hempel Group said so"
    names = {phrase.wording for phrase in reader.phrases(text) if phrase.is_name}
    assert names == {"Lloyd", "Lloyd Register"}


def test_only_the_beginning_of_a_long_text_is_read():
    """What a page is about stands there."""
    assert "zebra" not in wordings(f"{'paint, ' * (MAX_CHARACTERS // 6)} zebra")


@given(st.text(max_size=200) | st.text(st.sampled_from("ab.r' C+#-/é漢字カ ย 1"), max_size=60))
def test_every_phrase_has_terms(text):
    """And stands in the text as one run of words."""
    analyzer = Analyzer("en")
    for phrase in PhraseReader(analyzer).phrases(text):
        assert phrase.key == wording_key(phrase.wording, analyzer) != ()
        assert 1 <= len(phrase.wording.split()) <= MAX_WORDS
        assert phrase.wording in " ".join(text.split())
