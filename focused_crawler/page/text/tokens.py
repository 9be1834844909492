"""Text -> terms: words and pairs of characters, stop words blanked, stemmed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from sys import intern
from typing import Any, Self

from focused_crawler.page.model import STOP, Terms
from focused_crawler.page.text.languages import frequent_words, stemmer
from focused_crawler.page.text.words import WordReader

MAX_WORD_LENGTH = 40
_WORDS = _PARTS = 100_000  # remembered, 25 MB: a stem takes long; on a real web five times as many save 5 %


class Analyzer:
    """Turns text into terms by the rules of one language (ISO 639 code), whatever the text is written in.

    A language without a Snowball stemmer is not stemmed; one unknown to wordfreq has no stop words.
    Every distinct word, and all that stands between two spaces, is analysed once: its result is
    remembered (the memory is bounded, and no part of a pickle).
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._stem = stemmer(language)
        self._words = WordReader(language).words
        self._stop_words = stop_words(language)
        self._term = _Memo(self._new_term, _WORDS)
        self._terms = _Memo(self._new_terms, _PARTS)

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.language,)

    def terms(self, text: str) -> Terms:
        """Return the terms of a text in reading order, `STOP` for each stop word.

        >>> Analyzer("en").terms("The robot's arms, and 3 ROBOTS!")
        ['', 'robot', 'arm', '', '3', 'robot']
        """
        return self.terms_of(text.split())

    def terms_of(self, parts: Iterable[str]) -> Terms:
        """Return the same of a text that was split at its white space."""
        return list(chain.from_iterable(map(self._terms.__getitem__, parts)))

    def terms_once(self, text: str) -> Terms:
        """Return the terms of a text that nobody asks for again: nothing is remembered."""
        return list(map(self._new_term, self._words(text)))

    def _new_terms(self, part: str) -> tuple[str, ...]:
        return tuple(map(self._term.__getitem__, self._words(part)))

    def _new_term(self, word: str) -> str:
        if len(word) > MAX_WORD_LENGTH or word in self._stop_words:
            return STOP
        # one object a term, here and in tables: to look it up is to find it, without a comparison
        return intern(self._stem(word.removesuffix("'s").replace("'", "")))


class _Memo(dict[str, Any]):
    """Values of a function by its argument; so many, of short arguments, are cached."""

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


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Return the language's most frequent words (pairs of their characters, in a script without spaces), and
    the single Latin letters.
    """
    words = WordReader(language).words
    return frozenset("abcdefghijklmnopqrstuvwxyz").union(*map(words, frequent_words(language)))
