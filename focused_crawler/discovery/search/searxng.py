"""Search by a SearXNG instance: it asks many search engines and merges what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from focused_crawler.discovery.search.base import SearchResult, asked_for, results_of
from focused_crawler.discovery.search.http import SearchHttp
from focused_crawler.page.url import url_key
from focused_crawler.safety.address import Network
from focused_crawler.safety.errors import SearchError
from focused_crawler.safety.printable import printable

MOST_PAGES = 10
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

    def __init__(
        self,
        address: str,
        *,
        language: str = "",
        timeout: float = 10.0,
        contact: str = "",
        allowed_networks: Sequence[Network] = (),
        pause_seconds: float = PAUSE,
    ) -> None:
        self.pause_seconds = pause_seconds
        self._language = language
        self._networks = allowed_networks
        self._http = SearchHttp(
            self.name, f"{address}/search", timeout=timeout, pause=pause_seconds, contact=contact
        )

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, as many pages of them as that takes; raises SearchError."""
        return list(islice(self._results(asked_for(query)), max(0, n)))

    def close(self) -> None:
        """Do nothing: no connection is open between two requests."""

    def _results(self, query: str) -> Iterator[SearchResult]:
        seen: set[int] = set()
        for number in range(1, MOST_PAGES + 1):
            try:
                page = self._page(query, number)
            except SearchError:
                if not seen:
                    raise
                return  # the results so far are better than none
            new = [result for result in page if url_key(result.url) not in seen]
            if not new:
                return
            seen.update(url_key(result.url) for result in new)
            yield from new

    def _page(self, query: str, number: int) -> list[SearchResult]:
        parameters = {"q": query, "format": "json", "pageno": str(number)}
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
        if not rows and silent:
            raise SearchError(f"searxng: no results, and search engines that did not answer it: {silent}")
        return list(results_of(rows, _FIELDS, self._networks))


def _silent(engines: object) -> str:
    """Return the names and reasons of engines that gave no answer: pairs in a list."""
    pairs = [engine for engine in engines if isinstance(engine, list)] if isinstance(engines, list) else []
    return printable(", ".join(": ".join(map(str, pair[:2])) for pair in pairs[:5]))
