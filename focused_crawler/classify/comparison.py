"""Comparison of a topic's old model with a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focused_crawler.classify.base import PageClassifier
from focused_crawler.classify.held_out import HeldOutPage
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer

_EDGES = "\"'()[]{}<>.,:;!?…«»“”„‘’"


class StrongTerm(NamedTuple):
    """A term, and what it adds to the log odds of a page: the mean over all pages of the kind."""

    term: str
    value: float


def strongest_terms(
    classifier: PageClassifier, relevant: Sequence[Page], other: Sequence[Page], count: int
) -> tuple[list[StrongTerm], list[StrongTerm]]:
    """Return the terms with most evidence for the relevant pages, and against the others, strongest first."""
    for_it = _mean(classifier, relevant).most_common(count)
    against = _mean(classifier, other).most_common()[: -count - 1 : -1]
    return (
        [StrongTerm(*item) for item in for_it if item[1] > 0],
        [StrongTerm(*item) for item in against if item[1] < 0],
    )


class TermChanges(NamedTuple):
    """Terms that speak most for or against by one of two models, and not by the other; strongest first."""

    gained: Sequence[StrongTerm]  # they speak for the topic now
    lost: Sequence[StrongTerm]  # they did, and do so less
    gained_against: Sequence[StrongTerm]
    lost_against: Sequence[StrongTerm]

    @classmethod
    def between(
        cls,
        old: PageClassifier,
        new: PageClassifier,
        relevant: Sequence[Page],
        other: Sequence[Page],
        count: int,
    ) -> TermChanges:
        """Compare the `count` strongest terms of each model on the same pages."""
        before = strongest_terms(old, relevant, other, count)
        after = strongest_terms(new, relevant, other, count)
        changes = []
        for was, now in zip(before, after, strict=True):
            known, left = {one.term for one in was}, {one.term for one in now}
            changes.append([one for one in now if one.term not in known])
            changes.append([one for one in was if one.term not in left])
        return cls(*changes)


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


class Agreement(NamedTuple):
    """Numbers of examples by label, of those that a model was not trained from."""

    relevant: int
    other: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Old and new model. `metrics` of each are of its own examples, held out; they can be set side by side
    where the examples are the same. `unseen` examples are new to both, and their figures always can.
    """

    old: TopicModel
    new: TopicModel
    has_same_examples: bool
    unseen: Agreement  # own examples that the old model was not trained from
    by_old: Agreement  # of these, judged as labelled by the old model
    by_new: Agreement  # and by the new one, held out


def compare(
    old: TopicModel, new: TopicModel, held_out: Sequence[HeldOutPage], pages: Sequence[Page]
) -> Comparison:
    """Compare by the new model's held-out pages; `pages` are all examples."""
    known = {page.url: page for page in pages}
    unseen = [
        page for page in held_out if not page.is_background and example_key(page.url) not in old.learnt_from
    ]
    truth = [page.is_relevant for page in unseen]
    by_old = [old.classifier.relevance(known[page.url]) >= old.threshold for page in unseen]
    by_new = [page.relevance >= new.threshold for page in unseen]
    return Comparison(
        old=old,
        new=new,
        has_same_examples=old.learnt_from == new.learnt_from,
        unseen=_right(truth, truth),
        by_old=_right(by_old, truth),
        by_new=_right(by_new, truth),
    )


def _right(decided: Sequence[bool], truth: Sequence[bool]) -> Agreement:
    """Count the decisions that are right."""
    right = Counter(true for decision, true in zip(decided, truth, strict=True) if decision == true)
    return Agreement(right[True], right[False])
