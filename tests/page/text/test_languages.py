import pytest
from hypothesis import given
from hypothesis import strategies as st
from langcodes import standardize_tag
from wordfreq import available_languages, get_frequency_dict, top_n_list

from focused_crawler.page.text.languages import STOP_WORDS, frequent_words, stemmer, word_frequencies
from focused_crawler.topic.rules import COMMON_CODES, language_problem

STEMS = {
    "ar": ("الكتاب", "كتاب"), "bs": ("knjige", "knjig"), "ca": ("llibres", "llibr"),
    "cs": ("knihy", "knih"), "da": ("bøgerne", "bøg"), "de": ("häuser", "haus"),
    "el": ("βιβλια", "βιβλ"), "en": ("books", "book"), "eo": ("libroj", "libr"),
    "es": ("libros", "libr"), "et": ("raamatud", "raama"), "eu": ("liburuak", "liburu"),
    "fa": ("کتابها", "کتاب"), "fi": ("kirjoja", "kirj"), "fr": ("livres", "livr"),
    "ga": ("bhliain", "bliain"), "hi": ("किताबें", "किताब"), "hr": ("knjige", "knjig"),
    "hu": ("könyvek", "könyv"), "hy": ("քաղաքներ", "քաղ"), "id": ("bukunya", "buku"),
    "it": ("libri", "libr"), "lt": ("knygos", "knyg"), "nb": ("bøkene", "bøk"),
    "ne": ("किताबहरू", "किताब"), "nl": ("boeken", "boek"), "nn": ("bøkene", "bøk"),
    "no": ("bøkene", "bøk"), "pl": ("książki", "książk"), "pt": ("livros", "livr"),
    "ro": ("cărțile", "cărț"), "ru": ("книги", "книг"), "sr": ("knjige", "knjig"),
    "st": ("mesebetsi", "sebets"), "sv": ("böckerna", "böck"), "ta": ("புத்தகங்கள்", "புத்தகம்"),
    "tr": ("kitaplar", "kitap"), "yi": ("ביכער", "ביכ"),
}  # fmt: skip
FOREIGN = {
    "latin": "robots", "cyrillic": "роботами", "greek": "ρομποτσ", "arabic": "الروبوتات", "hebrew": "רובוטים",
    "devanagari": "रोबोटों", "tamil": "ரோபோக்கள்", "armenian": "ռոբոտներ", "han": "机器",
    "kana": "ット", "thai": "หุ่น",
}  # fmt: skip
SCRIPTS = {
    "ar": "arabic", "el": "greek", "fa": "arabic", "hi": "devanagari", "hy": "armenian", "ne": "devanagari",
    "ru": "cyrillic", "ta": "tamil", "yi": "hebrew",
}  # fmt: skip


@pytest.mark.parametrize("language", STEMS)
def test_stems(language):
    """Every language of Snowball is there under its code."""
    word, stem = STEMS[language]
    assert stemmer(language)(word) == stem


@pytest.mark.parametrize("language", sorted(STEMS.keys() - {"bs", "hr", "sr"}))
def test_words_of_other_scripts_keep_their_ends(language):
    """A stemmer knows the letters of its language, and lets others be. Serbian has two alphabets."""
    own = SCRIPTS.get(language, "latin")
    for script, word in FOREIGN.items():
        if script != own:
            assert stemmer(language)(word) == word


@pytest.mark.parametrize("language", ["ja", "th", "uk", "xx", "und"])
def test_no_stemmer(language):
    """Where there is none, a word is its own stem."""
    assert stemmer(language)("robots") == "robots"


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("no", "og"),
        ("nn", "og"),
        ("nb", "og"),
        ("hr", "je"),
        ("bs", "je"),
        ("sr", "je"),
        ("zh", "的"),
        ("uk", "і"),
    ],
)
def test_frequent_words(language, word):
    """Languages that share a word list find it under each of their codes."""
    assert word in frequent_words(language)[:5]
    assert word_frequencies(language)[word] > 0.005


@pytest.mark.parametrize("language", sorted(available_languages("small")))
def test_words_are_those_of_wordfreq(language):
    """Its files are read here, and give what its own functions give."""
    assert word_frequencies(language) == get_frequency_dict(language, "small")
    assert frequent_words(language) == top_n_list(language, STOP_WORDS, "small")


@pytest.mark.parametrize("language", ["th", "xx", "und"])
def test_a_language_nobody_counted(language):
    """It has no frequent words."""
    assert frequent_words(language) == []
    assert word_frequencies(language) == {}


@pytest.mark.parametrize("code", ["en", "nb", "no", "zh", "grc", "fil", "und"])
def test_codes(code):
    """ISO 639's shortest code is right, with a stemmer or without."""
    assert language_problem(code) is None


@pytest.mark.parametrize("code", sorted(COMMON_CODES))
def test_common_codes_are_what_others_become(code):
    """They are taken without asking langcodes."""
    assert standardize_tag(code, macro=True) == code


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("pt-BR", "pt"), ("pt_BR", "pt"), ("zh-Hant", "zh"), ("zh-TW", "zh"), ("EN", "en"), ("eng", "en"),
        ("ger", "de"), ("cmn", "zh"), ("iw", "he"), ("sh", "sr"), ("prs", "fa"), ("tl", "fil"),
    ],
)  # fmt: skip
def test_codes_with_more_in_them(code, right):
    """The error says what is enough."""
    assert language_problem(code) == (
        f"language '{code}' is known here by its plain ISO 639 code; write \"{right}\""
    )


@pytest.mark.parametrize("code", ["", "jp", "cz", "gr-", "german", "xx", "x-y", "日本", "en\n", "e", "-"])
def test_no_codes(code):
    """Codes of countries are none of languages."""
    assert language_problem(code) == (
        f'language {code!r} is no ISO 639 code; write two letters, as "en" or "de"'
    )


@given(st.text() | st.from_regex(r"[a-z]{1,4}([-_][A-Za-z0-9]{1,5}){0,2}", fullmatch=True))
def test_the_cure_cures(code):
    """What an error tells to write is right."""
    problem = language_problem(code)
    if problem is not None and "plain" in problem:
        assert language_problem(problem.split('"')[-2]) is None
