"""Text -> terms: words, lower-cased, stop words blanked, stemmed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, Self

from wordfreq import available_languages, top_n_list

from focused_crawler.page.model import STOP, Terms

STOP_WORDS = 100
"""So many of a language's most frequent words are stop words."""

MAX_WORD_LENGTH = 40
_WORDS = 500_000  # remembered: a stem takes long
_PARTS = 250_000

# Vowel signs and accents that are characters of their own (Hebrew, Arabic, scripts of India, Thai, Lao);
# to Python they are no letters.
_MARK = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0971-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd"
_LETTERS = rf"[^\W_]+(?:[{_MARK}]+[^\W_]*)*"
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})?")
_WORD_WITHOUT_APOSTROPHE = re.compile(_LETTERS)

_ELIDING = frozenset({"ca", "fr", "it"})
"""Languages that write an article and its noun with an apostrophe: l'histoire."""

_SNOWBALL = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french",
    "de": "german", "hu": "hungarian", "it": "italian", "no": "norwegian", "nb": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "es": "spanish", "sv": "swedish",
}  # fmt: skip


class Analyzer:
    """Turns text into terms by the rules of one language (ISO 639-1 code).

    A language without a Snowball stemmer is not stemmed; one unknown to wordfreq has no stop words.
    Every distinct word, and all that stands between two spaces, is looked at once: what became of it is
    remembered (the memory is bounded, and no part of a pickle).
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._stem = _stemmer(language)
        self._words = _WORD_WITHOUT_APOSTROPHE if language in _ELIDING else _WORD
        self._stop_words = stop_words(language)
        self._term = _Memo(self._new_term, _WORDS)
        self._terms = _Memo(self._new_terms, _PARTS)

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.language,)

    def terms(self, text: str) -> Terms:
        """Return the terms of a text in reading order, `STOP` in the place of each stop word.

        >>> Analyzer("en").terms("The robot's arms, and 3 ROBOTS!")
        ['', 'robot', 'arm', '', '3', 'robot']
        """
        return self.terms_of(text.split())

    def terms_of(self, parts: Iterable[str]) -> Terms:
        """Return the same of a text that was split at its white space."""
        return list(chain.from_iterable(map(self._terms.__getitem__, parts)))

    def _new_terms(self, part: str) -> tuple[str, ...]:
        return tuple(map(self._term.__getitem__, self._words.findall(part.lower())))

    def _new_term(self, word: str) -> str:
        if len(word) > MAX_WORD_LENGTH:
            return STOP
        plain = unicodedata.normalize("NFKC", word).replace("’", "'")
        return STOP if plain in self._stop_words else self._stem(plain.removesuffix("'s").replace("'", ""))


class _Memo(dict[str, Any]):
    """Values of a function by its argument; so many, of short arguments, are kept."""

    def __init__(self, function: Callable[[str], Any], size: int) -> None:
        self._function = function
        self._size = size

    def __missing__(self, key: str) -> Any:
        value = self._function(key)
        if len(key) <= MAX_WORD_LENGTH:
            if len(self) >= self._size:
                self.clear()
            self[key] = value
        return value


def _stemmer(language: str) -> Callable[[str], str]:
    name = _SNOWBALL.get(language)
    if name is None:
        return str
    from nltk.stem.snowball import SnowballStemmer  # noqa: PLC0415  (half a second; most commands never stem)

    stem: Callable[[str], str] = SnowballStemmer(name).stem
    return stem


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Return the language's most frequent words (source: wordfreq), plus single Latin letters."""
    letters = frozenset("abcdefghijklmnopqrstuvwxyz")
    if language not in available_languages("small"):
        return letters
    return letters.union(top_n_list(language, STOP_WORDS, wordlist="small"))
