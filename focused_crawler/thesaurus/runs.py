"""Runs of words: what stands between stop words and punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import MAX_WORD_LENGTH, Analyzer

_WORD = regex.compile(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’\-&.+#/](?=[\p{L}\p{N}])[\p{L}\p{N}\p{M}]+)*(?:\+\+|#)?"
)


class RunReader:
    """Splits a text of one language at its stop words and at all that is neither a word nor a space."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._terms = lru_cache(maxsize=200_000)(lambda word: tuple(analyzer.terms(word)))

    def runs(self, text: str) -> Iterator[list[str]]:
        """Yield the words of each run, as they are written.

        >>> list(RunReader(Analyzer("en")).runs("Corrosion of ships: anti-fouling paint, zinc"))
        [['Corrosion'], ['ships'], ['anti-fouling', 'paint'], ['zinc']]
        """
        run: list[str] = []
        end = 0
        for found in _WORD.finditer(text):
            word = found[0]
            if run and text[end : found.start()].strip(" \n"):
                yield run
                run = []
            end = found.end()
            if self.is_content(word):
                run.append(word)
            elif run:
                yield run
                run = []
        if run:
            yield run

    def is_content(self, word: str) -> bool:
        """Tell whether a word is neither a stop word nor too long to be one."""
        return len(word) <= MAX_WORD_LENGTH and any(term != STOP for term in self._terms(word))

    def key(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the terms of some words: wordings of the same key are one to a matcher."""
        return tuple(term for word in words for term in self._terms(word))
