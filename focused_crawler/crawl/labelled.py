"""Pages of a crawl that people labelled and that chance chose: a sample that stands for all of them.

The queue `random` goes through a topic's random order, and so does `spread` within each part of a crawl. So
neither is a simple random sample once the other was used, or once the crawl has gone on. What always is one:
the pages that come first in that order, as far as all of them were drawn.
"""

from __future__ import annotations

from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.safety.errors import TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo
from focused_crawler.topic.label import SAMPLED, random_order_of
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.topic import load_topic

LEAST_LABELS = 50
"""Decided pages of a crawl that are enough to compare it: its harvest rate is known to .14 either way, its
difference to another to .20, which is what training changes."""
LEAST_DECIDED = 0.9
"""Of the pages drawn: nobody knows what the others are, and they are seldom like those that were decided."""

_PAGES = "SELECT position, key, duplicate_of IS NULL FROM pages WHERE position > ? ORDER BY position LIMIT ?"
_OWN = "SELECT key FROM pages WHERE key {among}"
_REDIRECTED = "SELECT requested_key, url FROM pages WHERE requested_key {among} ORDER BY position DESC"


class LabelledSample(NamedTuple):
    """A simple random sample of a crawl's first pages, in the order of fetching."""

    positions: NDArray[np.int64]
    relevant: NDArray[np.bool_]  # by most people, and no copy


def labels_in(database: CrawlDatabase, labels: Labels) -> Labels:
    """Return labels as a crawl knows their pages: one of a URL that redirected there is of where that led."""
    own = database.rows(_OWN.format(among=database.among), (database.many(sorted(labels.by_key)),))
    others = labels.by_key.keys() - {key for (key,) in own}
    if not others:  # for which all pages are looked through
        return labels
    led = database.rows(_REDIRECTED.format(among=database.among), (database.many(sorted(others)),))
    return labels.moved(dict(led))


def labelled_sample(run: RunInfo, database: CrawlDatabase, pages: int) -> LabelledSample | None:
    """Return what people said of pages among the first `pages`; None where that is not enough."""
    try:
        topic = load_topic(run.topic_name)
        labels = labels_in(database, read_labels(topic.folder))
    except TopicError:
        return None
    drawn = {one.key for one in labels.labels if one.queue in SAMPLED and one.crawl == run.job}
    if len(drawn) < LEAST_LABELS:
        return None
    first = [row for rows in database.chunks(_PAGES) for row in rows if row[0] <= pages]
    first.sort(key=lambda row: random_order_of(row[1], topic.name))
    sample = sorted(takewhile(lambda row: row[1] in drawn, first))
    said = [(place, labels.by_key[key].answer, is_first) for place, key, is_first in sample]
    decided = [(place, answer and is_first) for place, answer, is_first in said if answer is not None]
    if len(decided) < max(LEAST_LABELS, LEAST_DECIDED * len(sample)):
        return None
    positions, relevant = zip(*decided, strict=True)
    return LabelledSample(np.array(positions, dtype=np.int64), np.array(relevant, dtype=np.bool_))
