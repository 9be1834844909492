"""A topic's example pages: which ones training needs, and those that were collected."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from heapq import nsmallest
from pathlib import Path
from typing import Self

from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import DEFAULT_THRESHOLD, ClassifierSettings
from focused_crawler.classify.words import ColdClassifier
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.folders import topic_folders, topics_folder
from focused_crawler.topic.label import key_of
from focused_crawler.topic.labels import Labels
from focused_crawler.topic.rules import identity
from focused_crawler.topic.topic import Topic, load_topic, topic_names

logger = logging.getLogger(__name__)

FEWEST = 2
"""Examples of each kind that training needs."""

NEGATIVES_PER_POSITIVE = 3
"""Pages of other topics for each relevant example, where a topic names no other examples."""


@dataclass(frozen=True, slots=True)
class ExampleNames:
    """The examples of a topic by name: URLs, or files in the topic's folder."""

    relevant: Sequence[str]
    other: Sequence[str]
    background: Sequence[str]
    by_chance: Sequence[str] = ()  # pages of a recorded web that stand for the rest of it, as background does

    @classmethod
    def of(cls, topic: Topic, settings: ClassifierSettings) -> Self:
        """Name all examples that training uses; raises ConfigError for an unknown classifier."""
        most = background_wanted(settings)
        return cls(topic.relevant_examples, other_examples(topic), background_examples(topic, most))

    def in_web(self, has: Callable[[str], bool], urls: Iterable[str], settings: ClassifierSettings) -> Self:
        """Return them where pages come from a recorded web; `has`: whether it has a page, `urls`: all pages.

        A web that has hardly any page of other topics has others: by a hash of the URL, so always the same.
        """
        most, there = background_wanted(settings), [name for name in self.background if has(name)]
        if 2 * len(there) >= most:
            return self
        return replace(self, background=there, by_chance=nsmallest(most - len(there), urls, key=_by_chance))


@dataclass(frozen=True, slots=True)
class Examples:
    """The example pages of a topic that could be collected. Every model is trained from one of these."""

    relevant: Sequence[Page]
    other: Sequence[Page]
    background: Sequence[Page] = ()  # of other topics
    near_seeds: Sequence[Page] = ()  # candidates for pseudo-examples
    asked: frozenset[str] = frozenset()  # URLs of those that a person was asked about, and did not choose

    @property
    def are_enough(self) -> bool:
        """Tell whether a classifier can be trained from the labelled pages."""
        once = self.each_once()
        return min(len(once.relevant), len(once.other)) >= FEWEST

    def as_said(self, answers: Mapping[str, bool]) -> Self:
        """Return the examples without those of which people say the contrary; by URLs where labels led."""
        relevant = [page for page in self.relevant if answers.get(page.url, True)]
        other = [page for page in self.other if not answers.get(page.url, False)]
        return replace(self, relevant=relevant, other=other, asked=frozenset(answers))

    def each_once(self) -> Self:
        """Return each page as one example; where it is several, what people said wins, then relevant."""
        said = [[page for page in kind if page.url in self.asked] for kind in (self.relevant, self.other)]
        yes, no, relevant, other, background, near = each_once(
            *said, self.relevant, self.other, self.background, self.near_seeds
        )
        return replace(
            self, relevant=yes + relevant, other=no + other, background=background, near_seeds=near
        )


def each_once(*kinds: Iterable[Page]) -> list[list[Page]]:
    """Return the pages of each kind without those that came before, in it or in an earlier one.

    Spellings of a URL, what redirects to it and copies of its text are one page. Several examples of one
    page would teach what they are tested with.
    """
    known: set[int | str] = set()
    found: list[list[Page]] = [[] for _ in kinds]
    for pages, once in zip(kinds, found, strict=True):
        for page in pages:
            names = {identity(page.url), page.text or page.url}  # pages without words are no copies
            if known.isdisjoint(names):
                once.append(page)
            known |= names
    return found


def background_wanted(settings: ClassifierSettings) -> int:
    """Return of how many background pages a classifier learns; raises ConfigError for an unknown one."""
    method = find_method(settings.classifier, settings.classifiers)
    return settings.background if getattr(method, "uses_background", False) else 0


def unlike(topic: Topic, pages: Iterable[Page], analyzer: Analyzer) -> list[Page]:
    """Return the pages that the topic's words do not call relevant: of those taken by chance some are."""
    words = ColdClassifier.of(topic, analyzer)
    return [page for page in pages if words.relevance(page) < DEFAULT_THRESHOLD]


def needs_pseudo_examples(topic: Topic) -> bool:
    """Tell whether a topic names too few relevant examples to train from."""
    return len(topic.relevant_examples) < FEWEST


def with_labels(topic: Topic, labels: Labels) -> Topic:
    """Return the topic with what people labelled among its examples: yes is relevant, no is other.

    They win over examples of topic.toml. What stands in for other examples, where that names none, stays.
    """
    said = {key: one for key, one in labels.by_key.items() if one.answer is not None}
    if not said:
        return topic

    def joined(examples: Sequence[str], side: bool) -> tuple[str, ...]:
        own = (name for name in examples if key_of(name) not in said)
        return (*own, *(one.url for one in said.values() if one.answer is side))

    topic = replace(topic, relevant_examples=joined(topic.relevant_examples, True))
    return replace(topic, other_examples=joined(other_examples(topic), False))


def contradicted(topic: Topic, labels: Labels) -> list[str]:
    """Return the examples of topic.toml that most people say the contrary of."""
    sides = ((topic.relevant_examples, False), (topic.other_examples, True))
    answers = {key: verdict.answer for key, verdict in labels.by_key.items()}
    return [name for names, other in sides for name in names if answers.get(key_of(name)) is other]


def read_example(path: Path, analyzer: Analyzer) -> Page:
    """Return a saved page; raises TopicError for a file that is not HTML."""
    try:
        page = parse_page(path.read_bytes(), path.absolute().as_uri(), analyzer)
    except UnparsablePage as error:
        raise TopicError(f"{path} cannot be an example ({error}); save the page as HTML again") from None
    partition(page)
    return page


def other_examples(topic: Topic) -> list[str]:
    """Return the topic's own other examples, else relevant examples of the topics beside it."""
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
    """Return up to `most` relevant examples of the topics in the same folder, spread over all of them.

    They represent the rest of the web, beside the examples that a person chose.
    """
    taken = {*topic.relevant_examples, *other_examples(topic)}
    urls = [url for other in _beside(topic) for url in other.relevant_examples]
    return _spread([url for url in dict.fromkeys(urls) if "://" in url and url not in taken], most)


def neighbours(topic: Topic) -> list[Topic]:
    """Return the other topics of the same folder; all that have a name where there are none."""
    return _beside(topic) or _others(topic, topic_folders())


def _beside(topic: Topic) -> list[Topic]:
    """Return the other topics of the same folder; beside a user's own those that ship, as in a checkout."""
    folder = topic.folder.parent
    return _others(topic, topic_folders() if folder == topics_folder().resolve() else [folder])


def _others(topic: Topic, folders: Sequence[Path]) -> list[Topic]:
    others = {name: folder for folder in reversed(folders) for name in topic_names(folder)}
    found = []
    for name in sorted(others.keys() - {topic.name}):
        try:
            found.append(load_topic(name, others[name]))
        except TopicError as error:  # of one that somebody is writing: no reason to stop
            _pass_over(str(error))
    return found


@cache
def _pass_over(problem: str) -> None:
    """Say once of a topic that nothing is taken from it."""
    logger.warning("A topic beside this one is left out: %s", problem)


def _by_chance(url: str) -> bytes:
    return blake2b(url.encode("utf-8", "replace"), digest_size=8).digest()


def _spread(urls: list[str], most: int) -> list[str]:
    wanted = min(len(urls), most)
    return [urls[number * len(urls) // wanted] for number in range(wanted)]
