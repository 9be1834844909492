"""What a topic learns from: its examples, fetched; pages near its seeds where they are too few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

from rich.console import Console
from scrapy.crawler import CrawlerProcessBase

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import ColdClassifier
from focused_crawler.classify.pseudo import background_examples, other_examples
from focused_crawler.classify.registry import find_method
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.edge.examples import (
    ExamplesSpider,
    NeighboursSpider,
    read_page,
    run_spider,
    what_is_missing,
)
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic

if TYPE_CHECKING:
    from focused_crawler.classify.training import TrainingReport

# What trains loads slowly, and Scrapy loads this module for each of its commands.
# ruff: noqa: PLC0415

FEWEST = 2
"""Examples of a kind, without which there is nothing to learn or to judge by."""


@dataclass(frozen=True, slots=True)
class Names:
    """Pages by name: URLs, or files of the topic's folder."""

    relevant: Sequence[str]
    other: Sequence[str]
    background: Sequence[str]
    recorded: Sequence[str]  # of browsing records

    @classmethod
    def of(cls, topic: Topic, settings: ClassifierSettings, recorded: Sequence[str]) -> Self:
        """Name what is needed; raises ConfigError for an unknown classifier."""
        method = find_method(settings.classifier, settings.classifiers)
        most = settings.background if getattr(method, "uses_background", False) else 0
        more = background_examples(topic, most)
        return cls(topic.relevant_examples, other_examples(topic), more, recorded)

    @property
    def are_enough(self) -> bool:
        """Tell whether a classifier can learn from them; else it has to look for pseudo-examples."""
        return len(self.relevant) >= FEWEST

    @property
    def chosen(self) -> dict[str, None]:
        """Return what a person chose; the rest is no loss where it cannot be had."""
        return dict.fromkeys([*self.relevant, *self.other, *self.recorded])


@dataclass(frozen=True, slots=True)
class Found:
    """The pages that could be had."""

    pages: Mapping[str, Page]  # by name
    near: Sequence[Page] = field(default=())  # near the seeds, none of the others


class Learnt(NamedTuple):
    """What came of it."""

    model: TopicModel
    report: TrainingReport | None  # None: of pseudo-examples
    relevant: Sequence[Page]  # learnt from
    other: Sequence[Page]


def find_pages(process: CrawlerProcessBase, names: Names, topic: Topic, analyzer: Analyzer) -> Found:
    """Read and fetch what is named, and say what is missing; look around where that is too little."""
    chosen = names.chosen
    pages = {name: read_page(topic.folder / name, analyzer) for name in chosen if "://" not in name}
    urls = [name for name in dict.fromkeys([*chosen, *names.background]) if "://" in name]
    near: Sequence[Page] = ()
    if urls or not names.are_enough:
        spider = _fetch(process, urls, topic, analyzer, look_around=not names.are_enough)
        _tell_missing(spider.missing, names)
        pages |= spider.fetched
        near = list(spider.near.values()) if isinstance(spider, NeighboursSpider) else ()
    for page in pages.values():
        partition(page)
    known = {page.url for page in pages.values()}
    return Found(pages, [page for page in near if page.url not in known])


def _fetch(
    process: CrawlerProcessBase, urls: list[str], topic: Topic, analyzer: Analyzer, *, look_around: bool
) -> ExamplesSpider:
    if not look_around:
        return run_spider(process, ExamplesSpider, urls=urls, analyzer=analyzer)
    from focused_crawler.classify.pseudo import NEIGHBOURHOOD

    return run_spider(
        process,
        NeighboursSpider,
        urls=urls,
        analyzer=analyzer,
        seeds=topic.seeds,
        classifier=ColdClassifier(cold_topic_vector(topic, analyzer)),
        most=NEIGHBOURHOOD,
    )


def _tell_missing(missing: Mapping[str, str], names: Names) -> None:
    """Say on stderr which examples are missing; pages of other topics are no loss."""
    chosen = names.chosen
    own = {url: why for url, why in missing.items() if url in chosen}
    if own:
        Console(stderr=True).print(what_is_missing(own, sum("://" in name for name in chosen)))
    if lost := len(missing) - len(own):
        print(f"{lost} of {len(names.background)} pages of other topics could not be had, which is no loss.")


def learn(
    topic: Topic, names: Names, found: Found, settings: ClassifierSettings, analyzer: Analyzer
) -> Learnt:
    """Train the topic's model; raises TopicError where too few pages could be had."""
    from focused_crawler.classify.pseudo import pseudo_relevant, train_from_words
    from focused_crawler.classify.training import train

    background = [found.pages[name] for name in names.background if name in found.pages]
    other = _at_least("other", names.other, found, topic)
    if names.are_enough:
        relevant = _at_least("relevant", names.relevant, found, topic)
        model, report = train(topic, relevant, other, settings, analyzer, background=background)
        return Learnt(model, report, relevant, [*other, *background])
    own = [found.pages[name] for name in names.relevant if name in found.pages]
    pseudo = pseudo_relevant(topic, found.near, analyzer)
    seeded = train_from_words(topic, pseudo, other, settings, analyzer, relevant=own, background=background)
    return Learnt(seeded, None, [*own, *pseudo], [*other, *background])


def _at_least(kind: str, names: Sequence[str], found: Found, topic: Topic) -> list[Page]:
    pages = [found.pages[name] for name in names if name in found.pages]
    if len(pages) < FEWEST:
        raise TopicError(
            f"{topic.name}: {len(pages)} of {len(names)} {kind} examples could be had, too few to train"
            " from; add URLs or HTML files under [examples] in its topic.toml"
        )
    return pages
