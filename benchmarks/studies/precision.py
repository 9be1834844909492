"""How often the 95 % interval of `scrapy precision` holds the truth, and how wide it is, on made-up crawls.

    .venv/bin/python benchmarks/study.py precision --into docs/research/precision.md

Five strata of 2,000 pages, of which 20 each are judged without a mistake, 20,000 times. Beside it the usual
interval of a stratified sample, and Wilson's of a simple one of 100 pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated

import numpy as np

from benchmarks.harness import Report
from benchmarks.tables import Rows
from focused_crawler.report.sampling.precision import Count, Z, precision

PAGES, JUDGED = 2_000, 20
STRATA = {
    "90 % relevant each": (0.9,) * 5,
    "98 % each": (0.98,) * 5,
    "50, 70, 85, 95, 99 %": (0.5, 0.7, 0.85, 0.95, 0.99),
    "0, 2, 10, 60, 97 %": (0.0, 0.02, 0.1, 0.6, 0.97),
    "0, 0, 50, 100, 100 %": (0.0, 0.0, 0.5, 1.0, 1.0),
}
Ends = tuple[float, float]


def ours(found: Sequence[int]) -> Ends:
    """Return what the command says."""
    _, low, high = precision([Count(relevant, JUDGED, PAGES) for relevant in found])
    return low, high


def usual(found: Sequence[int]) -> Ends:
    """Return the textbook's: Σ W²·p(1-p)/n."""
    shares = [relevant / JUDGED for relevant in found]
    value = sum(shares) / len(shares)
    error = math.sqrt(sum(p * (1 - p) / JUDGED for p in shares)) / len(shares)
    return value - Z * error, value + Z * error


def simple(found: Sequence[int]) -> Ends:
    """Return Wilson's of a simple sample, as the command has it."""
    _, low, high = precision([Count(found[0], 5 * JUDGED, 5 * PAGES)])
    return low, high


def measure(*, samples: Annotated[int, "of each crawl"] = 20_000) -> Report:
    """Draw, judge, and look whether the truth lies between the ends."""
    rows, chance = Rows(), np.random.default_rng(7)
    for name, shares in STRATA.items():
        relevant = np.array([round(share * PAGES) for share in shares])
        truth = relevant.sum() / (len(shares) * PAGES)
        drawn = chance.hypergeometric(relevant, PAGES - relevant, JUDGED, size=(samples, len(shares)))
        others = len(shares) * PAGES - relevant.sum()
        plain = chance.hypergeometric(relevant.sum(), others, JUDGED * len(shares), size=(samples, 1))
        ways: dict[str, tuple[Callable[[tuple[int, ...]], Ends], np.ndarray]] = {
            "usual": (usual, drawn),
            "ours": (ours, drawn),
            "simple": (simple, plain),
        }
        for way, (ends, counts) in ways.items():
            found = np.array(list(map(cache(ends), map(tuple, counts.tolist()))))
            held = float(((found[:, 0] <= truth) & (truth <= found[:, 1])).mean())
            row = {"strata": name, "way": way, "held": held, "width": float(np.diff(found).mean())}
            rows.append(row)
    return Report({"intervals": rows})
