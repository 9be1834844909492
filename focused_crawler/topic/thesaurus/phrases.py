"""Noun phrases and proper nouns of a text, without a model that would have to be fetched.

A phrase is a run of one to four words between stop words, punctuation and borders, up to a noun. WordNet
tells nouns of English where it is set up; a word that it does not know is taken for one, as is any word
without it. A name is a phrase whose words begin with capitals, after a word that does not. Japanese has no
spaces: there a phrase is a run of kanji or of katakana, as most of its terms are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import dropwhile, pairwise
from typing import NamedTuple

import regex

from focused_crawler.page.model import STOP, Link, Page, Terms
from focused_crawler.page.text.tokens import MAX_WORD_LENGTH, Analyzer
from focused_crawler.page.text.wordnet import LANGUAGE, WordNet
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.model import Key, wording_key

MAX_WORDS = 4
MAX_CHARACTERS = 20_000
"""Of a text that are read: what a page is about stands at its top."""

BORDER = "\n"
"""Stands in a text where a block, a cell or a link begins or ends: no phrase goes on there."""

_LEAST_LETTERS = 3  # of a phrase of one word
_REMEMBERED = 100_000  # words
_LAST, _BEFORE = "n", "na"  # WordNet's parts of speech that may end a phrase, and that may stand before
_VERB_TIMES = 2  # as many senses as a verb that were met in texts: "rises" is seldom a noun

_WITHOUT_SPACES = frozenset(["zh", "th", "lo", "km", "my"])  # nor a script that tells terms from other words
_JAPANESE = "ja"
_TERM = regex.compile(
    r"(?<![\p{Han}々])[\p{Han}々]{2,8}(?![\p{Han}々])|(?<![\p{Katakana}ー])[\p{Katakana}ー]{2,12}(?![\p{Katakana}ー])"
)
_NOT_SPACED = regex.compile(r"[\p{Han}々\p{Hiragana}\p{Katakana}ー]+")

_FUNCTION_WORDS = frozenset([
    "about", "above", "across", "after", "against", "along", "although", "amid", "among", "around",
    "because", "before", "behind", "below", "beneath", "beside", "besides", "between", "beyond",
    "despite", "down", "during", "except", "how", "if", "inside", "into", "near", "nor", "off", "onto",
    "outside", "over", "per", "since", "than", "though", "through", "throughout", "till", "toward",
    "towards", "under", "underneath", "unless", "unlike", "until", "up", "upon", "versus", "via",
    "what", "when", "where", "whereas", "whether", "which", "while", "who", "whose", "why", "with",
    "within", "without",
])  # fmt: skip
"""Prepositions, conjunctions and the like of English: WordNet has none, or has them as something rare."""
_WORD = regex.compile(
    r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:['’&.+/-][\p{L}\p{N}][\p{L}\p{N}\p{M}]*+)*+(?:\+\+|#)?"
)
_WORDS = 200_000  # remembered


class WordSpan(NamedTuple):
    """Some words in succession."""

    words: list[str]  # as they are written
    within_sentence: bool  # a word that begins with a small letter stands before them
    at_border: bool  # punctuation or an end of the text is on one side of them or on both


class RunReader:
    """Splits a text of one language at its stop words and at all that is neither a word nor a space."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._terms = lru_cache(_WORDS)(lambda word: tuple(analyzer.terms(word)))

    def runs(self, text: str) -> Iterator[WordSpan]:
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
                yield WordSpan(words, is_within, is_bordered or is_apart)
                words = []
            if is_content and not words:
                is_within = before is not None and before[0][0].islower() and not is_apart
                is_bordered = is_apart
            if is_content:
                words.append(found[0])
            before = found
        if words:
            yield WordSpan(words, is_within, at_border=True)

    def key(self, words: tuple[str, ...]) -> Key:
        """Return the terms of some words of a run, as `wording_key` does of one text."""
        terms = [term for word in words for term in self._terms(word)]
        while terms and terms[-1] == STOP:
            terms.pop()
        return tuple(dropwhile(STOP.__eq__, terms))

    def _is_content(self, word: str) -> bool:
        """Tell whether a word is neither a stop word nor too long to be one."""
        return len(word) <= MAX_WORD_LENGTH and any(term != STOP for term in self._terms(word))


class Phrase(NamedTuple):
    """One place where a phrase stands."""

    key: Key  # its terms: phrases of one key are one
    wording: str  # as it is written
    is_name: bool


def check_language(language: str) -> None:
    """Raise TopicError for a language whose words cannot be told apart."""
    if language in _WITHOUT_SPACES:
        raise TopicError(
            f"a thesaurus in {language} cannot be grown: it is written without spaces, and no phrase can be"
            " told there; add entries to thesaurus.toml by hand"
        )


class PhraseReader:
    """Reads the phrases of texts of one language."""

    def __init__(self, analyzer: Analyzer, wordnet: WordNet | None = None) -> None:
        self._analyzer = analyzer
        self._runs = RunReader(analyzer)
        self._wordnet = wordnet if analyzer.language == LANGUAGE else None
        self._may_be = lru_cache(2 * _REMEMBERED)(self._new_may_be)

    def phrases(self, text: str) -> Iterator[Phrase]:
        """Yield the phrases of a text's beginning as often as they stand there, also within others.

        >>> reader = PhraseReader(Analyzer("en"))
        >>> [phrase.wording for phrase in reader.phrases("It is about anti-fouling paint of Hempel.")]
        ['anti-fouling', 'paint', 'anti-fouling paint', 'Hempel']
        """
        text = text[:MAX_CHARACTERS]
        if self._analyzer.language == _JAPANESE:
            yield from self._japanese(text)
            text = _NOT_SPACED.sub(BORDER, text)
        for part in text.split(BORDER):
            for run in self._runs.runs(part):
                yield from self._phrases(run)

    def _japanese(self, text: str) -> Iterator[Phrase]:
        for found in _TERM.finditer(text):
            if key := wording_key(found[0], self._analyzer):
                yield Phrase(key, found[0], is_name=False)

    def _phrases(self, run: WordSpan) -> Iterator[Phrase]:
        words = run.words
        for end in range(1, len(words) + 1):
            if not self._may_be(words[end - 1], _LAST):
                continue
            for start in range(end - 1, max(end - 1 - MAX_WORDS, -1), -1):
                part = tuple(words[start:end])
                if start < end - 1 and not self._may_be(part[0], _BEFORE):
                    break
                key = self._runs.key(part)
                if len(part) > 1 or len(part[0]) >= _LEAST_LETTERS:
                    is_within = words[start - 1][0].islower() if start else run.within_sentence
                    is_name = is_within and all(word[0].isupper() for word in part)
                    yield Phrase(key, " ".join(part), is_name)

    def _new_may_be(self, word: str, parts: str) -> bool:
        """Tell whether a word is one of some parts of speech, or one that nobody knows."""
        return self._is_content(word) and (self._is(word, parts) or not self._is(word, "nvar"))

    def _is_content(self, word: str) -> bool:
        """Tell whether a word is no number and no address, nor, in English, one that only joins others."""
        if self._wordnet is None:
            return self._is_written(word)
        return self._is_written(word) and word.lower() not in _FUNCTION_WORDS and not self._is_verb(word)

    def _is_verb(self, word: str) -> bool:
        """Tell whether a word is the form of a verb in -s more often than a plural: "rises", not "works"."""
        assert self._wordnet is not None
        if not word.endswith("s") or self._wordnet.has_entry(word, "n"):
            return False
        return self._wordnet.sense_count(word, "v") > _VERB_TIMES * self._wordnet.sense_count(word, "n")

    def _is_written(self, word: str) -> bool:
        """Tell whether a word is neither a number nor an address."""
        return any(map(str.isalpha, word)) and "/" not in word and word.count(".") < 2

    def _is(self, word: str, parts: str) -> bool:
        return self._wordnet is None or any(self._wordnet.is_word(word, part) for part in parts)


def bordered_text(page: Page, analyzer: Analyzer) -> str:
    """Return what phrases are read of: the beginning of a text, `BORDER` between what is no neighbour.

    Two words are neighbours where they stand side by side in a block of the page, both in a link or both
    outside. The page is partitioned; one without blocks has no borders.
    """
    words = page.text[:MAX_CHARACTERS].split()
    if not page.blocks:
        return " ".join(words)
    neighbours = {pair for run in _runs(page) for pair in pairwise(run)}
    parts, last = list[str](), None
    for word in words:
        terms = analyzer.terms(word)
        is_apart = last is not None and bool(terms) and (last, terms[0]) not in neighbours
        parts += (BORDER if is_apart else " ", word)
        last = terms[-1] if terms else last
    return "".join(parts[1:])


def _runs(page: Page) -> Iterator[Terms]:
    """Yield the terms of each link, and of what is between links, of each block."""
    links: list[list[Link]] = [[] for _ in page.blocks]
    for link in page.links:
        links[link.block].append(link)
    for block, within in zip(page.blocks, links, strict=True):
        end = 0
        for link in within:
            if link.anchor and (start := _start(block.terms, link, end)) is not None:
                yield block.terms[end:start]
                yield link.anchor
                end = start + len(link.anchor)
        yield block.terms[end:]


def _start(terms: Terms, link: Link, first: int) -> int | None:
    """Return where in a block's terms a link stands, from `first` on."""
    size, before = len(link.anchor), link.context[: link.before]
    for start in range(max(first, link.before), len(terms) - size + 1):
        is_there = terms[start : start + size] == link.anchor
        if is_there and terms[start - link.before : start] == before:
            return start
    return None
