"""An old and a new model on the same labels, each page judged by what has not learnt from it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.training import Trained, train
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import Vector
from focused_crawler.safety.errors import ConfigError, TopicError
from focused_crawler.topic.topic import Topic

DRAWS = 2_000
LEVEL = 0.95
_SEED = 20261123  # of the draws: the same labels give the same interval

Decided = NDArray[np.bool_]


class Measured(NamedTuple):
    """A figure by both models, and the difference, new less old, with its interval at LEVEL."""

    old: float
    new: float
    low: float
    high: float
    old_low: float  # the interval of each by itself
    old_high: float
    new_low: float
    new_high: float

    @property
    def difference(self) -> float:
        return self.new - self.old


class Paired(NamedTuple):
    """What both models make of the same labelled pages. Figures are for a web with `relevant_share`."""

    relevant: int  # pages
    other: int
    unseen: int  # of these, new to the old model; of the others it was trained anew, without each fold
    only_old: int  # right by the old one only
    only_new: int
    f1: Measured
    precision: Measured
    recall: Measured

    @property
    def is_better(self) -> bool:
        """Tell whether the new one should be taken: its F1 is no lower, whatever chance has in it."""
        return self.f1.difference >= 0

    @property
    def is_certain(self) -> bool:
        """Tell whether that is more than chance: the interval lies on one side of 0."""
        return self.f1.low > 0 or self.f1.high < 0

    @property
    def verdict(self) -> str:
        """Say in words which one judges these pages better."""
        if not self.only_new and not self.only_old:
            return "the new one judges them as the old one does"
        found = f"the new one is {'better' if self.is_better else 'worse'}"
        return found if self.is_certain else f"{found}, though that may be chance: more labels would tell"

    @classmethod
    def of(cls, old: TopicModel, trained: Trained, topic: Topic, analyzer: Analyzer) -> Self | None:
        """Compare on the examples that the new model was trained from; None where too few can be judged."""
        if trained.report is None:
            return None
        pages = {page.url: page for page in (*trained.relevant, *trained.other)}
        own = [page for page in trained.report.held_out if not page.is_background]
        verdicts = _verdicts_of_old(old, trained, pages, topic, analyzer)
        both = [(page, verdicts[page.url]) for page in own if page.url in verdicts]
        truth = np.array([page.is_relevant for page, _ in both], dtype=np.bool_)
        if not truth.any() or truth.all():
            return None
        by_old = np.array([verdict for _, verdict in both], dtype=np.bool_)
        by_new = np.array([page.relevance >= trained.report.threshold for page, _ in both], dtype=np.bool_)
        unseen = sum(example_key(page.url) not in old.learnt_from for page, _ in both)
        return cls._measured(truth, by_old, by_new, unseen, trained.report.relevant_share)

    @classmethod
    def _measured(cls, truth: Decided, by_old: Decided, by_new: Decided, unseen: int, share: float) -> Self:
        numbers = np.random.default_rng(_SEED)
        relevant, other = np.flatnonzero(truth), np.flatnonzero(~truth)
        drawn = (  # as many of a kind as there are: labels were chosen by kind
            numbers.choice(relevant, (DRAWS, len(relevant))),
            numbers.choice(other, (DRAWS, len(other))),
        )
        found = [_figures(by, relevant[np.newaxis], other[np.newaxis], share) for by in (by_old, by_new)]
        again = [_figures(by, *drawn, share) for by in (by_old, by_new)]
        ends = (50 * (1 - LEVEL), 50 * (1 + LEVEL))
        measured = []
        for (old,), (new,), olds, news in zip(*found, *again, strict=True):
            intervals = (np.percentile(drawn, ends).tolist() for drawn in (news - olds, olds, news))
            measured.append(Measured(float(old), float(new), *chain.from_iterable(intervals)))
        right = by_old == truth, by_new == truth
        return cls(
            len(relevant), len(other), unseen,
            int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()),
            *measured,
        )  # fmt: skip


def _figures(
    decided: Decided, relevant: NDArray[np.intp], other: NDArray[np.intp], share: float
) -> tuple[Vector, Vector, Vector]:
    """Return F1, precision and recall of each draw of pages of both kinds (a row each)."""
    recall, fallout = decided[relevant].mean(axis=1), decided[other].mean(axis=1)
    hits = share * recall
    called = hits + (1 - share) * fallout
    precision = np.divide(hits, called, out=np.zeros_like(hits), where=called > 0)
    return 2 * hits / (called + share), precision, recall


def _verdicts_of_old(
    old: TopicModel,
    trained: Trained,
    pages: Mapping[str, Page],
    topic: Topic,
    analyzer: Analyzer,
) -> Mapping[str, bool]:
    """Return, by URL, whether the old model calls a page relevant that it has not learnt from.

    Pages that are new to it, it judges as it is. Of the others it is trained anew, in folds, from those of
    its examples that are still there; each is judged by the fold that has not seen it. They are left out
    where that cannot be done.
    """
    held_out = trained.report.held_out if trained.report else ()
    had = [page for page in held_out if example_key(page.url) in old.learnt_from]
    unseen = [page for page in held_out if not page.is_background and page not in had]
    found = {page.url: old.classifier.relevance(pages[page.url]) >= old.threshold for page in unseen}
    if old.settings is None or "pseudo" in old.examples:
        return found
    kinds = [
        [pages[page.url] for page in had if (page.is_relevant, page.is_background) == kind]
        for kind in ((True, False), (False, False), (False, True))
    ]
    relevant, other, background = kinds
    try:
        _, report = train(
            topic, relevant, other, old.settings, analyzer, background=background, asked=trained.asked
        )
    except (TopicError, ConfigError):  # too few of them are left, or its classifier is not there any more
        return found
    again = (page for page in report.held_out if not page.is_background)
    return found | {page.url: page.relevance >= report.threshold for page in again}
