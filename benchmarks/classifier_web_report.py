"""The tables of classifiers on the pages of webs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks.classifier_reliability import EDGES, HIGH, Bin, Reliability, pooled
from benchmarks.classifier_tables import Grid, points
from benchmarks.classifier_webs import SIZES, Measured


class Trial(NamedTuple):
    """A method that learnt a topic from some examples."""

    web: str
    topic: str
    method: str
    size: tuple[int, int] | None  # examples drawn; None: the topic's own
    measured: Measured
    reliability: Reliability | None  # None: no probabilities


Trials = Sequence[Trial]

TOP_BINS = 3


def web_grids(trials: Trials, default: str) -> list[Grid]:
    """Return the tables of the webs; `default`: the method whose reliability is shown."""
    own = [trial for trial in trials if trial.size is None]
    drawn = [trial for trial in trials if trial.size is not None]
    shown = [trial for trial in own if trial.method == default]
    return [_topics(own), _means(own), _reliability(shown), _reliability_by_topic(shown), _sizes(drawn)]


def _topics(trials: Trials) -> Grid:
    methods = _names(trials)
    grid = Grid("web_topics", "F1 on all other pages, from the topic's own examples", ["topic", *methods])
    for web in _webs(trials):
        of_web = [trial for trial in trials if trial.web == web]
        for topic in dict.fromkeys(trial.topic for trial in of_web):
            f1 = {trial.method: trial.measured.f1 for trial in of_web if trial.topic == topic}
            grid.add(f"{web}: {topic}", *(points(f1[method]) for method in methods))
        grid.add(f"{web}: mean", *(points(_mean(of_web, method).f1) for method in methods))
    return grid


def _means(trials: Trials) -> Grid:
    head = [
        "method",
        "macro F1",
        "average precision",
        "accuracy",
        "calibration error",
        "train s",
        "ms a page",
    ]
    grid = Grid("web_means", "Means over topics, from the topics' own examples", head)
    for web in _webs(trials):
        for method in _names(trials):
            one = _mean([trial for trial in trials if trial.web == web], method)
            error = "–" if math.isnan(one.calibration_error) else f"{one.calibration_error:.3f}"
            shares = map(points, (one.f1, one.average_precision, one.accuracy))
            grid.add(f"{web}: {method}", *shares, error, f"{one.train_s:.2f}", f"{one.ms_per_page:.3f}")
    return grid


def _reliability(trials: Trials) -> Grid:
    head = ["relevance", "pages", "share of all pages", "mean relevance", "share that is relevant"]
    grid = Grid("web_reliability", "What was said of pages, and what came true; all topics together", head)
    for web in _webs(trials):
        bins = pooled([trial.reliability for trial in trials if trial.web == web and trial.reliability])
        pages = sum(one.pages for one in bins)
        for one in bins:
            said, true = (f"{value / one.pages:.3f}" if one.pages else "–" for value in (one.said, one.true))
            grid.add(f"{web}: {_range(one)}", f"{one.pages:,}", f"{one.pages / pages:.1%}", said, true)
    return grid


def _reliability_by_topic(trials: Trials) -> Grid:
    places = range(len(EDGES) - 1 - TOP_BINS, len(EDGES) - 1)
    ranges = [f"{EDGES[place]:g} to {EDGES[place + 1]:g}" for place in places]
    head = ["topic", "relevant pages", f"below {HIGH:g}", *ranges, "error", f"error from {HIGH:g} on"]
    grid = Grid("web_reliability_topics", "The same by topic: pages; mean relevance; share relevant", head)
    for trial in trials:
        found = trial.reliability
        assert found is not None, "the default method gives probabilities"
        pages, relevant = sum(one.pages for one in found.bins), sum(one.true for one in found.bins)
        below = sum(one.pages for one in found.bins if one.high <= HIGH)
        grid.add(
            f"{trial.web}: {trial.topic}",
            f"{relevant / pages:.1%}",
            f"{below / pages:.1%}",
            *(_said_and_true(found.bins[place]) for place in places),
            f"{trial.measured.calibration_error:.3f}",
            f"{found.high_error:.3f}",
        )
    return grid


def _said_and_true(one: Bin) -> str:
    return f"{one.pages:,}; {one.said / one.pages:.2f}; {one.true / one.pages:.2f}" if one.pages else "–"


def _range(one: Bin) -> str:
    return f"{one.low:g} to {one.high:g}"


def _sizes(trials: Trials) -> Grid:
    titles = [f"{relevant} and {other}" for relevant, other in SIZES]
    head = ["method", *(f"{title}, {measure}" for title in titles for measure in ("F1", "AP", "error"))]
    grid = Grid("web_sizes", "Means over topics and draws, by the number of examples drawn", head)
    for web in _webs(trials):
        for method in _names(trials):
            cells = []
            for size in SIZES:
                one = _mean([trial for trial in trials if (trial.web, trial.size) == (web, size)], method)
                error = "–" if math.isnan(one.calibration_error) else f"{one.calibration_error:.3f}"
                cells += [points(one.f1), points(one.average_precision), error]
            grid.add(f"{web}: {method}", *cells)
    return grid


def web_figures(trials: Trials, default: str) -> Iterator[tuple[str, float]]:
    """Yield macro_f1_WEB_METHOD, that of the default method under its name and `default`, and its errors."""
    own = [trial for trial in trials if trial.size is None]
    for web in _webs(own):
        of_web = [trial for trial in own if trial.web == web]
        for method in _names(own):
            yield f"macro_f1_{web}_{method}", _mean(of_web, method).f1
        best = _mean(of_web, default)
        yield f"macro_f1_{web}_default", best.f1
        yield f"ece_{web}", best.calibration_error
        yield f"ece_{web}_above_02", _high_error(of_web, default)
    if own:
        yield "ms_per_page", _mean(own, default).ms_per_page
        yield "train_s", _mean(own, default).train_s


def _high_error(trials: Trials, method: str) -> float:
    """Return the mean over topics of the calibration error of pages from `HIGH` on."""
    found = [trial.reliability for trial in trials if trial.method == method]
    errors = [one.high_error for one in found if one is not None and not math.isnan(one.high_error)]
    return fmean(errors) if errors else 0.0


def _mean(trials: Trials, method: str) -> Measured:
    rows = [trial.measured for trial in trials if trial.method == method]
    return Measured(*map(fmean, zip(*rows, strict=True)))


def _webs(trials: Trials) -> list[str]:
    return list(dict.fromkeys(trial.web for trial in trials))


def _names(trials: Trials) -> list[str]:
    return list(dict.fromkeys(trial.method for trial in trials))
