import pytest

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import MAX_WORD_LENGTH, Analyzer, stop_words


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
    assert all(len(word) <= MAX_WORD_LENGTH for word in analyzer._memo)


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
