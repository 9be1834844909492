"""A topic without examples: pages that its words find near its seeds are taken for some (pseudo-examples).

A semi-supervised start after Nigam et al. 2000, of one round; docs/training.md has what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from focused_crawler.classify.cold import ColdClassifier
from focused_crawler.classify.held_out import HeldOut
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.seeded import SeededClassifier
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.classify.trained import TrainedClassifier
from focused_crawler.classify.training import in_fixed_order, labelled
from focused_crawler.errors import TopicError
from focused_crawler.page.model import Page
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic

NEIGHBOURHOOD = 100
"""Pages that are fetched from the seeds on, those first that the most relevant pages link to."""

ENOUGH = 0.5
"""Relevance by the topic's words that makes a pseudo-example."""

_EVEN = 0.5


def train_from_words(
    topic: Topic,
    pseudo: Sequence[Page],
    other: Sequence[Page],
    settings: ClassifierSettings,
    analyzer: Analyzer,
    *,
    relevant: Sequence[Page] = (),
    background: Sequence[Page] = (),
) -> TopicModel:
    """Learn from pages near the seeds (`pseudo_relevant`), and from others.

    `relevant`: pages that a person chose, if there are any. Nobody has labelled the rest, so there are no
    figures of quality. Raises TopicError where too little is found, ConfigError for an unknown classifier.
    """
    method = find_method(settings.classifier, settings.classifiers)
    about, other = in_fixed_order([*relevant, *pseudo]), in_fixed_order(other)
    _check_number(topic, len(about), len(other))
    more = in_fixed_order(background) if getattr(method, "uses_background", False) else []
    examples = labelled(about, other, more, settings)
    scaling = HeldOut.judge(examples, method, settings).calibrated(np.arange(len(examples)), _EVEN)
    learnt = TrainedClassifier(method.fit(examples, settings), scaling)
    threshold = topic.relevance_threshold
    return TopicModel(
        topic=topic.name,
        language=topic.language,
        classifier=SeededClassifier(_words(topic, analyzer), learnt),
        vector=cold_topic_vector(topic, analyzer),
        threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
        settings=replace(settings, relevant_share=_EVEN),
        examples={
            "relevant": len(relevant), "pseudo": len(pseudo), "other": len(other), "background": len(more),
        },
        learnt_from=frozenset(example_key(page.url) for page in examples.pages),
    )  # fmt: skip


def pseudo_relevant(topic: Topic, found: Sequence[Page], analyzer: Analyzer) -> list[Page]:
    """Return the pages that say enough of the topic's words to be taken for relevant."""
    words = _words(topic, analyzer)
    return [page for page in found if words.relevance(page) >= ENOUGH]


def _words(topic: Topic, analyzer: Analyzer) -> ColdClassifier:
    return ColdClassifier(cold_topic_vector(topic, analyzer))


def _check_number(topic: Topic, about: int, other: int) -> None:
    if about < 2:
        raise TopicError(
            f"{topic.name} names too few examples, and {about} page(s) from its seeds on say enough of its"
            " keywords; add URLs under [examples] in its topic.toml, or other seeds and keywords"
        )
    if other < 2:
        raise TopicError(
            f"{topic.name} has {other} usable other example(s); training needs 2: add URLs to other under"
            " [examples] in its topic.toml"
        )
