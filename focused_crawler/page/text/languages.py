"""What is known of a language: its stemmer, its most frequent words, its letters. Codes are ISO 639."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeAlias

import msgpack
from Stemmer import Stemmer

# ruff: noqa: PLC0415 - wordfreq takes a fifth of a second to load, and few commands read a page.

STOP_WORDS = 100
"""So many of a language's most frequent words are stop words."""

ELIDING = frozenset({"ca", "fr", "it"})
"""Languages that write an article and its noun with an apostrophe: l'histoire."""

Letters: TypeAlias = dict[int, str | None]
"""What becomes of single characters, as `str.translate` takes it."""

_WORD_LIST = "small"
_WORD_LISTS = {"bs": "sh", "hr": "sh", "nn": "nb", "no": "nb", "sr": "sh"}

_SNOWBALL = {
    "ar": "arabic", "bs": "serbian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hr": "serbian",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_DOTLESS_I: Letters = {ord("I"): "ı"}
_PERSIAN: Letters = {ord("ك"): "ک", ord("ي"): "ی"}
_SERBIAN = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "ђ": "đ", "е": "e", "ж": "ž", "з": "z", "и": "i",
    "ј": "j", "к": "k", "л": "l", "љ": "lj", "м": "m", "н": "n", "њ": "nj", "о": "o", "п": "p", "р": "r",
    "с": "s", "т": "t", "ћ": "ć", "у": "u", "ф": "f", "х": "h", "ц": "c", "ч": "č", "џ": "dž", "ш": "š",
}  # fmt: skip
_SERBIAN_LETTERS: Letters = {
    ord(case(letter)): latin for letter, latin in _SERBIAN.items() for case in (str.lower, str.upper)
}
_LETTERS: dict[str, Letters] = {
    **dict.fromkeys(("tr", "az"), _DOTLESS_I),
    **dict.fromkeys(("bs", "hr", "sr"), _SERBIAN_LETTERS),
    **dict.fromkeys(("fa", "ur"), _PERSIAN),
}


def stemmer(language: str) -> Callable[[str], str]:
    """Return what makes a word's stem: Snowball's, else the word itself. Words in other scripts stay."""
    name = _SNOWBALL.get(language)
    stem: Callable[[str], str] = str if name is None else Stemmer(name, 0).stemWord
    return stem


def word_frequencies(language: str) -> Mapping[str, float]:
    """Return the language's frequent words, each with its share of all words; none if nobody counted."""
    from wordfreq import get_frequency_dict

    name = _word_list(language)
    frequencies: Mapping[str, float] = {} if name is None else get_frequency_dict(name, wordlist=_WORD_LIST)
    return frequencies


def frequent_words(language: str) -> list[str]:
    """Return the `STOP_WORDS` most frequent words of a language, none if nobody counted."""
    from wordfreq import top_n_list

    name = _word_list(language)
    return [] if name is None else top_n_list(name, STOP_WORDS, wordlist=_WORD_LIST)


def letters(language: str) -> Letters:
    """Return what the language makes of single letters, where that differs from other languages.

    Turkish and Azerbaijani have two letters I; Serbian is written in two alphabets and Chinese in two sets of
    characters; Persian and Urdu pages are often typed with the Arabic forms of two letters.
    """
    return _simplified() if language == "zh" else _LETTERS.get(language, {})


def _word_list(language: str) -> str | None:
    from wordfreq import available_languages

    name = _WORD_LISTS.get(language, language)
    return name if name in available_languages(_WORD_LIST) else None


@lru_cache(maxsize=1)
def _simplified() -> Letters:
    """Return the simplified form of each traditional Chinese character; a table of wordfreq's own."""
    from wordfreq.util import data_path

    with gzip.open(data_path("_chinese_mapping.msgpack.gz")) as file:
        table: Letters = msgpack.load(file, strict_map_key=False)
    return table
