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
    within_sentence: bool  # another word of the sentence stands before them


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
        end = 0
        for found in _WORD.finditer(text):
            is_apart = bool(text[end : found.start()].strip()) or end == 0
            end = found.end()
            is_content = self._is_content(found[0])
            if is_apart or not is_content:
                if run.words:
                    yield run
                run = Run([], within_sentence=not is_apart or not is_content)
            if is_content:
                run.words.append(found[0])
        if run.words:
            yield run

    def key(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the terms of some words of a run."""
        return tuple(term for word in words for term in self._terms(word))

    def _is_content(self, word: str) -> bool:
        """Tell whether a word is neither a stop word nor too long to be one."""
        return len(word) <= MAX_WORD_LENGTH and any(term != STOP for term in self._terms(word))
