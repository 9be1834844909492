"""Text -> words: one spelling of each, however it was typed, and pairs of characters where no spaces are.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces, and Korean words are long: what is
written in their scripts becomes overlapping pairs of characters, as in Lucene's CJKAnalyzer, on any page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import normalize

import regex

from focused_crawler.page.text.languages import ELIDING, Letters, letters

NOT_SPACED = (
    r"[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}"
    r"\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]&&[\p{L}\p{Nl}\p{M}]]"
)
"""Pattern (V1 of `regex`) of a character of a script without spaces."""

_LETTERS = rf"[[\p{{L}}\p{{N}}]--{NOT_SPACED}][[\p{{L}}\p{{N}}\p{{M}}]--{NOT_SPACED}]*"
_WORDS = {
    False: regex.compile(rf"({NOT_SPACED}+)|({_LETTERS})", regex.V1),
    True: regex.compile(rf"({NOT_SPACED}+)|({_LETTERS}(?:'{_LETTERS})?)", regex.V1),
}
_ASCII_WORDS = {False: re.compile(r"[a-z0-9]+"), True: re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?")}
_RUN = regex.compile(rf"{NOT_SPACED}+", regex.V1)
_CHARACTER = regex.compile(r"\X")
_PART_OF_CHARACTER = regex.compile(r"[\p{M}\u1100-\u11ff]")
_SIGN = regex.compile(r"[\p{So}\ufdfa]")  # such as ™, of which Unicode's normal form makes letters

_SLICE = 250
"""Normalising takes time in the square of the number of accents in succession; no real word has so many."""
_SLICES = regex.compile(rf"(?s).{{1,{_SLICE}}}(?![\p{{M}}\u1160-\u11ff\uff9e\uff9f])|.{{1,{_SLICE}}}")

_MARKS = (
    (0x0591, 0x05C7),  # Hebrew points
    (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC),  # Arabic
    (0x00AD, 0x00AD), (0x200D, 0x200F), (0x2060, 0x2060), (0xFEFF, 0xFEFF),  # seen by no reader
    (0xFE00, 0xFE0F), (0xE0100, 0xE01EF),  # which form of a character is meant
)  # fmt: skip
_POLYTONIC = [chr(code) for code in range(0x1F00, 0x2000) if chr(code).isalpha()]  # old Greek's accents
_SAME: Letters = {
    **{code: None for first, last in _MARKS for code in range(first, last + 1)},
    **{ord(letter): normalize("NFD", letter)[0] for letter in _POLYTONIC},
    ord("\u05be"): " ",  # a Hebrew hyphen
    ord("\u05f3"): "'",
    ord("\u05f4"): '"',  # Hebrew's own, which most keyboards lack
    **dict(zip(map(ord, "’‘ʼʻİёЁάέήίόύώϊϋΐΰΆΈΉΊΌΎΏΪΫ"), "''''iеЕαεηιουωιυιυαεηιουωιυ", strict=True)),
}
_NON_JOINER = "\u200c"
_JOINED = re.compile(rf"(?<![\u0600-\u06ff]){_NON_JOINER}")


class WordReader:
    """Reads the words of a text by the rules of one language."""

    def __init__(self, language: str) -> None:
        own = letters(language)
        self._letters = _SAME | own
        self._is_ascii_plain = all(code >= 128 for code in own)
        has_apostrophes = language not in ELIDING
        self._ascii_words = _ASCII_WORDS[has_apostrophes].findall
        self._words = _WORDS[has_apostrophes].findall

    def words(self, text: str) -> list[str]:
        """Return the words in their one spelling, pairs where no spaces are; a character alone stays alone.

        >>> WordReader("ja").words("Ｐｙｔｈｏｎ 3入門です")
        ['python', '3', '入門', '門で', 'です']
        """
        if self._is_ascii_plain and text.isascii():
            return self._ascii_words(text.lower())
        found: list[str] = []
        for run, word in self._words(self.spelling(text)):
            if run:
                found += _pairs(run)
            else:
                found.append(word)
        return found

    def spelling(self, text: str) -> str:
        """Return the one spelling of a text: width, case, vowel points, Unicode's normal form fall away.

        So do the accents of Greek, which its capitals lack, and the dots of Russian ё.

        >>> WordReader("de").spelling("Ｇroß ΕΛΛΆΣ كِتاب")
        'gross ελλασ كتاب'
        """
        if _NON_JOINER in text:
            text = _JOINED.sub("", text)
        text = _SIGN.sub(" ", text)
        parts = (text,) if len(text) <= _SLICE else _SLICES.findall(text)
        text = "".join([normalize("NFKC", part) for part in parts])
        return text.translate(self._letters).casefold().replace("i\u0307", "i")


def is_run(word: str) -> bool:
    """Tell whether a word is written in scripts without spaces alone."""
    return _RUN.fullmatch(word) is not None


def is_character(word: str) -> bool:
    """Tell whether a word is one character of such a script, which in running text is part of pairs."""
    return is_run(word) and len(_CHARACTER.findall(word)) == 1


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of what a reader takes for characters: a letter with its signs is one."""
    characters: Sequence[str] = _CHARACTER.findall(run) if _PART_OF_CHARACTER.search(run) else run
    return [one + other for one, other in pairwise(characters)] or [run]
