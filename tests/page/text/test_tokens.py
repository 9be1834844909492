import pickle

import pytest

from focused_crawler.page.model import STOP
from focused_crawler.page.text import tokens
from focused_crawler.page.text.tokens import MAX_WORD_LENGTH, Analyzer, stop_words


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("en", "Cooking cooks cooked", ["cook", "cook", "cook"]),
        ("en", "the oven", [STOP, "oven"]),
        ("en", "chef’s chef's", ["chef", "chef"]),
        ("en", "ﬁsh ½", ["fish", "1", "2"]),
        ("en", "snake_case e-mail", ["snake", "case", STOP, "mail"]),
        ("xx", "Running", ["running"]),
        ("de", "Häuser Haus HAUS", ["haus", "haus", "haus"]),
        ("de", "große Straßen, GROSSE STRASSEN", ["gross", "strass", "gross", "strass"]),
        ("fr", "l'histoire d’amour", [STOP, "histoir", STOP, "amour"]),
        ("it", "l’acqua dell'acqua", [STOP, "acqua", "dell", "acqua"]),
        ("tr", "IŞIKLARI ışık, İŞÇİLER işçi", ["ışık", "ışık", "işçi", "işçi"]),
        ("pl", "książki książka", ["książk", "książk"]),
        ("cs", "knihy kniha", ["knih", "knih"]),
        ("el", "Η γλώσσα ΤΗΣ ΓΛΩΣΣΑΣ", [STOP, "γλωσσ", STOP, "γλωσσ"]),
        ("ru", "ёлки елки ещё еще", ["елк", "елк", STOP, STOP]),
        ("uk", "п'ять п’ять", ["пять", "пять"]),
        ("sr", "књига у школи, knjiga u školi", ["knjig", STOP, "škol", "knjig", STOP, "škol"]),
        ("ar", "كِتَاب الكتاب كتـــاب أحمد احمد", ["كتاب", "كتاب", "كتاب", "احمد", "احمد"]),
        ("fa", "کتاب‌ها كتاب", ["کتاب", STOP, "کتاب"]),
        ("he", "שָׁלוֹם שלום ספר־לימוד", ["שלום", "שלום", "ספר", "לימוד"]),
        ("hi", "लड़के लड़का हिन्‍दी हिन्दी", ["लड़क", "लड़क", "हिन्द", "हिन्द"]),
        ("ta", "புத்தகங்கள்", ["புத்தகம்"]),
        ("ja", "データベースの設計", ["デー", "ータ", "タベ", "ベー", "ース", "スの", "の設", "設計"]),
        ("ja", "ﾃﾞｰﾀ Ｐｙｔｈｏｎは", ["デー", "ータ", "python", STOP]),
        ("zh", "我们的數據庫", [STOP, "们的", "的数", "数据", "据库"]),
        ("zh", "数据库 2024年", ["数据", "据库", "2024", STOP]),
        ("ko", "데이터베이스를", ["데이", "이터", "터베", "베이", "이스", "스를"]),
        ("th", "ข้าวผัด", ["ข้า", "าว", "วผั", "ผัด"]),
    ],
)
def test_terms(language, text, terms):
    """Words have one spelling, are stemmed by their language, and blanked where they stop."""
    assert Analyzer(language).terms(text) == terms


@pytest.mark.parametrize("language", ["en", "de", "ru", "th", "xx"])
def test_text_without_spaces_is_read_alike(language):
    """The language of a topic is not that of all its pages."""
    assert Analyzer(language).terms("数据库を使う") == ["数据", "据库", "库を", "を使", "使う"]


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


def test_long_text_without_spaces_is_no_monstrous_word():
    """However long a sentence is, its pairs of characters are short."""
    terms = Analyzer("zh").terms("面包黄油" * 10_000)
    assert len(terms) == 39_999
    assert set(terms) == {"面包", "包黄", "黄油", "油面"}


def test_a_character_with_a_thousand_accents():
    """Nobody can read it, and nothing takes long over it."""
    assert Analyzer("en").terms("z" + "\u0301\u0316" * 100_000 + " oven") == [STOP, "oven"]


def test_positions_are_kept():
    """Each word has its place in the sequence, or word distances would be wrong."""
    assert len(Analyzer("en").terms("it is the best of all pans")) == 7


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
