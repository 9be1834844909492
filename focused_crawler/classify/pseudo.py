"""A topic without examples: pages that its words find near its seeds are taken for some (pseudo-examples).

A semi-supervised start after Nigam et al. 2000, of one round; docs/training.md has what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from focused_crawler.classify.held_out import HeldOut
from focused_crawler.classify.model import TopicModel, example_key
from focused_crawler.classify.page_classifiers import ColdClassifier, SeededClassifier, TrainedClassifier
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.classify.training import in_fixed_order, labelled
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic, load_topic, topic_names, topics_folder

NEGATIVES_PER_POSITIVE = 3
"""So many pages of other topics stand for 'everything else' where a topic names no other examples."""


def other_examples(topic: Topic) -> list[str]:
    """Return what is not about the topic: its own other examples, else the other topics' relevant ones."""
    if topic.other_examples:
        return list(topic.other_examples)
    urls = [
        url
        for other in neighbours(topic)
        for url in other.relevant_examples
        if "://" in url and url not in topic.relevant_examples
    ]
    return _spread(list(dict.fromkeys(urls)), max(30, NEGATIVES_PER_POSITIVE * len(topic.relevant_examples)))


def background_examples(topic: Topic, most: int) -> list[str]:
    """Return relevant examples of the topics in the same folder, at most so many, spread over all of them.

    They stand for what else the web is about, beside the examples that a person chose.
    """
    taken = {*topic.relevant_examples, *other_examples(topic)}
    names = [name for name in topic_names(topic.folder.parent) if name != topic.name]
    urls = [url for name in names for url in load_topic(name, topic.folder.parent).relevant_examples]
    return _spread([url for url in dict.fromkeys(urls) if "://" in url and url not in taken], most)


def _spread(urls: list[str], most: int) -> list[str]:
    wanted = min(len(urls), most)
    return [urls[number * len(urls) // wanted] for number in range(wanted)]


def neighbours(topic: Topic) -> list[Topic]:
    """Return the other topics of the same folder, those of the project for a topic that lies alone."""
    for folder in (topic.folder.parent, topics_folder()):
        others = [load_topic(name, folder) for name in topic_names(folder) if name != topic.name]
        if others:
            return others
    return []


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
