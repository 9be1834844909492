"""A thesaurus grown without anybody: what the pages have in common that its own words find.

The pages that many small searches with the thesaurus's words find are taken for relevant, others that were
drawn at random for not: some of either are not, and both are counted on to be few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from focused_crawler.search.base import SearchProvider
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.grow import Candidate, candidates
from focused_crawler.thesaurus.of_topic import first_thesaurus
from focused_crawler.thesaurus.sources import texts_of_web
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.thesaurus.wordnet_files import WordNetFiles, open_wordnet
from focused_crawler.topic import Topic

NEW = 20
"""Entries that are added."""

LEAST_WORDS = 2
"""Of what is added unseen: a single word means too much else."""


def thesaurus_from_web(topic: Topic, provider: SearchProvider, web: Path) -> Thesaurus:
    """Return a thesaurus made of a topic's words, of WordNet, and of what the local search finds in a web."""
    first = first_thesaurus(topic)
    texts = texts_of_web(first, provider, web)
    with open_wordnet() as wordnet:
        return grown_from_search(first, texts.relevant, texts.other, wordnet)


def grown_from_search(
    thesaurus: Thesaurus,
    found: Sequence[SourceText],
    other: Sequence[SourceText],
    wordnet: WordNetFiles | None = None,
    n: int = NEW,
) -> Thesaurus:
    """Return a thesaurus with up to `n` more entries, all on the top level of the facet that is suggested.

    Deeper ones would make what is there weigh less.
    """
    new = candidates(thesaurus, found, other, n, wordnet, least_words=LEAST_WORDS)
    return replace(thesaurus, facets=tuple(_longer(facet, new) for facet in thesaurus.facets))


def _longer(facet: Facet, new: Sequence[Candidate]) -> Facet:
    more = tuple(Entry(one.wording) for one in new if one.facet == facet.name)
    return replace(facet, entries=(*facet.entries, *more))
