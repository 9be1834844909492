"""After a crawl: its numbers go into the lists of its topic."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.lists.counts import CrawlCount, count_crawl
from focused_crawler.lists.file import lists_path
from focused_crawler.lists.lists import Lists
from focused_crawler.topic import Topic


def update_lists(topic: Topic, models: Path | None, crawl: Path) -> CrawlCount:
    """Count the crawl in a folder into the lists of its topic; one that was counted before is counted anew.

    Raises TopicError where the lists cannot be written, CrawlError where the crawl cannot be read.
    """
    found = count_crawl(crawl, topic.name)
    with Lists(lists_path(topic, models)) as lists:
        lists.count(found)
    return found
