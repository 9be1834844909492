"""What is no start page of a topic: what it has, what a crawl knows, what its lists ban, what URLs say."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from focused_crawler.config import CrawlConfig
from focused_crawler.lists.file import lists_path
from focused_crawler.lists.lists import Lists
from focused_crawler.page.url import normalise, url_key
from focused_crawler.search.base import SearchResult
from focused_crawler.seeding.choice import Rules
from focused_crawler.steering.url_words import refused
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic import Topic

_IS_PAGE = "SELECT 1 FROM pages WHERE key = ?"


def rules_of(topic: Topic, config: CrawlConfig, per_site: int, results: Iterable[SearchResult]) -> Rules:
    """Return what is left out of some results; raises TopicError for broken lists, CrawlError.

    FOCUSED_KNOWN names the crawl whose pages are known.
    """
    known = {url_key(url) for seed in topic.seeds if (url := normalise(seed))}
    if config.known is not None:
        known |= _recorded(config.known, {url_key(result.url) for result in results})
    sites, hubs = _banned(topic, config.models)
    return Rules(per_site, known, sites, hubs, partial(refused, words=config.skipped_words))


def _recorded(folder: Path, keys: Iterable[int]) -> set[int]:
    with read_crawl(folder) as database:
        return {key for key in keys if database.rows(_IS_PAGE, (key,))}


def _banned(topic: Topic, models: Path | None) -> tuple[set[str], set[int]]:
    """Return the sites, and the keys of the hubs, that a person has banned."""
    path = lists_path(topic, models)
    if not path.exists():
        return set(), set()
    with Lists(path, read_only=True) as lists:
        sites = {site.site for site in lists.sites() if site.mark == "banned"}
        return sites, {url_key(hub.url) for hub in lists.hubs() if hub.mark == "banned"}
