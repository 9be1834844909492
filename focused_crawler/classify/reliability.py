"""Do relevances come true? Held-out examples by what was said of them, and by other thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from focused_crawler.classify.evaluation import ReportRow
from focused_crawler.classify.held_out import HeldOutPage

BINS = 10
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Bin(NamedTuple):
    """Held-out pages of about the same relevance."""

    low: float
    high: float
    pages: int
    share: float  # of all pages that will be judged, these stand for so many
    said: float  # mean relevance
    true: float  # share that is relevant


def reliability(pages: Sequence[HeldOutPage]) -> list[Bin]:
    """Return the bins of relevance that hold any page, lowest first, weighted as the report's figures are."""
    bins: list[list[HeldOutPage]] = [[] for _ in range(BINS)]
    for page in pages:
        bins[min(int(page.relevance * BINS), BINS - 1)].append(page)
    return [_bin(number, held) for number, held in enumerate(bins) if held]


def _bin(number: int, pages: Sequence[HeldOutPage]) -> Bin:
    share = sum(page.share for page in pages)
    said = sum(page.share * page.relevance for page in pages) / share
    true = sum(page.share for page in pages if page.is_relevant) / share
    return Bin(number / BINS, (number + 1) / BINS, len(pages), share, said, true)


def at_thresholds(pages: Sequence[HeldOutPage]) -> list[ReportRow]:
    """Return how good decisions would be by each of `THRESHOLDS`, which names the row."""
    truth = np.array([page.is_relevant for page in pages], dtype=np.bool_)
    relevances = np.array([page.relevance for page in pages])
    shares = np.array([page.share for page in pages])
    return [
        ReportRow.of(f"{threshold:.1f}", truth, relevances >= threshold, relevances, shares)
        for threshold in THRESHOLDS
    ]
