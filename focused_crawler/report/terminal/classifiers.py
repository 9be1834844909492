"""What a topic's classifier has learnt, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from focused_crawler.classify.examples import contradicted
from focused_crawler.report.terminal.output import lines
from focused_crawler.report.terminal.tables import table
from focused_crawler.safety import formats
from focused_crawler.safety.formats import first_upper, percent, plural
from focused_crawler.safety.printable import place, printable
from focused_crawler.topic.topic import FILE_NAME

if TYPE_CHECKING:  # each command is to load no more than it shows
    from focused_crawler.classify.comparison import Comparison
    from focused_crawler.classify.model import TopicModel
    from focused_crawler.classify.paired import Measured, Paired
    from focused_crawler.classify.training_report import TrainingReport
    from focused_crawler.crawl.model_preview import ModelPreview
    from focused_crawler.discovery.further_examples import Offer
    from focused_crawler.report.training import Training
    from focused_crawler.report.training_state import TrainingState
    from focused_crawler.topic.labels import Labels
    from focused_crawler.topic.topic import Topic

MOST_SHOWN = 3
"""Pages of a kind that change sides."""
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
    "labels": "{} from labels",
}


def taken_of_labels(topic: Topic, labels: Labels) -> list[str]:
    """Return what training takes of a topic's labels, in lines; nothing if it has none."""
    if not labels.by_key:
        return []
    examples = f"{len(topic.relevant_examples)} + {len(topic.other_examples)} examples"
    answers = [verdict.answer for verdict in labels.by_key.values()]
    disputed = sum(verdict.answer is None for verdict in labels.disagreements.pages)
    left_out = {"disagreement": disputed, "unsure page": answers.count(None) - disputed}
    left = [f"{plural(number, what)} left out" for what, number in left_out.items() if number]
    people = "1 person" if len(labels.people) == 1 else f"{len(labels.people)} people"
    decided = f"{plural(len(answers) - answers.count(None), 'label')} of {people}"
    lines = [f"{', '.join([f'{FILE_NAME} names {examples}', decided, *left])}."]
    if against := contradicted(topic, labels):
        more = f" and {len(against) - 1} more" if len(against) > 1 else ""
        lines.append(f"Labels win over the examples that they contradict: {against[0]}{more}.")
    return lines


def topic_quality(report: TrainingReport, topic: Topic) -> Table:
    """Return the cross-validated figures of a topic's model: a row a fold, one of all, one by sites apart."""
    rows = (
        (
            row.name,
            f"{row.relevant} + {row.other}",
            *(f"{figure:.3f}" for figure in (row.precision, row.recall, row.f1, row.calibration_error)),
        )
        for row in (*report.rows, *([report.other_sites] if report.other_sites else []))
    )
    title = f"{topic.title or topic.name}: judged on examples held out of training"
    return table("", ">examples", *(f">{name}" for name in _FIGURES), rows=rows, title=title)


def examples_of(model: TopicModel) -> str:
    """Return how many pages of which kind a model was trained with."""
    return ", ".join(_KINDS[kind].format(number) for kind, number in model.examples.items() if number)


def side_by_side(comparison: Comparison) -> Table:
    """Return the figures of the old and the new model."""
    models = old, new = comparison.old, comparison.new
    rows = [("classifier", *(model.settings.classifier if model.settings else "" for model in models))]
    for title, name in _FIGURES.items():
        rows.append((title, *(f"{m.metrics[name]:.3f}" if name in m.metrics else "-" for m in models)))
    rows.append(("threshold", f"{old.threshold:.2f}", f"{new.threshold:.2f}"))
    numbers = zip(comparison.unseen, comparison.by_old, comparison.by_new, strict=True)
    for kind, (number, *right) in zip(comparison.unseen._fields, numbers, strict=True):
        if number:
            rows.append((f"{kind} examples new to the old, right", *(f"{n} of {number}" for n in right)))
    return table("", ">old", ">new", rows=rows, title="The model that is there, and the new one")


def worth(paired: Paired, before: str, *, must_choose: bool) -> list[str]:
    """Return what the new model is worth beside what was there before and, if one must choose, which."""

    def shown(measured: Measured) -> str:
        interval = f"{measured.low:+.2f} to {measured.high:+.2f}"
        return f"{measured.old:.2f} -> {measured.new:.2f} ({measured.difference:+.2f}; 95 %: {interval})"

    pages = paired.relevant + paired.other
    unseen = f", {paired.unseen} new to the old model" if 0 < paired.unseen < pages else ""
    lines = [
        f"The same {plural(pages, 'example')}, held out{unseen}: {before} -> new model",
        f"  F1        {shown(paired.f1)}",
        f"  precision {shown(paired.precision)}",
        f"  recall    {shown(paired.recall)}",
        f"  right by the new one only: {paired.only_new}; by the old one only: {paired.only_old}",
    ]
    verdict = paired.verdict
    if not must_choose:
        return [*lines, f"{first_upper(verdict)}."]
    kept = "the old one" if before == "old model" else before
    return [*lines, f"{'Accept it' if paired.is_better else f'Keep {kept}'}: {verdict}."]


def standing(topic: Topic, state: TrainingState) -> list[str]:
    """Return which model a topic has, how many labels came since, and whether another model waits."""
    model = state.model
    judge = f"{model.judge_name}, trained with {examples_of(model)}" if model else "its words"
    lines = [f"{topic.name} is judged by {judge}."]
    if state.fault:
        lines.append(f"The model that is there cannot be used: {state.fault}")
    if state.labels:
        lines.append(
            f"{plural(state.labels, 'label')}, {state.new_labels} of pages that it has not learnt from."
        )
    if state.waits:
        lines.append(f"Another model waits in {place(state.folder / 'candidate')}.")
    return lines


def of_crawl(changes: ModelPreview) -> list[str]:
    """Return what a model would change in a crawl."""
    lines = [
        f"{place(Path(changes.folder))}: of {plural(changes.pages, 'page')} {changes.gained:,} would be"
        f" relevant that were not, and {changes.lost:,} no longer."
    ]
    for title, pages in (("Now relevant", changes.now_relevant), ("No longer", changes.no_longer)):
        lines += [f"  {title}: {printable(page.url)}" for page in pages[:MOST_SHOWN]]
    if changes.coming:
        urls = plural(len(changes.coming), "URL")
        lines.append(f"Of the {urls} that come next, {changes.others} would be others.")
        others = [one.url for one in changes.coming if one.place is None]
        lines += [f"  Now among them: {printable(url)}" for url in others[:MOST_SHOWN]]
    return lines


def what_compares(comparison: Comparison) -> str:
    """Return which of these figures may be compared."""
    if comparison.has_same_examples:
        return "Both learnt from the same pages: all figures can be compared."
    words = (
        f"The old one learnt from {examples_of(comparison.old)}. Each has its figures from its own examples,"
        " held out, so they compare only roughly"
    )
    return words + ("; those of examples new to the old one compare." if sum(comparison.unseen) else ".")


def doubts(training: Training) -> Table | None:
    """Return the examples that may be mislabelled, None where there are none."""
    if training.report is None or not training.report.suspects:
        return None
    rows = (
        (
            suspect.url,
            "relevant" if suspect.is_relevant else "other",
            percent(suspect.doubt),
            ", ".join(formats.tidy(training.spell(term), 40) for term in suspect.terms),
        )
        for suspect in training.report.suspects
    )
    title = "Mislabelled? Look at them; many are right"
    return table("example", "|label", ">doubt", "terms that say so", rows=rows, title=title)


def to_label(offers: Sequence[Offer], title: str, why: str = "") -> Table:
    """Return pages that may become examples; `why` names the column of reasons, where they have some."""
    rows: list[list[str | Text]] = [
        [
            f"{page.relevance:.2f}",
            *[lines([formats.tidy(reason, 60)])] * bool(why),
            lines([formats.tidy(page.title, 100) or "Without a title", formats.tidy(page.url)]),
        ]
        for page, reason in offers
    ]
    return table(">relevance", *[why] * bool(why), "page", rows=rows, title=title)
