"""What of ITFIDF helps, by how much, and why: its parts against TFIDF on one set."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.metrics import accuracy_score

from benchmarks.studies import text_sets
from benchmarks.studies.text_sets import Outcome, TextSet, macro_f1
from benchmarks.studies.weighting import FEWEST, Choice, Counts, Tuner, Weighting, count
from focused_crawler.page.text import weighting as formulas

SPEC = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""What tuning may choose from on each side, and which sides differ by a part of ITFIDF."""

SIZES = (500, 2000, 5000)
SECTIONS = {"flat": formulas.RAW, "weighted": formulas.SECTION_WEIGHTS}
BEST = 50
TFIDF = Weighting(terms=5000)
ITFIDF = Weighting("document", sections=formulas.SECTION_WEIGHTS, terms=5000, is_scaled=False)


def compared(text_set: TextSet) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield all that is measured of a set, rows by kind: methods, topics, differences, pruned, cause."""
    train, test = count(text_set)
    tuner, truth, of_set = Tuner(train, test, text_set.is_single), test.topics, {"set": text_set.name}
    sides = _tuned(tuner, SPEC["sides"], (*SIZES, None))
    ours = {"tfidf_nb": sides["tfidf"], "itfidf_nb": sides["itfidf"]}
    for method, one in {**dict(text_sets.outcomes(text_set)), **ours}.items():
        each = 1e6 * one.predict_s / len(truth)
        quality = {"f1": macro_f1(truth, one.decided), "accuracy": 100 * accuracy_score(truth, one.decided)}
        times = {"train_s": one.train_s, "us": each}
        yield "methods", {**of_set, "method": method, **quality, "points": 100 * quality["f1"], **times}
        for topic, f1 in zip(text_set.topics, text_sets.topic_f1(truth, one.decided).tolist(), strict=True):
            yield "topics", {**of_set, "topic": topic, "method": method, "points": 100 * f1}
    # Each topic judged alone, as a crawler does.
    alone = _tuned(Tuner(train, test, is_single=False), SPEC["alone"], (5000, None))
    printed, mean_gain = (
        as_printed(tuner, ITFIDF),
        float(formulas.document_information_gain(train.raw).mean()),
    )
    pairs = {
        "printed": (as_printed(tuner, TFIDF), printed),
        "larger": (as_printed(tuner, TFIDF, mean_gain), printed),
        "tuned": (sides["tfidf"], sides["itfidf"]),
        **{name: (sides[without], sides[having]) for name, (without, having) in SPEC["parts"].items()},
        **{f"alone, {name}": (alone["tfidf"], alone[name]) for name in ("itfidf", "class_gain")},
    }
    for kind, pair in pairs.items():
        yield "differences", {**of_set, "kind": kind, **_difference(truth, *pair)}
    for selection, outcome in _pruned(tuner):
        yield "pruned", {**of_set, "terms": selection, "points": 100 * macro_f1(truth, outcome.decided)}
    yield "cause", {**of_set, **_cause(train, test)}


def _difference(truth: Any, first: Outcome, second: Outcome) -> dict[str, float]:
    """Return macro F1 of both and what the second has more, in points; also as a share."""
    found = text_sets.paired_difference(truth, first.decided, second.decided)
    row = {"first": macro_f1(truth, first.decided), "second": macro_f1(truth, second.decided)}
    points = {name: 100 * value for name, value in {**row, **found._asdict()}.items()}
    return points | {f"share_{name}": value for name, value in found._asdict().items()}


def _tuned(tuner: Tuner, sides: Mapping[str, Any], sizes: Sequence[int | None]) -> dict[str, Outcome]:
    """Return the best that each side may choose."""
    found = {}
    for name, side in sides.items():
        choices = product(side["gains"], side["sections"], sizes)
        weightings = [Weighting(*gain, SECTIONS[section], size) for gain, section, size in choices]
        found[name] = tuner.outcome(tuner.best(weightings))
    return found


def as_printed(tuner: Tuner, weighting: Weighting, scale: float = 1.0) -> Outcome:
    return tuner.outcome(Choice(0.0, weighting, scale, np.zeros(tuner.train.topics.shape[1])))


def _pruned(tuner: Tuner) -> Iterator[tuple[str, Outcome]]:
    """Yield what is left of TFIDF when terms are pruned; smoothing and thresholds are tuned."""
    for selection in ("pointwise", "expected"):
        for size in SIZES:
            choice = tuner.best([Weighting(terms=size, selection=selection)])
            yield f"{selection} {size}", tuner.outcome(choice)
    yield "all", tuner.outcome(tuner.best([Weighting()]))


def _cause(train: Counts, test: Counts) -> dict[str, float]:
    """Return what the document gain does to terms: shares and correlations."""
    frequencies = formulas.document_frequencies(train.raw)
    idf = formulas.inverse_document_frequency(train.raw)
    document = formulas.document_information_gain(train.raw)
    by_class = np.mean(
        [formulas.class_information_gain(train.raw, topic) for topic in train.topics.T], axis=0
    )
    place = np.argsort(np.argsort(-document, kind="stable")) / len(document)
    is_rare = frequencies < FEWEST
    rare = []
    for gain in (np.ones(len(idf)), document):
        squares = formulas.itfidf(test.raw, idf, gain, ig_in_norm=True).power(2)
        rare.append(float(squares[:, is_rare].sum() / squares.sum()))
    return {
        "once": float((frequencies == 1).mean()),  # terms of one document: all have the highest gain there is
        "with_idf": float(spearmanr(document, idf).statistic),  # rank correlation over terms
        "with_class": float(spearmanr(document, by_class).statistic),
        # Where the best terms by class gain lie by document gain: 0 first, 1 last.
        "best_place": float(np.median(place[np.argsort(-by_class)[:BEST]])),
        # The share that rare terms have in the squares of a test document's weights.
        "rare_tfidf": rare[0],
        "rare_itfidf": rare[1],
    }
