"""Search by the library ddgs, which reads the pages of search engines: no key, and no promise."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from langcodes import Language

from focused_crawler.errors import SearchError
from focused_crawler.net.address import Network
from focused_crawler.search.base import SearchResult
from focused_crawler.search.deadline import within
from focused_crawler.search.query import asked_for
from focused_crawler.search.results import results_of

if TYPE_CHECKING:
    from ddgs import DDGS

# ruff: noqa: PLC0415 - ddgs loads slowly, and hardly any command has need of it.

PAUSE = 5.0
"""Seconds between two searches: these pages are made for people."""
ENGINES = ("duckduckgo", "brave", "mojeek", "startpage", "yahoo")
"""Asked in this order until there are enough results, two at first. The library's encyclopedias are left out:
they guess one article from the first letters, and it puts that before all else."""
MOST_BARREN = 5
"""Searches in a row without a result. An engine that refuses us looks like one that found nothing."""

_FIELDS = ("href", "title", "body")
_NOTHING = "No results found."
_ROUNDS = 3
"""The library waits so many times at most: for the first engines, for the others, for stragglers."""


class DdgsSearch:
    """The library's text search. It passes itself off as a browser: its way, not ours."""

    name = "ddgs"

    def __init__(
        self,
        *,
        language: str = "",
        timeout: float = 10.0,
        allowed_networks: Sequence[Network] = (),
        proxy: str | None = None,
        verify: bool | str = True,
        pause_seconds: float = PAUSE,
    ) -> None:
        """`proxy`: instead of DDGS_PROXY of the environment; `verify`: or a file with authorities to trust."""
        self.pause_seconds = pause_seconds
        self._region = region_of(language)
        self._timeout = timeout
        self._networks = allowed_networks
        self._proxy = proxy
        self._verify = verify
        self._library: DDGS | None = None
        self._next = 0.0  # on the monotonic clock
        self._barren = 0  # searches in a row

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, some 10 for each engine that answers; raises SearchError."""
        query = asked_for(query)
        if n <= 0:
            return []
        time.sleep(max(0.0, self._next - time.monotonic()))
        found = self._ask(query, n)
        self._next = time.monotonic() + self.pause_seconds
        results = list(results_of(found, _FIELDS, self._networks)) if isinstance(found, list) else []
        self._barren = 0 if results else self._barren + 1
        if self._barren >= MOST_BARREN:
            raise SearchError(
                f"ddgs: {MOST_BARREN} searches in a row without a result: most likely its engines refuse us;"
                " try again in an hour, or use searxng or brave (docs/search_providers.md)",
                is_final=True,
            )
        if isinstance(found, str):
            raise SearchError(f"ddgs: {found}")
        return results[:n]

    def close(self) -> None:
        self._library = None

    def _ask(self, query: str, n: int) -> list[dict[str, str]] | str:
        """Return what the library finds, or why it does not."""
        from ddgs.exceptions import DDGSException, TimeoutException
        from primp import BuilderError

        try:
            return within(_ROUNDS * self._timeout, lambda: self._text(query, n))
        except (TimeoutError, TimeoutException):
            return f"no search engine answered within {self._timeout:g} s"
        except DDGSException as error:
            return [] if str(error) == _NOTHING else f"no search engine could be read ({_kind(error)})"
        except BuilderError:
            return "DDGS_PROXY names no proxy; use http://HOST:PORT or socks5://HOST:PORT"

    def _text(self, query: str, n: int) -> list[dict[str, str]]:
        from ddgs import DDGS

        if self._library is None:
            seconds = max(1, round(self._timeout))
            self._library = DDGS(self._proxy, seconds, verify=self._verify)
        return self._library.text(query, region=self._region, max_results=n, backend=",".join(ENGINES))


def region_of(language: str) -> str:
    """Return country and language as the engines want them: where most speak the language.

    >>> region_of("cs"), region_of("en"), region_of("")
    ('cz-cs', 'us-en', 'us-en')
    """
    likely = Language.get(language or "en").maximize()
    return f"{(likely.territory or 'us').lower()}-{likely.language or 'en'}"


def _kind(error: Exception) -> str:
    """Return the first class that an error's text names: what follows may hold an address with a password."""
    match = re.match(r"\w{1,40}", str(error))
    return match[0] if match else "no reason given"
