"""A thesaurus grown without anybody: what the pages have in common that its own words find.

The pages that many small searches with the thesaurus's words find are taken for relevant, others that were
drawn at random for not: some of either are not, and both are counted on to be few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from focused_crawler.page.model import Terms
from focused_crawler.search.base import SearchProvider
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.grow import MAX_TEXTS, Candidate, candidates
from focused_crawler.thesaurus.of_topic import first_thesaurus
from focused_crawler.thesaurus.scoring import ThesaurusScorer, relevance_of
from focused_crawler.thesaurus.sources import texts_of_web
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.thesaurus.wordnet_files import WordNetFiles, open_wordnet
from focused_crawler.topic import Topic

NEW = 40
"""Entries that are added."""

RELEVANT_SHARE = 0.1
"""Of the pages that a crawl sees: what the constant kappa is fitted for, as the trained classifier is."""
_KAPPAS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)


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
    """Return a thesaurus with up to `n` more entries, its kappa fitted to them.

    All are put on the top level of the facet that is suggested: deeper ones would make what is there weigh
    less. More entries are found on more pages, so that another score parts relevant pages from others.
    """
    return fitted(with_entries(thesaurus, candidates(thesaurus, found, other, n, wordnet)), found, other)


def with_entries(thesaurus: Thesaurus, new: Sequence[Candidate]) -> Thesaurus:
    """Return a thesaurus with these as entries at the end of their facets, on the top level."""
    return replace(thesaurus, facets=tuple(_longer(facet, new) for facet in thesaurus.facets))


def fitted(thesaurus: Thesaurus, relevant: Sequence[SourceText], other: Sequence[SourceText]) -> Thesaurus:
    """Return a thesaurus with the kappa by which a relevance of 0.5 best parts these pages (F1)."""
    analyzer = Analyzer(thesaurus.language)
    kinds = [[analyzer.terms(text.text) for text in kind[:MAX_TEXTS]] for kind in (relevant, other)]
    if not all(kinds):
        return thesaurus
    fits = [replace(thesaurus, scoring=replace(thesaurus.scoring, kappa=kappa)) for kappa in _KAPPAS]
    return max(fits, key=lambda fit: _f1(ThesaurusScorer(fit, analyzer), *kinds))


def _longer(facet: Facet, new: Sequence[Candidate]) -> Facet:
    more = tuple(Entry(one.wording) for one in new if one.facet == facet.name)
    return replace(facet, entries=(*facet.entries, *more))


def _f1(scorer: ThesaurusScorer, relevant: Sequence[Terms], other: Sequence[Terms]) -> float:
    """Return F1 where `RELEVANT_SHARE` of the pages are relevant."""
    taken, wrong = (
        sum(relevance_of(scorer.text(terms)) >= 0.5 for terms in kind) / len(kind)
        for kind in (relevant, other)
    )
    positive = RELEVANT_SHARE * taken + (1 - RELEVANT_SHARE) * wrong
    return 2 * RELEVANT_SHARE * taken / (positive + RELEVANT_SHARE)
