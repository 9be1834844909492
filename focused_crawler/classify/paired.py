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

_UNSEEN = 0.5
"""Pages that are added to each outcome before shares are drawn, after Jeffreys: what was not seen may come.
Then an interval holds its value in 90 to 100 of 100 draws of labels, also where no mistake was seen, and of
two equally good judges 0 to 6 in 100 are called certainly different."""
_ONLY_OLD, _ONLY_NEW = 1, 2
_RIGHT_OLD, _RIGHT_NEW = [0, _ONLY_OLD], [0, _ONLY_NEW]
"""Places of outcomes in `_outcomes`."""

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
        right = by_old == truth, by_new == truth
        # as many of a kind as there are: labels were chosen by kind
        relevant, other = tables = [_outcomes(*(one[kind] for one in right)) for kind in (truth, ~truth)]
        beside = [numbers.dirichlet(table + _UNSEEN, DRAWS).T for table in tables]
        points, alone, together = [], [], []
        for judge in (_RIGHT_OLD, _RIGHT_NEW):
            of_all = [(int(table[judge].sum()), int(table.sum())) for table in tables]
            points.append(_figures(share, *(np.array([hits / pages]) for hits, pages in of_all)))
            drawn = (numbers.beta(hits + _UNSEEN, pages - hits + _UNSEEN, DRAWS) for hits, pages in of_all)
            alone.append(_figures(share, *drawn))
            together.append(_figures(share, *(shares[judge].sum(axis=0) for shares in beside)))
        measured = []
        for (old,), (new,), olds, news, old_beside, new_beside in zip(
            *points, *alone, *together, strict=True
        ):
            drawn_around = ((new_beside - old_beside, new - old), (olds, old), (news, new))
            intervals = (_interval(draws, float(value)) for draws, value in drawn_around)
            measured.append(Measured(float(old), float(new), *chain.from_iterable(intervals)))
        both = relevant + other
        return cls(
            int(relevant.sum()), int(other.sum()), unseen, int(both[_ONLY_OLD]), int(both[_ONLY_NEW]),
            *measured,
        )  # fmt: skip


def _outcomes(by_old: Decided, by_new: Decided) -> NDArray[np.int64]:
    """Count pages that both judge right, the old one only, the new one only, and neither."""
    found = (by_old & by_new, by_old & ~by_new, ~by_old & by_new, ~by_old & ~by_new)
    return np.array([one.sum() for one in found], dtype=np.int64)


def _figures(share: float, recall: Vector, rejected: Vector) -> tuple[Vector, Vector, Vector]:
    """Return F1, precision and recall; `rejected`: the share of other pages that are called so."""
    hits = share * recall
    called = hits + (1 - share) * (1 - rejected)
    precision = np.divide(hits, called, out=np.zeros_like(hits), where=called > 0)
    return 2 * hits / (called + share), precision, recall


def _interval(draws: Vector, value: float) -> tuple[float, float]:
    low, high = np.percentile(draws, (50 * (1 - LEVEL), 50 * (1 + LEVEL))).tolist()
    return min(low, value), max(high, value)


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
