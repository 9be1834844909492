"""What a classifier goes by: the terms that say most about a set of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from focused_crawler.classify.base import PageClassifier
from focused_crawler.page.model import Page
from focused_crawler.text.tokens import Analyzer

_EDGES = "\"'()[]{}<>.,:;!?…«»“”„‘’"


class StrongTerm(NamedTuple):
    """A term, and what it adds to the log odds of a page: the mean over all pages of the kind."""

    term: str
    value: float


def strongest_terms(
    classifier: PageClassifier, relevant: Sequence[Page], other: Sequence[Page], count: int
) -> tuple[list[StrongTerm], list[StrongTerm]]:
    """Return what speaks most for the relevant pages, and what most against the others, strongest first."""
    for_it = _mean(classifier, relevant).most_common(count)
    against = _mean(classifier, other).most_common()[: -count - 1 : -1]
    return (
        [StrongTerm(*item) for item in for_it if item[1] > 0],
        [StrongTerm(*item) for item in against if item[1] < 0],
    )


def _mean(classifier: PageClassifier, pages: Sequence[Page]) -> Counter[str]:
    total: Counter[str] = Counter()
    for page in pages:
        for term, value in classifier.evidence(page).terms.items():
            total[term] += value / len(pages)  # type: ignore[assignment]  # a Counter adds up any number
    return total


def spellings(terms: Collection[str], pages: Iterable[Page], analyzer: Analyzer) -> dict[str, str]:
    """Return how each term is mostly written on the pages, as far as they say; a term is a stem."""
    written: dict[str, Counter[str]] = {}
    for page in pages:
        for word in page.text.lower().split():
            found = analyzer.terms(word)
            if len(found) == 1 and found[0] in terms:
                written.setdefault(found[0], Counter())[word.strip(_EDGES)] += 1
    return {term: counts.most_common(1)[0][0] for term, counts in written.items()}
