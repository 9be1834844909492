"""How many of a crawl's pages are relevant, and how right its judge is, each with a 95 % interval.

One rule for all cases (`relevant_share`): words alone, held-out examples, labels, and what lies between.
docs/research/coverage.md has how often the intervals hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from focused_crawler.crawl.relevant_draws import Draws, LabelCounts, draws
from focused_crawler.crawl.relevant_share import Cells, Floats, HeldOutCounts, Mask, Numbers, Prior

# `benchmarks/yardstick.py --parts coverage --prior` prints the first and the last.
BY_WORDS = Prior(0.92, 0.75, 0.99, 1.2, 0.27, 0.62, 0.55, 3.28)
"""Of an English topic's words with what they mean. Topics may differ more than the four that it was fitted to
(0.70): docs/research/coverage.md."""
BY_PLAIN_WORDS = Prior(1.07, 0.66, 0.51, 2.64, 0.33, 0.70, 0.64, 3.02)
"""Of words that judge without what they mean, and for thesauri and all else that was not trained."""
BY_EXAMPLES = Prior(2.52, 0.5, 0.5, 0.91, 0.59, 0.62, 0.72, 2.04, -0.73, 0.75, -1.77, 3.03)
_INSIDE = 0.95
"""Share of the draws that are inside an interval."""

Basis = Literal["words", "examples", "labels"]


class Interval(NamedTuple):
    """What nobody knows for certain: in [low, high] 95 times in 100, and as likely below `value` as above."""

    value: float
    low: float
    high: float


_UNKNOWN = Interval(0.5, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A crawl's pages by one judge, an entry a page."""

    relevance: Floats  # [0, 1]
    is_relevant: Mask
    host: Numbers | None = None  # a number for the host of each page, from 0 on; None: not known


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Pages that people judged, an entry a label and at most one a page; some labels are wrong."""

    index: Numbers  # of the page in `Judged`
    truth: Mask
    is_random: Mask  # chosen by chance from all pages of the crawl, and not for what they are
    is_learnt: Mask | None = None
    """The judge was trained from them: how it judges their pages says nothing of others. None: none was.

    Of these only such as were chosen from all pages alike are random.
    """

    @property
    def counting(self) -> int:
        """Return how many say something of the crawl: of those that were learnt from, the random ones."""
        learnt = 0 if self.is_learnt is None else int((self.is_learnt & ~self.is_random).sum())
        return len(self.index) - learnt


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What is known of a crawl and its judge. A share of nothing is 0.5 (0 to 1)."""

    relevant: Interval  # pages
    harvest_rate: Interval
    precision: Interval  # of the judge, on these pages
    recall: Interval
    basis: Basis  # the best of what it rests on
    labels: int  # that it rests on
    to_halve: int  # more random labels that about halve the interval; all other pages, where fewer do not
    learnt: int = 0  # other labels: the judge was trained from them


def estimate(
    judged: Judged,
    labels: LabelSet | None = None,
    held_out: HeldOutCounts | None = None,
    *,
    untrained: Prior = BY_WORDS,
) -> JudgeEstimate:
    """Estimate from all that is known.

    `held_out`: of a judge that was trained from examples; `untrained`: what to expect of another one.
    """
    pages, labelled = len(judged.relevance), 0 if labels is None else len(labels.index)
    count = 0 if labels is None else labels.counting
    basis: Basis = "labels" if count else "words" if held_out is None else "examples"
    if not pages:
        nothing = Interval(0.0, 0.0, 0.0)
        return JudgeEstimate(nothing, _UNKNOWN, _UNKNOWN, _UNKNOWN, basis, count, 0, labelled - count)
    cells = Cells.of(judged.relevance, judged.is_relevant, judged.host)
    prior = untrained if held_out is None else BY_EXAMPLES
    drawn = draws(cells, prior, _answers(cells, labels), held_out, _learnt(labels))
    hits, total = drawn.hits, drawn.hits + drawn.missed
    relevant = _middle(total)
    return JudgeEstimate(
        relevant,
        Interval(*(end / pages for end in relevant)),
        _share(hits, np.full_like(total, judged.is_relevant.sum())),
        _share(hits, total),
        basis,
        count,
        _to_halve(drawn, pages, pages - labelled),
        labelled - count,
    )


def _answers(cells: Cells, labels: LabelSet | None) -> LabelCounts:
    if labels is None:
        return LabelCounts(*np.zeros((4, len(cells.pages))))
    new = np.ones_like(labels.truth) if labels.is_learnt is None else ~labels.is_learnt
    kinds = (labels.is_random & new, ~labels.is_random & new)
    return LabelCounts(
        *(cells.sizes(labels.index[kind & said]) for kind in kinds for said in (labels.truth, ~labels.truth))
    )


def _learnt(labels: LabelSet | None) -> tuple[int, int]:
    """Return how many random pages that the judge has learnt from are relevant, and how many are not."""
    if labels is None or labels.is_learnt is None:
        return 0, 0
    said = labels.truth[labels.is_random & labels.is_learnt]
    return int(said.sum()), int((~said).sum())


def _share(part: Floats, whole: Floats) -> Interval:
    """Return the interval of a share, by the draws that have a whole."""
    has = whole > 0
    return _middle(part[has] / whole[has]) if has.any() else _UNKNOWN


def _middle(values: Floats) -> Interval:
    """Return the median and the shortest interval.

    It reaches a bound where nothing, or all, is most likely; one with equal tails never does.
    """
    values = np.sort(values)
    inside = math.ceil(_INSIDE * len(values))
    first = int(np.argmin(values[inside - 1 :] - values[: len(values) - inside + 1]))
    return Interval(*values[[len(values) // 2, first, first + inside - 1]].tolist())


def _to_halve(drawn: Draws, pages: int, left: int) -> int:
    """Return three times as many labels as alone would say what is known now: what they tell adds up."""
    known = float(np.var((drawn.hits + drawn.missed) / pages))
    return min(left, math.ceil(3 * drawn.doubt / known)) if known else 0
