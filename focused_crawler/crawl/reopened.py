"""What a crawl that somebody has begun judges its pages and links by, as that is today."""

from __future__ import annotations

from focused_crawler.classify.model import TopicModel
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.safety.settings import Overlaid, RawSettings
from focused_crawler.store.job import RunInfo
from focused_crawler.topic.topic import load_topic


def analyst_of(run: RunInfo, settings: RawSettings, model: TopicModel | None = None) -> Analyst:
    """Return what a crawl judges by; its own settings come before others.

    `model`: in the place of its topic's. Raises the errors of reading it.
    """
    own = {**run.settings}
    own |= {"FOCUSED_TOPIC": run.topic_name, "FOCUSED_STRATEGY": run.strategy}
    own["FOCUSED_JOB"] = run.job  # whose own numbers are no prior of its links
    topic = load_topic(run.topic_name)
    config = CrawlConfig.from_settings(Overlaid(own, settings))
    return Analyst.make(config, topic, model and model.of_topic(topic))
