"""Search providers by name."""

from __future__ import annotations

from collections.abc import Callable

from focused_crawler.errors import ConfigError
from focused_crawler.search.base import SearchProvider
from focused_crawler.search.settings import PROVIDERS, SearchSettings

# ruff: noqa: PLC0415 - each provider brings libraries that no other needs.


def open_provider(
    settings: SearchSettings, local: Callable[[], SearchProvider], *, language: str = ""
) -> SearchProvider:
    """Return the provider that the settings name; raises ConfigError, or SearchError where it has no key.

    `local` opens the search over what is at hand: a crawl or a recorded web. `language`: a topic's (ISO 639);
    results in it come first where a provider can do that.
    """
    try:
        opener = _OPENERS[settings.provider]
    except KeyError:
        raise ConfigError(
            f"no search provider is called {settings.provider!r}; use one of {', '.join(PROVIDERS)}"
        ) from None
    return local() if opener is None else opener(settings, language)


def _searxng(settings: SearchSettings, language: str) -> SearchProvider:
    from focused_crawler.search.searxng import SearxngSearch

    if not settings.searxng_url:
        raise ConfigError(
            "the provider searxng needs an instance; set FOCUSED_SEARXNG_URL, as in"
            " -s FOCUSED_SEARXNG_URL=http://localhost:8888 (docs/search_providers.md)"
        )
    return SearxngSearch(
        settings.searxng_url,
        language=language,
        timeout=settings.timeout,
        contact=settings.contact,
        allowed_networks=settings.allowed_networks,
    )


def _brave(settings: SearchSettings, language: str) -> SearchProvider:
    from focused_crawler.search.brave import BraveSearch

    return BraveSearch(
        language=language,
        timeout=settings.timeout,
        contact=settings.contact,
        allowed_networks=settings.allowed_networks,
    )


def _ddgs(settings: SearchSettings, language: str) -> SearchProvider:
    from focused_crawler.search.ddgs import DdgsSearch

    return DdgsSearch(language=language, timeout=settings.timeout, allowed_networks=settings.allowed_networks)


_OPENERS: dict[str, Callable[[SearchSettings, str], SearchProvider] | None] = {
    "local": None,
    "searxng": _searxng,
    "brave": _brave,
    "ddgs": _ddgs,
}
