"""F1 over topics, and how sure the difference between two classifiers on the same documents is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Decisions = NDArray[np.bool_]
"""Documents x topics: which topics a document has, or is said to have."""

DRAWS = 2000
LEVEL = 0.95
_CHUNK = 200


class Difference(NamedTuple):
    """Macro F1 of the second less the first, in [-1, 1], with two 95 % intervals.

    `low` to `high`: other documents of the same topics. `low_topics` to `high_topics`: other topics too.
    """

    mean: float
    low: float
    high: float
    low_topics: float
    high_topics: float


def topic_f1(truth: Decisions, decided: Decisions) -> NDArray[np.float64]:
    """Return F1 of each topic; 0 for a topic that no document has or is said to have."""
    weights = np.ones((1, len(truth)))
    return np.asarray(_f1(weights, truth, decided)[0])


def macro_f1(truth: Decisions, decided: Decisions) -> float:
    """Return the mean of the topics' F1."""
    return float(topic_f1(truth, decided).mean())


def accuracy(truth: Decisions, decided: Decisions) -> float:
    """Return the share of the documents whose topics are all right."""
    return float((truth == decided).all(axis=1).mean())


def paired_difference(
    truth: Decisions, first: Decisions, second: Decisions, draws: int = DRAWS
) -> Difference:
    """Compare two classifiers by a paired bootstrap: both are measured on the same drawn documents."""
    chance = np.random.default_rng(0)
    documents, topics = truth.shape
    found = []
    for begin in range(0, draws, _CHUNK):
        count = min(_CHUNK, draws - begin)
        weights = chance.multinomial(documents, np.full(documents, 1 / documents), size=count).astype(float)
        found.append(_f1(weights, truth, second) - _f1(weights, truth, first))
    differences = np.vstack(found)
    drawn = chance.multinomial(topics, np.full(topics, 1 / topics), size=draws) / topics
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(differences.mean(axis=1), tails)
    low_topics, high_topics = np.quantile((differences * drawn).sum(axis=1), tails)
    mean = macro_f1(truth, second) - macro_f1(truth, first)
    return Difference(mean, float(low), float(high), float(low_topics), float(high_topics))


def _f1(weights: NDArray[np.float64], truth: Decisions, decided: Decisions) -> NDArray[np.float64]:
    """Return F1 (draws x topics) of documents that count `weights` (draws x documents) times."""
    right = weights @ (truth & decided)
    named = weights @ truth.astype(float) + weights @ decided.astype(float)
    return np.asarray(2 * right / np.where(named > 0, named, 1.0))
