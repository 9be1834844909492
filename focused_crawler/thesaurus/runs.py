"""Runs of words: what stands between stop words and punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import dropwhile
from typing import NamedTuple

import regex

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import MAX_WORD_LENGTH, Analyzer
from focused_crawler.thesaurus.wording import Key

_WORD = regex.compile(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:['’&.+/-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*+)*+(?:\+\+|#)?"
)
_WORDS = 200_000  # remembered


class Run(NamedTuple):
    """Some words in succession."""

    words: list[str]  # as they are written
    within_sentence: bool  # a word that begins with a small letter stands before them
    at_border: bool  # punctuation or an end of the text is on one side of them or on both


class RunReader:
    """Splits a text of one language at its stop words and at all that is neither a word nor a space."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._terms = lru_cache(_WORDS)(lambda word: tuple(analyzer.terms(word)))

    def runs(self, text: str) -> Iterator[Run]:
        """Yield the runs of a text.

        >>> [run.words for run in RunReader(Analyzer("en")).runs("Rust of ships: anti-fouling paint")]
        [['Rust'], ['ships'], ['anti-fouling', 'paint']]
        """
        words: list[str] = []
        is_within = is_bordered = False
        before = None
        for found in _WORD.finditer(text):
            is_apart = before is None or not text[before.end() : found.start()].isspace()
            is_content = self._is_content(found[0])
            if words and (is_apart or not is_content):
                yield Run(words, is_within, is_bordered or is_apart)
                words = []
            if is_content and not words:
                is_within = before is not None and before[0][0].islower() and not is_apart
                is_bordered = is_apart
            if is_content:
                words.append(found[0])
            before = found
        if words:
            yield Run(words, is_within, at_border=True)

    def key(self, words: tuple[str, ...]) -> Key:
        """Return the terms of some words of a run, as `wording_key` does of one text."""
        terms = [term for word in words for term in self._terms(word)]
        while terms and terms[-1] == STOP:
            terms.pop()
        return tuple(dropwhile(STOP.__eq__, terms))

    def _is_content(self, word: str) -> bool:
        """Tell whether a word is neither a stop word nor too long to be one."""
        return len(word) <= MAX_WORD_LENGTH and any(term != STOP for term in self._terms(word))
