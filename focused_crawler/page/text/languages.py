"""What is known of a language: its stemmer, its most frequent words, its letters. Codes are ISO 639."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import chain, filterfalse, islice
from pathlib import Path
from typing import Any, TypeAlias

import msgpack
from Stemmer import Stemmer

from focused_crawler.safety.errors import ConfigError

STOP_WORDS = 100
"""So many of a language's most frequent words are stop words."""

ELIDING = frozenset({"ca", "fr", "it"})
"""Languages that write an article and its noun with an apostrophe: l'histoire."""

Letters: TypeAlias = dict[int, str | None]
"""What becomes of single characters, as `str.translate` takes it."""

_NUMBER = re.compile(r"\d[\d.,]+")
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
    lists = enumerate(_word_list(language))
    return {word: share for number, words in lists for share in [10 ** (-number / 100)] for word in words}


def frequent_words(language: str) -> list[str]:
    """Return the `STOP_WORDS` most frequent words of a language, none if nobody counted."""
    words = filterfalse(_NUMBER.match, chain.from_iterable(_word_list(language)))
    return list(islice(words, STOP_WORDS))


def letters(language: str) -> Letters:
    """Return what the language makes of single letters, where that differs from other languages.

    Turkish and Azerbaijani have two letters I; Serbian is written in two alphabets and Chinese in two sets of
    characters; Persian and Urdu pages are often typed with the Arabic forms of two letters.
    """
    return _simplified() if language == "zh" else _LETTERS.get(language, {})


@lru_cache(maxsize=8)
def _word_list(language: str) -> list[list[str]]:
    """Return words by their share of all: each list is rarer by 10^.01 than the one before, from 1 on."""
    path = _table(f"small_{_WORD_LISTS.get(language, language)}")
    if not path.exists():
        return []
    format: Any
    words: list[list[str]]
    format, *words = _load(path)
    if format != {"format": "cB", "version": 1}:
        raise ConfigError("wordfreq's lists have another format; install the version that is asked for")
    return words


@cache
def _simplified() -> Letters:
    """Return the simplified form of each traditional Chinese character."""
    letters: Letters = _load(_table("_chinese_mapping"))
    return letters


def _table(name: str) -> Path:
    """Return a file of wordfreq, which takes a tenth of a second to load, for much else that it does."""
    package = find_spec("wordfreq")
    assert package is not None
    return Path(package.origin or "").with_name("data") / f"{name}.msgpack.gz"


def _load(path: Path) -> Any:
    with gzip.open(path) as file:
        return msgpack.load(file, strict_map_key=False)
