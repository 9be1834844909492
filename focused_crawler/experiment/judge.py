"""Who says what is relevant: the web's ground truth, or a judge that learnt from other examples.

Only figures and bounds may come from here, nothing that a crawl goes by.
"""

from __future__ import annotations

from focused_crawler.errors import TopicError
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, truth_folder
from focused_crawler.virtualweb.truth import GroundTruth


def truth_of(bench: Bench, subject: Subject) -> GroundTruth:
    """Return what is relevant; a judge must have read the web by now."""
    folder = truth_folder(subject) if subject.judge is None else bench.judges(subject) / subject.topic.name
    truth = GroundTruth.of_topic(folder)
    if truth is None:
        raise TopicError(f"{folder} has no list of relevant pages; run the same command again")
    return truth


def judged_by(subject: Subject) -> str:
    """Return who judges, in words for reports."""
    if subject.judge is None:
        return "the web's ground truth"
    return f"a classifier trained on the examples of {subject.judge.folder}, no ground truth"
