import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.words import WordReader, is_run

TRICKY = st.text(
    st.sampled_from("aZßΣσςİıS’'1½ﬁデﾃﾞ漢カ가ㄱก้ำёك\u0301\u0307\u0316\u0651\u200c\xad\u3000\u2028-_. \n\x1c")
)
TEXTS = st.text() | TRICKY
LANGUAGES = st.sampled_from(["en", "tr", "fr", "sr", "fa", "zh", "ja"])


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "Ｇｏ  GO go", ["go"] * 3),
        ("en", "co\xadoperate co\u2060operate", ["cooperate"] * 2),
        ("en", "Solr™ solr®", ["solr"] * 2),
        ("en", "Café Cafe\u0301", ["café"] * 2),
        ("en", "İstanbul Istanbul", ["istanbul"] * 2),
        ("tr", "İstanbul i\u0307stanbul istanbul", ["istanbul"] * 3),
        ("az", "QIZIL qızıl", ["qızıl"] * 2),
        ("el", "ΣΊΣΥΦΟΣ Σίσυφος σισυφος", ["σισυφοσ"] * 3),
        ("el", "Ἑλλὰς Ελλάς ΕΛΛΑΣ", ["ελλασ"] * 3),
        ("el", "ᾠδή ωδη", ["ωδη"] * 2),
        ("he", "ג׳ירפה ג'ירפה", ["ג'ירפה"] * 2),
        ("he", 'ת״א ת"א', ["ת", "א"] * 2),
        ("uk", "м'яч м’яч мʼяч", ["м'яч"] * 3),
        ("ur", "كتاب کتاب", ["کتاب"] * 2),
        ("ar", "ﻻ لا", ["لا"] * 2),
        ("zh", "資料 资料", ["资料"] * 2),
        ("ja", "東京 東\ufe00京", ["東京"] * 2),
        ("ko", "한글 \u1112\u1161\u11ab\u1100\u1173\u11af", ["한글"] * 2),
    ],
)
def test_one_spelling(language, text, words):
    """However a word was typed, it is one."""
    assert WordReader(language).words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("iPhone15手机壳", ["iphone15", "手机", "机壳"]),
        ("日本、中国。本", ["日本", "中国", "本"]),
        ("ラーメン・つけ麺", ["ラー", "ーメ", "メン", "つけ", "け麺"]),
        ("人々", ["人々"]),
        ("葛\U000e0100城", ["葛城"]),
        ("\U00020000\U00020001\U00020002", ["\U00020000\U00020001", "\U00020001\U00020002"]),
        ("ភាសាខ្មែរ", ["ភាសា", "សាខ្មែ", "ខ្មែរ"]),
        ("မြန်မာ", ["မြန်", "န်မ", "မာ"]),
        ("ພາສາ", ["ພາ", "າສ", "ສາ"]),
        ("๒๕๖๗ปี", ["๒๕๖๗", "ปี"]),
        ("བོད་སྐད", ["བོད", "སྐད"]),
        ("ދިވެހި", ["ދިވެހި"]),
        ("አማርኛ", ["አማርኛ"]),
    ],
)
def test_scripts(text, words):
    """Pairs where no spaces are, of characters with their signs; words everywhere else."""
    assert WordReader("xx").words(text) == words


def test_runs():
    """Digits and letters of other scripts are no part of them."""
    assert is_run("漢字かなカナ한글ไทย")
    assert not any(map(is_run, ["", "kana", "uターン", "2024年", "漢-字"]))


@given(TEXTS, LANGUAGES)
def test_no_word_spans_white_space(text, language):
    """So a text may be split first, and what stands between two spaces be looked up as it is."""
    reader = WordReader(language)
    assert reader.words(text) == [word for part in text.split() for word in reader.words(part)]


@given(TEXTS, LANGUAGES, st.sampled_from(["NFC", "NFD"]))
def test_normal_form_makes_no_difference(text, language, form):
    """A page may be written in either."""
    reader = WordReader(language)
    assert reader.words(unicodedata.normalize(form, text)) == reader.words(text)


@given(
    st.lists(st.sampled_from(["a", "é", "ế", "가", "漢", "デ", "क\u094d", "ก\u0e49", "דּ", "بّ"]), min_size=1),
    st.integers(1, 300),
)
def test_long_text_is_read_like_short(characters, times):
    """It is normalised in slices, which end between characters."""
    reader = WordReader("en")
    text = "".join(characters) * times
    assert reader.words(unicodedata.normalize("NFD", text)) == reader.words(text)
