"""Text -> terms: words, lower-cased, stop words blanked, stemmed."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from nltk.stem.snowball import SnowballStemmer
from wordfreq import available_languages, top_n_list

from focused_crawler.page.model import STOP, Terms

STOP_WORDS = 100
"""So many of a language's most frequent words are stop words."""

MAX_WORD_LENGTH = 40
_MEMO_SIZE = 500_000

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
    Every distinct word is looked at once: its term is remembered (the memory is bounded).
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language
        stemmer = _SNOWBALL.get(language)
        self._stemmer = SnowballStemmer(stemmer) if stemmer else None
        self._words = _WORD_WITHOUT_APOSTROPHE if language in _ELIDING else _WORD
        self._stop_words = stop_words(language)
        self._memo: dict[str, str] = {}

    def terms(self, text: str) -> Terms:
        """Return the terms of a text in reading order, `STOP` in the place of each stop word.

        >>> Analyzer("en").terms("The robot's arms, and 3 ROBOTS!")
        ['', 'robot', 'arm', '', '3', 'robot']
        """
        memo = self._memo
        words = self._words.findall(text.lower())
        return [memo[word] if word in memo else self._term(word) for word in words]

    def _term(self, word: str) -> str:
        if len(word) > MAX_WORD_LENGTH:
            return STOP
        if len(self._memo) >= _MEMO_SIZE:
            self._memo.clear()
        plain = unicodedata.normalize("NFKC", word).replace("’", "'")
        if plain in self._stop_words:
            term = STOP
        else:
            stem = plain.removesuffix("'s").replace("'", "")
            term = self._stemmer.stem(stem) if self._stemmer else stem
        self._memo[word] = term
        return term


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Return the language's most frequent words (source: wordfreq), plus single Latin letters."""
    letters = frozenset("abcdefghijklmnopqrstuvwxyz")
    if language not in available_languages("small"):
        return letters
    return letters.union(top_n_list(language, STOP_WORDS, wordlist="small"))
