"""What a crawl is going to do, and may spend: everything read and checked, nothing written yet."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.use import StartPages, start_pages
from focused_crawler.crawl.steering.known import known_folders
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a crawl over all its runs; 0 means none.

    >>> Budget(pages=10).spent(pages=10, relevant=3, seconds=1.0)
    'pages_budget'
    """

    pages: int = 0
    relevant: int = 0
    seconds: float = 0.0

    def spent(self, pages: int, relevant: int, seconds: float) -> str | None:
        """Return the reason to stop, None while there is something left to spend."""
        if self.pages and pages >= self.pages:
            return "pages_budget"
        if self.relevant and relevant >= self.relevant:
            return "relevant_budget"
        if self.seconds and seconds >= self.seconds:
            return "time_budget"
        return None

    def has_room(self, pages: int, in_flight: int) -> bool:
        """Tell whether one more page may be asked for, when all in flight may be pages."""
        return not self.pages or pages + in_flight < self.pages


LIMITS = {"pages": "pages", "relevant": "relevant pages", "minutes": "minutes"}
"""The limits of a budget, as settings name them -> in words."""
MORE = {"pages_budget": "pages=2000", "relevant_budget": "relevant=500", "time_budget": "minutes=120"}
"""Why a budget is spent -> the argument that gives more of it."""


def budget_of(config: CrawlConfig) -> Budget:
    """Return what a crawl may spend."""
    return Budget(config.pages, config.relevant, 60 * config.minutes)


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """Topic, model, strategy and limits of a crawl."""

    config: CrawlConfig
    topic: Topic
    start: StartPages
    analyst: Analyst  # what pages are judged by
    truth: GroundTruth | None  # all relevant pages of a virtual web; for pipelines and reports only
    targets: GroundTruth | None  # those, else the topic's own `targets`; for pipelines and reports only
    budget: Budget
    known: tuple[Path, ...] = ()  # folders of earlier crawls, whose unchanged pages are no pages of this one
    began: float = 0.0  # seconds since the epoch: before the model was loaded

    @classmethod
    def make(cls, config: CrawlConfig) -> Self:
        """Read all that the crawl needs; an error of ours names what is wrong."""
        began = time.time()
        topic = load_topic(config.topic)
        truth = GroundTruth.beside(config.web, topic.name) if config.web is not None else None
        return cls(
            config=config,
            topic=topic,
            start=start_pages(config, topic),
            analyst=Analyst.make(config, topic),
            truth=truth,
            targets=truth or (GroundTruth(topic.targets) if topic.targets else None),
            budget=budget_of(config),
            known=known_folders(config.known, topic.name, config.database) if config.known else (),
            began=began,
        )

    def analyst_anew(self) -> Analyst:
        """Return another of the kind, whose strategy has learnt nothing."""
        return Analyst.make(self.config, self.topic, self.analyst.model)
