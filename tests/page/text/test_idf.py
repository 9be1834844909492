import math

import pytest
from wordfreq import word_frequency
from wordfreq.numbers import digit_freq

from focused_crawler.page.text import idf
from focused_crawler.page.text.idf import PAGE_LENGTH, TermStatistics, idf_of_frequency
from focused_crawler.page.text.languages import word_frequencies
from focused_crawler.page.text.tokens import Analyzer


@pytest.fixture(scope="module")
def english():
    return TermStatistics.for_language("en")


def test_rare_words_weigh_more(english):
    """A word of recipes says more than one of any page."""
    home, recipe, oven = Analyzer("en").terms("home recipe oven")
    assert 0 < english.idf(home) < english.idf(recipe) < english.idf(oven) < english.default


def test_unknown_terms_weigh_most(english):
    """No term is rarer than one that the word list lacks."""
    assert english.idf("zyzzogeton") == english.default == max(english.mapping.values())


def test_all_idf_are_positive_and_finite(english):
    """Whatever the term, its idf can be multiplied and divided by."""
    assert all(0 < value < math.inf for value in english.mapping.values())


def test_words_of_one_stem_are_pooled(english):
    """A stem is at least as frequent as its words together."""
    together = sum(word_frequency(word, "en", "small") for word in ("recipe", "recipes"))
    assert english.idf("recip") <= idf_of_frequency(together) + 0.01  # word_frequency rounds


def test_a_word_on_every_second_page():
    """ln 2 is the idf of a word that half of the pages hold."""
    assert idf_of_frequency(math.log(2) / PAGE_LENGTH) == pytest.approx(math.log(2))


def test_a_year_is_commoner_than_a_number(english):
    """Numbers have idf of their own, so that dates do not weigh like the rarest words."""
    assert english.idf("2021") < english.idf("8731")
    assert english.idf("17") < english.default


@pytest.mark.parametrize(
    "number", ["10", "99", "007", "365", "1000", "1985", "2019", "2020", "2039", "2040", "9999"]
)
def test_numbers_are_as_frequent_as_wordfreq_assumes(number):
    """To the last bit."""
    assert idf.share_of_number(number) == digit_freq(number)


def test_a_language_nobody_counted():
    """All terms of an unknown language weigh the same, and more than nothing."""
    statistics = TermStatistics.for_language("xx")
    assert statistics.idf("a") == statistics.idf("b") > 0


def test_languages_are_read_once():
    """A second crawl in one process does not stem the word list again."""
    assert TermStatistics.for_language("de").mapping is TermStatistics.for_language("de").mapping


@pytest.mark.parametrize(
    ("language", "common", "rare"),
    [
        ("zh", "数据", "漏洞"),
        ("ja", "時間", "酵母"),
        ("ko", "시간", "효모"),
        ("de", "Zeit", "Hefe"),
        ("ar", "وقت", "خميرة"),
    ],
)
def test_rare_terms_weigh_more_in_other_languages(language, common, rare):
    """Of words that are a term each, pairs of characters among them."""
    statistics = TermStatistics.for_language(language)
    (one,), (other,) = (Analyzer(language).terms(word) for word in (common, rare))
    assert 0 < statistics.idf(one) < statistics.idf(other)


@pytest.mark.parametrize(("language", "seam"), [("zh", "的人"), ("ja", "には"), ("ko", "하고")])
def test_pairs_that_no_word_holds(language, seam):
    """The end of one common word and the beginning of another are common too."""
    statistics = TermStatistics.for_language(language)
    assert statistics.idf(seam) < statistics.default / 2


def test_pairs_within_words_are_pooled():
    """A pair is at least as frequent as the words that hold it."""
    words = word_frequencies("ko")
    together = idf_of_frequency(words["데이터"] + words["데이트"])
    assert TermStatistics.for_language("ko").idf("데이") <= together


def test_one_language_in_two_alphabets():
    """The words were counted in one of them."""
    statistics = TermStatistics.for_language("sr")
    assert Analyzer("sr").terms("књига") == Analyzer("sr").terms("knjiga")
    assert statistics.idf(*Analyzer("sr").terms("књига")) < statistics.default
