"""How many pages of a recorded crawl are relevant: from its topic's labels and model, and its own pages."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.crawl.judged import BY_PLAIN_WORDS, BY_WORDS, Judged, JudgeEstimate, LabelSet, estimate
from focused_crawler.crawl.judges import load_model
from focused_crawler.crawl.labelled import labels_in
from focused_crawler.crawl.relevant_share import HeldOutCounts, Numbers
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ModelError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RunInfo
from focused_crawler.store.judges import KEYWORDS, MODEL, THESAURUS, is_certain, is_mixed, kind_of
from focused_crawler.topic.label import RANDOM, SAMPLED
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.topic import Topic, load_topic

_WORDS = (KEYWORDS, THESAURUS)
"""Judges of which crawls about other topics say what to expect, before anybody labels a page."""
_PAGES = """
SELECT position, key, host, duplicate_of IS NOT NULL FROM pages WHERE position > ? ORDER BY position LIMIT ?
"""
_JUDGED = "SELECT relevance, is_relevant FROM pages ORDER BY position"


def estimate_of(
    run: RunInfo, database: CrawlDatabase, judge: str, relevances: Sequence[float], relevant: Sequence[bool]
) -> JudgeEstimate | None:
    """Estimate from all that is known of a crawl's topic and judge; None where nothing is known of them.

    `relevances`, `relevant`: of all recorded pages, in order, by the judge of that name.
    """
    try:
        topic = load_topic(run.topic_name)
        labels = labels_in(database, read_labels(topic.folder))
    except TopicError:
        return None
    model = _model(topic, run, judge)
    held_out = None if model is None else HeldOutCounts.of(model)
    places, copies, hosts = _places(database, labels, len(relevances))
    known = _labels(labels, places, copies, run.job, _learnt(labels, places, judge, model))
    if held_out is None and not known.counting and (kind_of(judge) not in _WORDS or is_mixed(judge)):
        return None
    judged = Judged(np.array(relevances, dtype=np.float64), np.array(relevant, dtype=np.bool_), hosts)
    untrained = BY_WORDS if _goes_by_meaning(topic, judge) else BY_PLAIN_WORDS
    return estimate(judged, known, held_out, untrained=untrained)


def _places(database: CrawlDatabase, labels: Labels, pages: int) -> tuple[dict[int, int], set[int], Numbers]:
    """Return which labelled page stands at which place, from 0 on, which of them are copies, and a number for
    the host of each page.

    Of the first `pages`: a crawl under way has more by now.
    """
    places: dict[int, int] = {}
    copies: set[int] = set()
    numbers: dict[str, int] = {}
    hosts: list[int] = []
    for rows in database.chunks(_PAGES):
        for _, key, host, is_copy in rows[: pages - len(hosts)]:
            if key in labels.by_key:
                places[key] = len(hosts)
                if is_copy:
                    copies.add(key)
            hosts.append(numbers.setdefault(host, len(numbers)))
    return places, copies, np.array(hosts, dtype=np.intp)


def _learnt(labels: Labels, places: dict[int, int], judge: str, model: TopicModel | None) -> frozenset[int]:
    """Return the keys of labelled pages that the judge was trained from; of one that is gone, of all."""
    if is_certain(judge) and kind_of(judge) != MODEL:
        return frozenset()
    if model is None:
        return frozenset(places)
    return frozenset(key for key in places if example_key(labels.by_key[key].url) in model.learnt_from)


def _labels(
    labels: Labels, places: dict[int, int], copies: set[int], job: str, learnt: frozenset[int]
) -> LabelSet:
    """Return what people said; a copy is no further relevant page, whatever its text."""
    own = [label for label in labels.labels if label.queue in SAMPLED and label.crawl == job]
    by_chance = {label.key for label in own}
    alike = {label.key for label in own if label.queue == RANDOM}
    found = [
        (
            places[key],
            verdict.answer and key not in copies,
            key in (alike if key in learnt else by_chance),
            key in learnt,
        )
        for key, verdict in labels.by_key.items()
        if key in places and verdict.answer is not None
    ]
    index, *masks = zip(*found, strict=True) if found else ((), (), (), ())
    return LabelSet(np.array(index, dtype=np.intp), *(np.array(mask, dtype=np.bool_) for mask in masks))


def _goes_by_meaning(topic: Topic, judge: str) -> bool:
    """Tell whether a judge is the topic's words with what they mean; an earlier version's is without."""
    if kind_of(judge) != KEYWORDS:
        return False
    cold = TopicModel.cold(topic, Analyzer(topic.language))
    return cold.meaning is not None and cold.judge_name == judge


def _model(topic: Topic, run: RunInfo, judge: str) -> TopicModel | None:
    """Return the model that judges; None if it is none, or not the one that is there."""
    if kind_of(judge) != MODEL or not is_certain(judge):
        return None
    models = run.settings.get("FOCUSED_MODELS")
    with suppress(ModelError, TopicError):
        model = load_model(topic, Path(models) if models else None, Analyzer(topic.language), {})
        if model.judge_name == judge:
            return model
    return None


def estimate_now(run: RunInfo, database: CrawlDatabase) -> JudgeEstimate | None:
    """Return the same by the judges of the crawl, of what is recorded so far."""
    pages = database.rows(_JUDGED)
    relevances, relevant = [page[0] for page in pages], [bool(page[1]) for page in pages]
    judge = CrawlHistory(database).judge() or run.judge
    return estimate_of(run, database, judge, relevances, relevant)
