"""Words of like meaning, from WordNet (English; Princeton University) as nltk reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from focused_crawler.page.model import STOP
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ConfigError

LANGUAGE = "en"
SET_UP = "python -m focused_crawler.page.text.wordnet_data"

_TOPICS = 64
_WORDS = re.compile(r"\w+")


class Relations(NamedTuple):
    """The terms that one term is related to by any sense of its words; itself is not among them."""

    synonyms: frozenset[str]  # in one synonym set with it
    neighbours: frozenset[str]  # direct hypernyms and hyponyms that are no synonyms


@lru_cache(maxsize=_TOPICS)
def relations(phrases: tuple[str, ...]) -> dict[str, Relations]:
    """Return for each term of English words and phrases what it is related to; takes 3 s and is remembered.

    The words of a phrase are looked up one by one, each in all its senses and parts of speech. Of what is
    found, entries of several words ("motor vehicle") are left out: a page's terms are single words, and
    "motor" alone is something else. Raises ConfigError where WordNet is not set up.
    """
    analyzer = Analyzer(LANGUAGE)
    found: dict[str, Relations] = {}
    with _wordnet() as wordnet:
        for word in dict.fromkeys(_WORDS.findall(" ".join(phrases).lower())):
            term = _term(word, analyzer)
            if term is not None:
                found[term] = _joined(term, found.get(term), _relations(wordnet.synsets(word), analyzer))
    return found


def _relations(senses: list[Any], analyzer: Analyzer) -> Relations:
    near = [sense for own in senses for sense in (*own.hypernyms(), *own.hyponyms())]
    return Relations(_terms(senses, analyzer), _terms(near, analyzer))


def _joined(term: str, one: Relations | None, other: Relations) -> Relations:
    """Return the relations of all words of a term; a synonym is not a neighbour as well."""
    synonyms, neighbours = other if one is None else map(frozenset.union, one, other)
    return Relations(synonyms - {term}, neighbours - synonyms - {term})


def _terms(senses: Iterable[Any], analyzer: Analyzer) -> frozenset[str]:
    names = {name for sense in senses for name in sense.lemma_names()}
    return frozenset(term for name in names if (term := _term(name, analyzer)) is not None)


def _term(word: str, analyzer: Analyzer) -> str | None:
    """Return the term of a word, None if it is a stop word or not one word."""
    terms = analyzer.terms(word.replace("_", " "))
    return terms[0] if len(terms) == 1 and terms[0] != STOP else None


@contextmanager
def _wordnet() -> Iterator[Any]:
    """Read WordNet while it is needed: nltk's own reader would keep 180 MB and its files for good."""
    # half a second, and most crawls need none of it
    from nltk.corpus import CorpusReader, LazyCorpusLoader, WordNetCorpusReader  # noqa: PLC0415
    from nltk.data import find  # noqa: PLC0415

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def open(self, file: str) -> Any:
            return opened.enter_context(closing(super().open(file)))

    try:
        root = find("corpora/wordnet")
    except LookupError:
        raise ConfigError(f"WordNet is not here, which semantic strategies need; type: {SET_UP}") from None
    translations = LazyCorpusLoader("omw-1.4", CorpusReader, None)  # never read, but asked for
    with ExitStack() as opened:
        yield Reader(root, translations)
