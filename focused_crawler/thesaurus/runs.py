"""Runs of words: what stands between stop words and punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import MAX_WORD_LENGTH, Analyzer

_WORD = regex.compile(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:['’&.+/-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*+)*+(?:\+\+|#)?"
)
_WORDS = 200_000  # remembered


class Run(NamedTuple):
    """Some words in succession."""

    words: list[str]  # as they are written
    within_sentence: bool  # a word that begins with a small letter stands before them


class RunReader:
    """Splits a text of one language at its stop words and at all that is neither a word nor a space."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._terms = lru_cache(_WORDS)(lambda word: tuple(analyzer.terms(word)))

    def runs(self, text: str) -> Iterator[Run]:
        """Yield the runs of a text.

        >>> [run.words for run in RunReader(Analyzer("en")).runs("Rust of ships: anti-fouling paint")]
        [['Rust'], ['ships'], ['anti-fouling', 'paint']]
        """
        run = Run([], within_sentence=False)
        end, is_within = 0, False
        for found in _WORD.finditer(text):
            word, between = found[0], text[end : found.start()]
            is_apart = not between.isspace()
            is_content = self._is_content(word)
            if is_apart or not is_content:
                if run.words:
                    yield run
                run = Run([], within_sentence=is_within and not is_apart)
            if is_content:
                if not run.words:
                    run = Run([], within_sentence=is_within and not is_apart)
                run.words.append(word)
            end, is_within = found.end(), word[0].islower()
        if run.words:
            yield run

    def key(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the terms of some words of a run."""
        return tuple(term for word in words for term in self._terms(word))

    def _is_content(self, word: str) -> bool:
        """Tell whether a word is neither a stop word nor too long to be one."""
        return len(word) <= MAX_WORD_LENGTH and any(term != STOP for term in self._terms(word))
