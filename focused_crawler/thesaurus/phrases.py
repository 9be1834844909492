"""Noun phrases and proper nouns of a text, without a model that would have to be fetched.

A phrase is a run of one to four words between stop words, punctuation and borders, up to a noun. WordNet
tells nouns of English where it is set up; a word that it does not know is taken for one, as is any word
without it. A name is a phrase whose words begin with capitals, after a word that does not. Japanese has no
spaces: there a phrase is a run of kanji or of katakana, as most of its terms are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from focused_crawler.errors import TopicError
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.runs import Run, RunReader
from focused_crawler.thesaurus.wording import Key, wording_key
from focused_crawler.thesaurus.wordnet_files import WordNetFiles

MAX_WORDS = 4
MAX_CHARACTERS = 20_000
"""Of a text that are read: what a page is about stands at its top."""

BORDER = "\n"
"""Stands in a text where a block, a cell or a link begins or ends: no phrase goes on there."""

_LEAST_LETTERS = 3  # of a phrase of one word
_WORDS = 100_000  # remembered
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


class Phrase(NamedTuple):
    """One place where a phrase stands."""

    key: Key  # its terms: phrases of one key are one
    wording: str  # as it is written
    is_name: bool


def check_language(language: str) -> None:
    """Raise TopicError for a language whose words nothing here can tell apart."""
    if language in _WITHOUT_SPACES:
        raise TopicError(
            f"a thesaurus in {language} cannot be grown: it is written without spaces, and no phrase can be"
            " told there; add entries to thesaurus.toml by hand"
        )


class PhraseReader:
    """Reads the phrases of texts of one language."""

    def __init__(self, analyzer: Analyzer, wordnet: WordNetFiles | None = None) -> None:
        self._analyzer = analyzer
        self._runs = RunReader(analyzer)
        self._wordnet = wordnet if analyzer.language == "en" else None
        self._may_end = lru_cache(_WORDS)(self._new_may_end)
        self._may_stand = lru_cache(_WORDS)(self._new_may_stand)

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

    def _phrases(self, run: Run) -> Iterator[Phrase]:
        words = run.words
        for end in range(1, len(words) + 1):
            if not self._may_end(words[end - 1]):
                continue
            for start in range(end - 1, max(end - 1 - MAX_WORDS, -1), -1):
                part = tuple(words[start:end])
                if start < end - 1 and not self._may_stand(part[0]):
                    break
                key = self._runs.key(part)
                if len(part) > 1 or len(part[0]) >= _LEAST_LETTERS:
                    is_within = words[start - 1][0].islower() if start else run.within_sentence
                    is_name = is_within and all(word[0].isupper() for word in part)
                    yield Phrase(key, " ".join(part), is_name)

    def _new_may_end(self, word: str) -> bool:
        """Tell whether a word may be the last of a phrase: a noun, or one that nobody knows."""
        return self._is_content(word) and (self._is(word, "n") or not self._is_known(word))

    def _new_may_stand(self, word: str) -> bool:
        """Tell whether a word may stand before a noun: anything but a verb or an adverb alone."""
        return self._is_content(word) and (self._is(word, "na") or not self._is_known(word))

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
        return self._wordnet.met(word, "v") > _VERB_TIMES * self._wordnet.met(word, "n")

    def _is_written(self, word: str) -> bool:
        """Tell whether a word is neither a number nor an address."""
        return any(map(str.isalpha, word)) and "/" not in word and word.count(".") < 2

    def _is(self, word: str, parts: str) -> bool:
        return self._wordnet is None or any(self._wordnet.is_word(word, part) for part in parts)

    def _is_known(self, word: str) -> bool:
        return self._is(word, "nvar")
