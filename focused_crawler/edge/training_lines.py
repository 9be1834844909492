"""What `scrapy train` prints of a training, and what to type next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.classify.model_versions import CANDIDATE, REPORT, is_model
from focused_crawler.report.terminal import classifiers as terminal
from focused_crawler.report.terminal.output import Terminal, warning
from focused_crawler.safety.printable import place, say

if TYPE_CHECKING:
    from focused_crawler.report.training import Training
    from focused_crawler.report.training_record import TrainingRecord
    from focused_crawler.topic.topic import Topic


def show_training(training: Training) -> None:
    """Print how well a new model judges, what is doubtful, and the model before beside it."""
    console, model, report = Terminal(), training.model, training.report
    if report is None:
        say(f"{training.topic.name} has too few examples. Pages near its seeds that contain its words were")
        say("used instead. Nobody has labelled them, so the quality of the model is unknown.")
    else:
        console.print(terminal.topic_quality(report, training.topic))
        say(f"Figures are for a web where {report.relevant_share:.0%} of the pages are relevant.")
        say(f"A page is relevant from {report.threshold:.2f} on ({report.threshold_source}).")
    say(f"Training examples: {terminal.examples_of(model)}.")
    if doubts := terminal.doubts(training):
        console.print(doubts)
    for words in report.warnings if report else ():
        console.print(warning(words))
    if training.comparison:
        console.print(terminal.side_by_side(training.comparison))
        say(terminal.what_compares(training.comparison))


def object_to(record: TrainingRecord | None) -> None:
    """Warn of a model that is worse than none."""
    if record is not None and record.objection:
        Terminal().print(warning(record.objection))


def show_waiting(folder: Path, typed: str, crawl: Path | None) -> None:
    """Print where both models are, and how to take the new one; `crawl`: the topic's last one."""
    old = f"The old model stays in {place(folder)}" if is_model(folder) else "What judged before goes on"
    say(f"{old}; the new one waits in {place(folder / CANDIDATE)}")
    say(f"Report in {place(folder / CANDIDATE / REPORT)}")
    by_it = f", and let {place(crawl)} go by it" if crawl else ""
    say(f"To take it{by_it}: scrapy train {typed} --accept")


def show_next(folder: Path, typed: str, crawl: Path | None, to_crawl: str, *, is_same: bool) -> None:
    """Print where the model is that judges from now on, and the next command, which is `to_crawl`."""
    same = f"The old model stays in {place(folder)}: the new one is the same, and none waits."
    say(same if is_same else f"Model in {place(folder)}", f"Report in {place(folder / REPORT)}")
    if crawl:
        say(f"To let {place(crawl)} go by it: scrapy train {typed} --accept")
    say(f"Next: {to_crawl}")


def show_back(folder: Path, topic: Topic, typed: str, judge: str, *, is_lost: bool) -> None:
    """Print what judges again, and what became of the models that it does not judge by.

    `judge`: the name of what judges where there is no model; `is_lost`: another model waited.
    """
    by_words = f"{topic.name} is judged by {judge} again, as before its first model"
    say(by_words if judge else f"The model before is back in {place(folder)}")
    say(f"The other one waits: scrapy train {typed} --accept")
    if is_lost:
        say("The model that waited before is gone: one waits at a time.")
