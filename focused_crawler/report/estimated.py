"""What is known of how many pages of a crawl are relevant: of recorded ones, and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from focused_crawler.crawl.judged import Basis, Judged, JudgeEstimate, LabelSet, estimate
from focused_crawler.crawl.judges import load_model
from focused_crawler.crawl.relevant_share import HeldOutCounts, Numbers
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ModelError, TopicError
from focused_crawler.safety.formats import count, plural
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import KEYWORDS, MODEL, is_certain, kind_of
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.topic import Topic, load_topic

_PAGES = "SELECT position, key, host FROM pages WHERE position > ? ORDER BY position LIMIT ?"

_BASES: dict[Basis, str] = {
    "words": "judging by the topic's words alone",
    "examples": "judging by the examples that the model was trained from",
}


def estimate_of(
    run: RunInfo, database: CrawlDatabase, judge: str, relevances: Sequence[float], relevant: Sequence[bool]
) -> JudgeEstimate | None:
    """Estimate from all that is known of a crawl's topic and judge; None where nothing is known of them.

    `relevances`, `relevant`: of all recorded pages, in order, by the judge of that name.
    """
    try:
        topic = load_topic(run.settings.get("FOCUSED_TOPIC") or run.topic)
        labels = read_labels(topic.folder)
    except TopicError:
        return None
    held_out = _held_out(topic, run, judge)
    places, hosts = _places(database, labels)
    known = _labels(labels, places, run.job)
    if held_out is None and not len(known.index) and kind_of(judge) != KEYWORDS:
        return None
    judged = Judged(np.array(relevances, dtype=np.float64), np.array(relevant, dtype=np.bool_), hosts)
    return estimate(judged, known, held_out)


def _places(database: CrawlDatabase, labels: Labels) -> tuple[dict[int, int], Numbers]:
    """Return which labelled page stands at which place, from 0 on, and a number for the host of each page."""
    places: dict[int, int] = {}
    numbers: dict[str, int] = {}
    hosts: list[int] = []
    for rows in database.chunks(_PAGES):
        for _, key, host in rows:
            if key in labels.by_key:
                places[key] = len(hosts)
            hosts.append(numbers.setdefault(host, len(numbers)))
    return places, np.array(hosts, dtype=np.intp)


def _labels(labels: Labels, places: dict[int, int], job: str) -> LabelSet:
    by_chance = {label.key for label in labels.labels if label.queue == "random" and label.crawl == job}
    found = [
        (places[key], verdict.answer, key in by_chance)
        for key, verdict in labels.by_key.items()
        if key in places and verdict.answer is not None
    ]
    index, truth, is_random = zip(*found, strict=True) if found else ((), (), ())
    return LabelSet(
        np.array(index, dtype=np.intp), np.array(truth, dtype=np.bool_), np.array(is_random, dtype=np.bool_)
    )


def _held_out(topic: Topic, run: RunInfo, judge: str) -> HeldOutCounts | None:
    """Return how the judge did on held-out examples; None if it is not the model that is there."""
    if kind_of(judge) != MODEL or not is_certain(judge):
        return None
    models = run.settings.get("FOCUSED_MODELS")
    with suppress(ModelError, TopicError):
        model = load_model(topic, Path(models) if models else None, Analyzer(topic.language), {})
        if model.judge_name == judge:
            return HeldOutCounts.of(model)
    return None


def about_relevant(pages: int, estimate: JudgeEstimate) -> str:
    """Return how many of a crawl's pages are relevant, how sure that is, and what would make it surer.

    >>> from focused_crawler.crawl.judged import Interval
    >>> rate, number = Interval(0.102, 0.088, 0.121), Interval(245, 210, 290)
    >>> said = about_relevant(2393, JudgeEstimate(number, rate, rate, rate, "labels", 50, 120))
    >>> for part in said.split("; "):
    ...     print(part)
    Of these 2,393 pages about 245 (210 to 290) are relevant, judging by 50 pages that people looked at
    120 more labels of random pages would halve the doubt.
    """
    value, low, high = (count(round(end)) for end in estimate.relevant)
    basis = (
        _BASES.get(estimate.basis) or f"judging by {plural(estimate.labels, 'page')} that people looked at"
    )
    said = f"Of these {plural(pages, 'page')} about {value} ({low} to {high}) are relevant, {basis}"
    if not estimate.to_halve:
        return f"{said}."
    more = " more" if estimate.labels else ""
    labels = f"{count(estimate.to_halve)}{more} label{'' if estimate.to_halve == 1 else 's'}"
    return f"{said}; {labels} of random pages would halve the doubt."
