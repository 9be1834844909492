"""What a crawl is going to do: everything read and checked, nothing written yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from focused_crawler.budget import Budget
from focused_crawler.classify.model import TopicModel
from focused_crawler.config import CrawlConfig
from focused_crawler.link_scoring.base import LinkScorer
from focused_crawler.link_scoring.registry import LinkScoringSettings, create
from focused_crawler.text.tokens import Analyzer
from focused_crawler.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """Topic, model, strategy and limits of a crawl."""

    config: CrawlConfig
    topic: Topic
    analyzer: Analyzer
    model: TopicModel
    threshold: float  # relevance from which on a page is relevant
    strategy: str
    scorer: LinkScorer
    truth: GroundTruth | None  # all relevant pages of a virtual web; for pipelines and reports only
    targets: GroundTruth | None  # those, else the topic's own `targets`; for pipelines and reports only
    budget: Budget

    @classmethod
    def make(cls, config: CrawlConfig) -> Self:
        """Read all that the crawl needs; raises TopicError, ModelError, ConfigError or WebError."""
        topic = load_topic(config.topic)
        topic.seeds_of(config.seed_set or None)
        analyzer = Analyzer(topic.language)
        model = load_model(topic, config.models, analyzer)
        strategy = config.strategy or config.default_strategy
        truth = GroundTruth.beside(config.web, topic.name) if config.web is not None else None
        return cls(
            config=config,
            topic=topic,
            analyzer=analyzer,
            model=model,
            threshold=_first(topic.relevance_threshold, model.threshold),
            strategy=strategy,
            scorer=create(strategy, model, _link_scoring(config, topic), config.link_scorers),
            truth=truth,
            targets=truth or (GroundTruth(topic.targets) if topic.targets else None),
            budget=Budget(config.pages, config.relevant, 60 * config.minutes),
        )


def model_folder(topic: Topic, models: Path | None) -> Path:
    """Return where a topic's model lies: in the topic's own folder, or under FOCUSED_MODELS."""
    return models / topic.name if models is not None else topic.folder / "model"


def load_model(topic: Topic, models: Path | None, analyzer: Analyzer) -> TopicModel:
    """Return the trained model, the untrained one where nothing was trained; raises ModelError."""
    folder = model_folder(topic, models)
    if not (folder / "model.json").exists():
        return TopicModel.cold(topic, analyzer)
    return TopicModel.load(folder)


def _link_scoring(config: CrawlConfig, topic: Topic) -> LinkScoringSettings:
    return LinkScoringSettings(
        threshold=_first(topic.link_threshold, config.link_threshold),
        beta=config.jfe_beta,
        is_calibrated=config.link_similarity == "calibrated",
    )


def _first(chosen: float | None, default: float) -> float:
    return default if chosen is None else chosen
