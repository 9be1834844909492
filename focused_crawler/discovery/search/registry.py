"""Search providers by name."""

from __future__ import annotations

from collections.abc import Callable

from focused_crawler.discovery.search.base import PROVIDERS, SearchProvider, SearchSettings
from focused_crawler.safety.errors import ConfigError

# ruff: noqa: PLC0415 - each provider brings libraries that no other needs.


def open_provider(
    settings: SearchSettings, local: Callable[[], SearchProvider], *, language: str = ""
) -> SearchProvider:
    """Return the provider that the settings name; raises ConfigError, or SearchError where it has no key.

    `local` opens the search over what is at hand: a crawl or a recorded web. `language`: a topic's (ISO 639);
    results in it come first where a provider can do that.
    """
    match settings.provider:
        case "local":
            return local()
        case "searxng":
            from focused_crawler.discovery.search.searxng import SearxngSearch

            return SearxngSearch(settings, language)
        case "brave":
            from focused_crawler.discovery.search.brave import BraveSearch

            return BraveSearch(settings, language)
        case "ddgs":
            from focused_crawler.discovery.search.ddgs import DdgsSearch

            return DdgsSearch(settings, language)
    raise ConfigError(
        f"no search provider is called {settings.provider!r}; use one of {', '.join(PROVIDERS)}"
    )
