"""Inverse document frequencies of a language, compiled before any crawl (Batsakis et al. 2009, Eq. 2).

No crawl may supply them: the pages of a focused crawl are about its topic, so its own words would weigh
least. They come from the word frequencies that `wordfreq` ships. Assumption: a page has `PAGE_LENGTH`
words, drawn independently, so a word of frequency f stands in a share 1 - exp(-f * PAGE_LENGTH) of all pages.

In scripts without spaces a term is a pair of characters. It is as frequent as the words that hold it,
together with the chance that one word ends with its first character and the next begins with its second.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from focused_crawler.page.text.languages import word_frequencies
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.words import WordReader, is_run

PAGE_LENGTH = 500
"""Words of an ordinary page, for the share of pages that hold a word."""

_LONGEST_NUMBER = 4
_FIRST_DIGITS = (0.009, 0.300, 0.175, 0.124, 0.096, 0.078, 0.066, 0.057, 0.050, 0.045)
_POWER_OF_YEARS = -1.9185  # from 2019 to 2039
_COMMON = 1e-5
"""A pair over the boundary of two words is listed from this frequency on: rarer ones are too many."""


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """How rare the terms of one language are on ordinary pages."""

    language: str
    mapping: Mapping[str, float]  # term -> idf, natural logarithm
    default: float  # of every other term: the largest idf there is

    @classmethod
    def for_language(cls, language: str) -> Self:
        """Return the statistics of a language (ISO 639-1), made once a process, in 0.1 to 1.5 s.

        A language unknown to wordfreq has an empty mapping: all its terms weigh the same.
        """
        return cls(language, *_idf_of_language(language))

    def idf(self, term: str) -> float:
        """Return ln(pages / pages that hold the term), > 0."""
        return self.mapping.get(term, self.default)


def idf_of_frequency(frequency: float) -> float:
    """Return the idf of a word that makes up this share of all words.

    >>> round(idf_of_frequency(1e-6), 2), round(idf_of_frequency(0.01), 4)
    (7.6, 0.0068)
    """
    return -math.log(-math.expm1(-frequency * PAGE_LENGTH))


@lru_cache(maxsize=8)
def _idf_of_language(language: str) -> tuple[Mapping[str, float], float]:
    words = word_frequencies(language)
    if not words:
        return {}, idf_of_frequency(1e-6)
    rarest = min(words.values())
    frequencies = _term_frequencies(words, Analyzer(language)) | _number_frequencies(words, rarest)
    idf = {term: idf_of_frequency(frequency) for term, frequency in frequencies.items()}
    return idf, idf_of_frequency(rarest)


def _term_frequencies(words: Mapping[str, float], analyzer: Analyzer) -> dict[str, float]:
    """Pool the frequencies of the words that share a stem or a pair of characters.

    Other words that make several terms are left out.
    """
    frequencies: defaultdict[str, float] = defaultdict(float)
    runs: dict[str, float] = {}
    for word, frequency in words.items():
        terms = analyzer.terms_once(word)
        if is_run(word):
            runs[word] = frequency
        elif len(terms) > 1:
            continue
        for term in filter(None, terms):
            frequencies[term] += frequency
    for pair, frequency in _seams(runs, WordReader(analyzer.language)):
        for term in filter(None, analyzer.terms_once(pair)):
            frequencies[term] += frequency
    return dict(frequencies)


def _seams(runs: Mapping[str, float], reader: WordReader) -> Iterator[tuple[str, float]]:
    """Yield each pair of the last character of a word and the first of another, if it is common."""
    lasts: defaultdict[str, float] = defaultdict(float)
    firsts: defaultdict[str, float] = defaultdict(float)
    for word, frequency in runs.items():
        spelling = reader.spelling(word)
        lasts[spelling[-1]] += frequency
        firsts[spelling[0]] += frequency
    commonest_first = sorted(firsts.items(), key=lambda item: -item[1])
    for last, ends in lasts.items():
        for first, begins in commonest_first:
            if ends * begins < _COMMON:
                break
            yield last + first, ends * begins


def _number_frequencies(words: Mapping[str, float], rarest: float) -> dict[str, float]:
    """Give each number its share of "00", "000", "0000", which stand for all numbers of their length."""
    frequencies: dict[str, float] = {}
    for length in range(2, _LONGEST_NUMBER + 1):
        together = words.get("0" * length, 0.0)
        for number in map(str, range(10 ** (length - 1), 10**length) if together else ()):
            frequency = together * share_of_number(number)
            if frequency > rarest:
                frequencies[number] = frequency
    return frequencies


def share_of_number(number: str) -> float:
    """Return the share of a number among all of its length, by what wordfreq assumes of digits and years."""
    by_first_digit = _FIRST_DIGITS[int(number[0])] / 10.0 ** (len(number) - 1)
    if len(number) != len("2019"):
        return by_first_digit
    year = int(number)
    power = _POWER_OF_YEARS - 0.0083 * max(0, 2019 - year) - 0.2 * max(0, year - 2039)
    by_year: float = 10.0**power
    return by_year + 0.1 * by_first_digit
