"""Search by a SearXNG instance: it asks many search engines and merges what they answer."""

from __future__ import annotations

from functools import partial

from focused_crawler.discovery.search.base import SearchResult, SearchSettings, asked_for, paged, results_of
from focused_crawler.discovery.search.http import SearchHttp
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.printable import printable

PAUSE = 2.0
"""Seconds between two requests: each asks half a dozen search engines, which shut out who hurries."""

_FIELDS = ("url", "title", "content")
_CURES = {
    401: "it wants a user name and a password: put them into ~/.netrc",
    403: "enable json in search.formats of its settings.yml (public instances hardly ever do: run your own)",
    404: "FOCUSED_SEARXNG_URL is not the address of a SearXNG instance",
    429: "its limiter is on, or you hurry; server.limiter: false in its settings.yml, if it is your own",
}


class SearxngSearch:
    """The JSON interface of an instance, page by page."""

    name = "searxng"

    def __init__(self, settings: SearchSettings, language: str = "", pause_seconds: float = PAUSE) -> None:
        """Open no connection yet; ConfigError where the settings name no instance."""
        if not settings.searxng_url:
            raise ConfigError(
                "the provider searxng needs an instance; set FOCUSED_SEARXNG_URL, as in"
                " -s FOCUSED_SEARXNG_URL=http://localhost:8888 (docs/how-to/search_providers.md)"
            )
        self.pause_seconds = pause_seconds
        self._language = language
        self._networks = settings.allowed_networks
        self._http = SearchHttp(self.name, f"{settings.searxng_url}/search", settings, pause_seconds)

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, as many pages of them as that takes; raises SearchError."""
        return paged(partial(self._page, asked_for(query)), n)

    def close(self) -> None:
        """Do nothing: no connection is open between two requests."""

    def _page(self, query: str, number: int) -> tuple[list[SearchResult], bool]:
        parameters = {"q": query, "format": "json", "pageno": str(number + 1)}
        answer = self._http.get(parameters | ({"language": self._language} if self._language else {}))
        if answer.status != 200:
            raise self._http.refusal(answer, _CURES)
        document = answer.document()
        rows = document.get("results")
        if not isinstance(rows, list):
            raise SearchError(
                "searxng: what it answers is no JSON of results; is FOCUSED_SEARXNG_URL a SearXNG instance?"
            )
        silent = _silent(document.get("unresponsive_engines"))
        if number == 0 and not rows and silent:  # a later page without any is the end: some engine always is
            raise SearchError(f"searxng: no results, and search engines that did not answer it: {silent}")
        return list(results_of(rows, _FIELDS, self._networks)), True


def _silent(engines: object) -> str:
    """Return the names and reasons of engines that gave no answer: pairs in a list."""
    pairs = [engine for engine in engines if isinstance(engine, list)] if isinstance(engines, list) else []
    return printable(", ".join(": ".join(map(str, pair[:2])) for pair in pairs[:5]))
