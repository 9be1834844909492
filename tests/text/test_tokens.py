import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.model import STOP
from focused_crawler.text import tokens
from focused_crawler.text.tokens import MAX_WORD_LENGTH, Analyzer, stop_words

GREEK_AND_TURKISH = st.text(st.sampled_from("aΣσςİıS’'\u0301\u0307-_. \n\x1c\u00a0\u2028"))


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("en", "Cooking cooks cooked", ["cook", "cook", "cook"]),
        ("en", "the oven", [STOP, "oven"]),
        ("en", "chef’s chef's", ["chef", "chef"]),
        ("de", "Häuser Haus", ["haus", "haus"]),
        ("fr", "l'histoire d’amour", [STOP, "histoir", STOP, "amour"]),
        ("xx", "Running", ["running"]),
        ("en", "ﬁsh ½", ["fish", "1⁄2"]),
        ("hi", "हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("en", "snake_case e-mail", ["snake", "case", STOP, "mail"]),
    ],
)
def test_terms(language, text, terms):
    """Words are lower-cased, stemmed by their language, and blanked where they stop."""
    assert Analyzer(language).terms(text) == terms


def test_a_monstrous_word_is_no_term():
    """A word that no reader could read leaves a gap, and is not remembered."""
    analyzer = Analyzer("en")
    assert analyzer.terms("x" * 1_000_000) == [STOP]
    assert all(len(word) <= MAX_WORD_LENGTH for memo in (analyzer._term, analyzer._terms) for word in memo)


def test_the_longest_word():
    """One letter decides."""
    longest = "z" * MAX_WORD_LENGTH
    assert Analyzer("xx").terms(f"{longest} {longest}z") == [longest, STOP]


def test_stop_words_of_an_unknown_language():
    """Single letters are no terms anywhere."""
    assert stop_words("xx") == frozenset("abcdefghijklmnopqrstuvwxyz")


def test_positions_are_kept():
    """Each word has its place in the sequence, or word distances would be wrong."""
    assert len(Analyzer("en").terms("it is the best of all pans")) == 7


@given(st.text() | GREEK_AND_TURKISH)
def test_no_word_spans_white_space(text):
    """So a text may be split first, and what stands between two spaces be looked up as it is."""
    words = re.findall(tokens._WORD, text.lower())
    assert Analyzer("xx").terms(text) == [term for word in words for term in Analyzer("xx").terms(word)]


def test_a_full_memory_begins_anew(monkeypatch):
    """What was forgotten is looked at again."""
    monkeypatch.setattr(tokens, "_PARTS", 2)
    analyzer = Analyzer("en")
    assert analyzer.terms("robots ovens pans robots") == ["robot", "oven", "pan", "robot"]
    assert len(analyzer._terms) <= 2


def test_another_process_has_its_own_memory():
    """Only the language travels."""
    analyzer = Analyzer("de")
    analyzer.terms("Häuser")
    assert len(pickle.dumps(analyzer)) < 200
    assert pickle.loads(pickle.dumps(analyzer)).terms("Häuser") == ["haus"]
