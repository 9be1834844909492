"""The tables of classifiers on the pages of webs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks.classifier_tables import Grid, points
from benchmarks.classifier_webs import SIZES, Measured


class Trial(NamedTuple):
    """A method that learnt a topic from some examples."""

    web: str
    topic: str
    method: str
    size: tuple[int, int] | None  # examples drawn; None: the topic's own
    measured: Measured


Trials = Sequence[Trial]


def web_grids(trials: Trials) -> list[Grid]:
    """Return the tables of the webs."""
    own = [trial for trial in trials if trial.size is None]
    drawn = [trial for trial in trials if trial.size is not None]
    return [_topics(own), _means(own), _sizes(drawn)]


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
    """Yield macro_f1_WEB_METHOD, that of the default method under its name and `default`, and its ece."""
    own = [trial for trial in trials if trial.size is None]
    for web in _webs(own):
        of_web = [trial for trial in own if trial.web == web]
        for method in _names(own):
            yield f"macro_f1_{web}_{method}", _mean(of_web, method).f1
        best = _mean(of_web, default)
        yield f"macro_f1_{web}_default", best.f1
        yield f"ece_{web}", best.calibration_error
    if own:
        yield "ms_per_page", _mean(own, default).ms_per_page
        yield "train_s", _mean(own, default).train_s


def _mean(trials: Trials, method: str) -> Measured:
    rows = [trial.measured for trial in trials if trial.method == method]
    return Measured(*map(fmean, zip(*rows, strict=True)))


def _webs(trials: Trials) -> list[str]:
    return list(dict.fromkeys(trial.web for trial in trials))


def _names(trials: Trials) -> list[str]:
    return list(dict.fromkeys(trial.method for trial in trials))
