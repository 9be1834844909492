"""A topic's old model beside the one that was just trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focused_crawler.classify.held_out import HeldOutPage
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.page.model import Page


class Agreement(NamedTuple):
    """How many labels of examples a model agrees with that it did not learn from."""

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
    unseen: Agreement  # own examples that the old model did not learn from
    by_old: Agreement  # of these, so many does it judge as they are labelled
    by_new: Agreement  # and so many the new one, held out


def compare(
    old: TopicModel, new: TopicModel, held_out: Sequence[HeldOutPage], pages: Sequence[Page]
) -> Comparison:
    """Compare by the new model's held-out pages; `pages` are all examples."""
    known = {page.url: page for page in pages}
    unseen = [
        page for page in held_out if not page.is_background and example_key(page.url) not in old.learnt_from
    ]
    taken = [old.classifier.relevance(known[page.url]) >= old.threshold for page in unseen]
    return Comparison(
        old=old,
        new=new,
        has_same_examples=old.learnt_from == new.learnt_from,
        unseen=_count([(page.is_relevant, True) for page in unseen]),
        by_old=_count(
            [
                (page.is_relevant, is_taken == page.is_relevant)
                for page, is_taken in zip(unseen, taken, strict=True)
            ]
        ),
        by_new=_count(
            [(page.is_relevant, (page.relevance >= new.threshold) == page.is_relevant) for page in unseen]
        ),
    )


def _count(judged: Sequence[tuple[bool, bool]]) -> Agreement:
    """Count what is right, of pairs of (is it relevant, was it judged so)."""
    return Agreement(
        sum(is_right for is_relevant, is_right in judged if is_relevant),
        sum(is_right for is_relevant, is_right in judged if not is_relevant),
    )
