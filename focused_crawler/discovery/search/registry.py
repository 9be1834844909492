"""Search providers by name."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.discovery.search.base import PROVIDERS, SearchProvider, SearchSettings
from focused_crawler.safety.errors import ConfigError
from focused_crawler.topic.topic import Topic

# ruff: noqa: PLC0415 - each provider brings libraries that no other needs.


def open_provider(
    settings: SearchSettings, topic: Topic, web: Path | None, crawl: Path | None = None
) -> SearchProvider:
    """Return the provider that the settings name; raises ConfigError, or SearchError where it has no key.

    `web`, `crawl`: what is at hand, a recorded web or a crawl of the topic. Results in the topic's language
    come first where a provider can do that.
    """
    match settings.provider:
        case "local":
            from focused_crawler.discovery.search.local import local_search

            return local_search(topic, web, crawl)
        case "searxng":
            from focused_crawler.discovery.search.searxng import SearxngSearch

            return SearxngSearch(settings, topic.language)
        case "brave":
            from focused_crawler.discovery.search.brave import BraveSearch

            return BraveSearch(settings, topic.language)
        case "ddgs":
            from focused_crawler.discovery.search.ddgs import DdgsSearch

            return DdgsSearch(settings, topic.language)
    raise ConfigError(
        f"no search provider is called {settings.provider!r}; use one of {', '.join(PROVIDERS)}"
    )
