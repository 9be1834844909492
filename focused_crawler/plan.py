"""What a crawl is going to do: everything read and checked, nothing written yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from focused_crawler.analysis import Analyst
from focused_crawler.budget import Budget
from focused_crawler.config import CrawlConfig
from focused_crawler.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """Topic, model, strategy and limits of a crawl."""

    config: CrawlConfig
    topic: Topic
    analyst: Analyst  # what pages are judged by
    truth: GroundTruth | None  # all relevant pages of a virtual web; for pipelines and reports only
    targets: GroundTruth | None  # those, else the topic's own `targets`; for pipelines and reports only
    budget: Budget

    @classmethod
    def make(cls, config: CrawlConfig) -> Self:
        """Read all that the crawl needs; raises TopicError, ModelError, ConfigError or WebError."""
        topic = load_topic(config.topic)
        topic.seeds_of(config.seed_set or None)
        truth = GroundTruth.beside(config.web, topic.name) if config.web is not None else None
        return cls(
            config=config,
            topic=topic,
            analyst=Analyst.make(config, topic),
            truth=truth,
            targets=truth or (GroundTruth(topic.targets) if topic.targets else None),
            budget=Budget(config.pages, config.relevant, 60 * config.minutes),
        )
