"""The lists as a crawl reads them."""

from __future__ import annotations

from focused_crawler.config import CrawlConfig
from focused_crawler.lists.counts import identity_of
from focused_crawler.lists.file import lists_path
from focused_crawler.lists.lists import Lists
from focused_crawler.store.job import read_run
from focused_crawler.topic import Topic


def lists_for(config: CrawlConfig, topic: Topic) -> Lists | None:
    """Open the lists of a crawl's topic, without the crawl's own numbers; None where it goes by no lists.

    A named job that goes on may have been counted; by its own numbers it would become another crawl. Raises
    TopicError for lists that cannot be read, CrawlError for a job that cannot.
    """
    path = lists_path(topic, config.models)
    if not config.uses_lists or not path.exists():
        return None
    run = read_run(config.crawls / topic.name / config.job) if config.job else None
    return Lists(path, read_only=True, without="" if run is None else identity_of(run))
