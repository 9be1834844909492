"""Where a crawl starts: the topic's own start pages, and those of its lists."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.config import CrawlConfig
from focused_crawler.lists.reading import lists_for
from focused_crawler.lists.seeds import seeds_of
from focused_crawler.page.url import normalise, url_key
from focused_crawler.topic import Topic

LISTED_PRIORITY = 0.99
"""Of start pages from the lists: after the user's own (1), before what links bring."""


@dataclass(frozen=True, slots=True)
class StartPages:
    """URLs that a crawl begins with."""

    own: tuple[str, ...]  # the topic's, or those of the seed set
    listed: tuple[str, ...] = ()  # out of the lists, none of which is among the others


def start_pages(config: CrawlConfig, topic: Topic) -> StartPages:
    """Return what a crawl starts from; TopicError if there is nothing, else what `lists_for` raises."""
    listed: list[str] = []
    if (lists := lists_for(config, topic)) is not None:
        with lists:
            listed = seeds_of(lists, config.skipped_words)
    has_own = config.seed_set or topic.seeds or not listed
    own = topic.seeds_of(config.seed_set or None) if has_own else ()
    known = {url_key(normalise(url) or url) for url in own}
    return StartPages(own, tuple(url for url in listed if url_key(url) not in known))
