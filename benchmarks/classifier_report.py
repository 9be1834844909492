"""The tables of the classifier benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.classifier_comparison import PAPER, PARTS, SIZES, Against, Comparison
from benchmarks.classifier_paired import Difference, accuracy, macro_f1, topic_f1
from benchmarks.classifier_reference import METHODS, REFERENCE, Outcome
from benchmarks.classifier_tables import Grid, points, signed

NAIVE_BAYES = {"tfidf_nb": ("TFIDF-NB", "tfidf"), "itfidf_nb": ("ITFIDF-NB", "itfidf")}
"""Name in the figures -> name in the tables, side of the comparison."""

TITLES = {name: title for name, (title, *_) in METHODS.items()} | {
    name: title for name, (title, _) in NAIVE_BAYES.items()
}
Studies = Sequence["Study"]


@dataclass(frozen=True)
class Study:
    """All that was measured of one text set."""

    reference: dict[str, Outcome]
    comparison: Comparison
    rest: dict[str, Against]  # each topic judged alone

    @property
    def name(self) -> str:
        return self.comparison.text_set.name

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """What each method came to, ours tuned."""
        ours = {name: self.comparison.sides[side] for name, (_, side) in NAIVE_BAYES.items()}
        return self.reference | ours

    def each(self, measure: str) -> dict[str, float]:
        """Return macro F1 or accuracy of each method."""
        truth = self.comparison.text_set.test.topics
        of = {"f1": macro_f1, "accuracy": accuracy}[measure]
        return {name: of(truth, outcome.decided) for name, outcome in self.outcomes.items()}


def set_grids(studies: Studies) -> list[Grid]:
    """Return the tables of the text sets."""
    return [
        _reference(studies),
        _printed(studies),
        _tuned(studies),
        _parts(studies),
        _rest(studies),
        _pruned(studies),
        _cause(studies),
        _accuracy(studies),
        _times(studies),
        _topics(studies),
    ]


def _reference(studies: Studies) -> Grid:
    grid = Grid("reference", "Macro F1: ours, the reference, the difference", ["set", *_titles(METHODS)])
    for study in studies:
        found, wanted = study.each("f1"), dict(zip(METHODS, REFERENCE[study.name], strict=True))
        cells = [
            f"{points(found[name])} / {wanted[name]} / {signed(found[name] - wanted[name] / 100)}"
            for name in METHODS
        ]
        grid.add(study.name, *cells)
    return grid


def _printed(studies: Studies) -> Grid:
    head = [
        "set",
        "TFIDF",
        "TFIDF times mean gain",
        "ITFIDF",
        "ITFIDF less TFIDF",
        "less TFIDF times mean gain",
    ]
    grid = Grid("printed", "Macro F1 with Laplace's 1, 5,000 terms by pointwise MI, nothing tuned", head)
    for study in studies:
        plain, larger = study.comparison.printed, study.comparison.larger
        grid.add(
            study.name,
            *map(points, (plain.tfidf, larger.tfidf, plain.itfidf)),
            *map(_with_span, (plain.difference, larger.difference)),
        )
    return grid


def _tuned(studies: Studies) -> Grid:
    head = ["set", "TFIDF", "ITFIDF", "difference", "other documents", "other documents and topics", "paper"]
    grid = Grid("tuned", "Macro F1, all tuned on training documents for both", head)
    for study in studies:
        tfidf, itfidf, difference = study.comparison.tuned
        spans = [_span(*difference[1:3]), _span(*difference[3:])]
        claim = f"+{PAPER[study.name]}" if study.name in PAPER else "–"
        grid.add(study.name, points(tfidf), points(itfidf), signed(difference.mean), *spans, claim)
    return grid


def _rest(studies: Studies) -> Grid:
    head = ["set", "TFIDF", "ITFIDF", "ITFIDF less TFIDF", "class gain", "class gain less TFIDF"]
    grid = Grid("rest", "Macro F1 where each topic is judged alone, tuned", head)
    for study in studies:
        cells = [points(study.rest["itfidf"].tfidf)]
        for one in study.rest.values():
            cells += [points(one.itfidf), _with_span(one.difference)]
        grid.add(study.name, *cells)
    return grid


def _parts(studies: Studies) -> Grid:
    grid = Grid("parts", "Each part of ITFIDF alone", ["set", *(title for title, *_ in PARTS.values())])
    for study in studies:
        grid.add(study.name, *(_with_span(study.comparison.parts[name]) for name in PARTS))
    return grid


def _pruned(studies: Studies) -> Grid:
    columns = [f"{selection} {size}" for selection in ("pointwise", "expected") for size in SIZES]
    grid = Grid("pruned", "Macro F1 of TFIDF when terms are pruned", ["set", *columns, "all"])
    for study in studies:
        grid.add(study.name, *(points(study.comparison.pruned[name]) for name in (*columns, "all")))
    return grid


def _cause(studies: Studies) -> Grid:
    head = ["set", "in one document", "gain and idf", "document and class gain", "place of the best"]
    grid = Grid("cause", "What the document gain does", [*head, "rare, TFIDF", "rare, ITFIDF"])
    for study in studies:
        cause = study.comparison.cause
        shares = [f"{100 * share:.0f} %" for share in (cause.best_place, cause.rare_tfidf, cause.rare_itfidf)]
        grid.add(
            study.name,
            f"{100 * cause.once:.0f} %",
            f"{cause.with_idf:.3f}",
            f"{cause.with_class:.2f}",
            *shares,
        )
    return grid


def _accuracy(studies: Studies) -> Grid:
    grid = Grid("accuracy", "Documents whose topics are all right, %", ["set", *_titles(TITLES)])
    for study in studies:
        found = study.each("accuracy")
        grid.add(study.name, *(points(found[name]) for name in TITLES))
    return grid


def _times(studies: Studies) -> Grid:
    grid = Grid("times", "Seconds to learn; µs to judge a document", ["set", *_titles(TITLES)])
    for study in studies:
        documents = len(study.comparison.text_set.test.topics)
        cells = [
            f"{one.train_s:.2f}; {1e6 * one.predict_s / documents:.0f}"
            for one in (study.outcomes[name] for name in TITLES)
        ]
        grid.add(study.name, *cells)
    return grid


def _topics(studies: Studies) -> Grid:
    grid = Grid("topics", "F1, topic by topic", ["set: topic", *_titles(TITLES)])
    for study in studies:
        text_set = study.comparison.text_set
        columns = [topic_f1(text_set.test.topics, study.outcomes[name].decided) for name in TITLES]
        for topic, row in zip(text_set.topics, zip(*columns, strict=True), strict=True):
            grid.add(f"{study.name}: {topic}", *map(points, row))
    return grid


def set_figures(studies: Studies) -> Iterator[tuple[str, float]]:
    """Yield f1_SET_METHOD, and the difference of ITFIDF and TFIDF with its interval."""
    for study in studies:
        for name, value in study.each("f1").items():
            yield f"f1_{study.name}_{name}", value
        difference = study.comparison.tuned.difference
        for part, value in zip(("", "_low", "_high"), difference[:3], strict=True):
            yield f"itfidf_less_tfidf{part}_{study.name}", value


def _titles(names: Iterable[str]) -> list[str]:
    return [TITLES[name] for name in names]


def _span(low: float, high: float) -> str:
    return f"{signed(low)} to {signed(high)}"


def _with_span(difference: Difference) -> str:
    return f"{signed(difference.mean)} ({_span(difference.low, difference.high)})"
