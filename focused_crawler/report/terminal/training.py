"""What `scrapy train` shows on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from focused_crawler.classify.comparison import Agreement, Comparison
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.suggestions import Candidate
from focused_crawler.classify.training import TrainingReport
from focused_crawler.report.training import Training
from focused_crawler.safety import formats
from focused_crawler.topic.topic import Topic

_FIGURES = {
    "precision": "precision",
    "recall": "recall",
    "F1": "f1",
    "calibration error": "calibration_error",
}
_KINDS = {
    "relevant": "{} relevant",
    "pseudo": "{} pseudo-relevant",
    "other": "{} other",
    "background": "{} of other topics",
}


def quality(report: TrainingReport, topic: Topic) -> Table:
    """Return the cross-validated figures: a row a fold, and one of all."""
    table = Table(title=f"{topic.title or topic.name}: judged on examples held out of training")
    _columns(table, "", "examples", *_FIGURES)
    for row in report.rows:
        figures = (row.precision, row.recall, row.f1, row.calibration_error)
        table.add_row(row.name, f"{row.relevant} + {row.other}", *(f"{figure:.3f}" for figure in figures))
    return table


def learnt_from(model: TopicModel) -> str:
    """Say how many pages of which kind a model learnt from."""
    kinds = [_KINDS[kind].format(number) for kind, number in model.examples.items() if number]
    return ", ".join(kinds)


def side_by_side(comparison: Comparison) -> Table:
    """Return the figures of the old and the new model."""
    old, new = comparison.old, comparison.new
    table = Table(title="The model that is there, and the new one")
    _columns(table, "", "old", "new")
    table.add_row(
        "classifier", *(model.settings.classifier if model.settings else "" for model in (old, new))
    )
    table.add_row("learnt from", learnt_from(old), learnt_from(new))
    for title, name in _FIGURES.items():
        table.add_row(title, *(f"{m.metrics[name]:.3f}" if name in m.metrics else "-" for m in (old, new)))
    table.add_row("threshold", f"{old.threshold:.2f}", f"{new.threshold:.2f}")
    rows = zip(Agreement._fields, comparison.unseen, comparison.by_old, comparison.by_new, strict=True)
    for kind, number, by_old, by_new in rows:
        if number:
            table.add_row(
                f"{kind} examples new to the old, right", *(f"{n} of {number}" for n in (by_old, by_new))
            )
    return table


def what_compares(comparison: Comparison) -> str:
    """Say which of these figures may be set side by side."""
    if comparison.has_same_examples:
        return "Both learnt from the same pages: all figures can be compared."
    text = "Each has its figures from its own examples, held out, so they compare only roughly"
    return text + ("; those of examples new to the old one compare." if sum(comparison.unseen) else ".")


def doubts(training: Training) -> Table | None:
    """Return the examples that may be mislabelled, None where there are none."""
    if training.report is None or not training.report.suspects:
        return None
    table = Table(title="Mislabelled? Look at them; many are right")
    table.add_column("example", overflow="fold")
    _columns(table, "label", "doubt")
    table.add_column("terms that say so")
    for suspect in training.report.suspects:
        terms = ", ".join(formats.tidy(training.spell(term), 40) for term in suspect.terms)
        label = "relevant" if suspect.is_relevant else "other"
        table.add_row(Text(suspect.url), label, formats.percent(suspect.doubt), Text(terms))
    return table


def to_label(pages: Sequence[Candidate]) -> Table:
    """Return pages whose label would teach most."""
    table = Table(title="Pages whose label would teach most")
    _columns(table, "relevance")
    table.add_column("page", overflow="fold")
    for page in pages:
        title = formats.tidy(page.title, 100) or "Without a title"
        table.add_row(f"{page.relevance:.2f}", Text(f"{title}\n{formats.tidy(page.url)}"))
    return table


def _columns(table: Table, *names: str) -> None:
    for name in names:
        table.add_column(name, justify="right" if name else "left")
