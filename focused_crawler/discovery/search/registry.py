"""Search providers by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from focused_crawler.discovery.search.base import SearchProvider
from focused_crawler.safety.address import RequestSettings
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import choice, number, setting

PROVIDERS = ("local", "searxng", "brave", "ddgs")

_EXAMPLE = "use the address of a SearXNG instance, as in http://localhost:8888"


def _address(_: str, value: Any) -> str:
    return checked_address(str(value or "").strip())


@dataclass(frozen=True, slots=True)
class SearchSettings(RequestSettings):
    """Who is asked for pages about some words, and how; results in allowed networks are kept."""

    provider: str = choice("FOCUSED_SEARCH", "local", PROVIDERS)
    searxng_url: str = setting("FOCUSED_SEARXNG_URL", "", _address)
    timeout: float = number("FOCUSED_SEARCH_TIMEOUT", 10, 0.1, 600)  # seconds for a whole answer


def checked_address(address: str) -> str:
    """Return FOCUSED_SEARXNG_URL without a slash at its end; ConfigError where it cannot be one.

    Never shown whole: somebody may have put a password into it.

    >>> checked_address("http://localhost:8888/"), checked_address("")
    ('http://localhost:8888', '')
    """
    if not address:
        return ""
    parts = _parts(address)
    if parts is None:
        raise ConfigError(f"FOCUSED_SEARXNG_URL is no address; {_EXAMPLE}")
    if "@" in parts.netloc:
        raise ConfigError(
            "FOCUSED_SEARXNG_URL holds a user name or password, and settings are written into run.json;"
            " put them into ~/.netrc (machine, login, password) and leave them out here"
        )
    if parts.query or parts.fragment:
        raise ConfigError(f"FOCUSED_SEARXNG_URL has more behind its path; {_EXAMPLE}")
    return address.rstrip("/").removesuffix("/search")


def _parts(address: str) -> SplitResult | None:
    """Return the parts of an http or https URL; None for anything else."""
    try:
        parts = urlsplit(address)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_one and address.isprintable() and " " not in address else None


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
    from focused_crawler.discovery.search.searxng import SearxngSearch

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
    from focused_crawler.discovery.search.brave import BraveSearch

    return BraveSearch(
        language=language,
        timeout=settings.timeout,
        contact=settings.contact,
        allowed_networks=settings.allowed_networks,
    )


def _ddgs(settings: SearchSettings, language: str) -> SearchProvider:
    from focused_crawler.discovery.search.ddgs import DdgsSearch

    return DdgsSearch(language=language, timeout=settings.timeout, allowed_networks=settings.allowed_networks)


_OPENERS: dict[str, Callable[[SearchSettings, str], SearchProvider] | None] = {
    "local": None,
    "searxng": _searxng,
    "brave": _brave,
    "ddgs": _ddgs,
}
