"""Search by the library ddgs, which reads the pages of search engines: it needs no key and may fail."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from langcodes import Language

from focused_crawler.discovery.search.base import SearchResult, SearchSettings, asked_for, results_of
from focused_crawler.safety.errors import SearchError

if TYPE_CHECKING:
    from ddgs import DDGS


# ruff: noqa: PLC0415 - ddgs loads slowly, and hardly any command has need of it.

Result = TypeVar("Result")

PAUSE = 5.0
"""Seconds between two searches: these pages are made for people."""
ENGINES = ("duckduckgo", "brave", "mojeek", "startpage", "yahoo")
"""Asked one after the other until there are enough results. All at once, the library loses what is slower
than the first to fail. Its encyclopedias are left out: they guess one article from the first letters."""
MOST_BARREN = 5
"""Searches in a row without a result, after which an engine is asked no more."""

_FIELDS = ("href", "title", "body")
_NOTHING = "No results found."
_ROUNDS = 3  # an engine may take more than one request
_NONE = "its search engines found nothing or refuse us; the library does not report which"
_REFUSED = (
    f"all its search engines gave nothing {MOST_BARREN} times in a row: most likely they refuse us; try again"
    " in an hour, or use searxng or brave (docs/how-to/search_providers.md)"
)


class DdgsSearch:
    """The library's text search. It presents itself as a browser; we cannot change that.

    It cannot tell an engine that refuses us from one that found nothing.
    """

    name = "ddgs"

    def __init__(
        self,
        settings: SearchSettings,
        language: str = "",
        pause_seconds: float = PAUSE,
        *,
        proxy: str | None = None,
        verify: bool | str = True,
    ) -> None:
        """`proxy`: instead of DDGS_PROXY of the environment; `verify`: or a file of authorities to trust."""
        self.pause_seconds = pause_seconds
        self._region = region_of(language)
        self._timeout = settings.timeout
        self._networks = settings.allowed_networks
        self._proxy = proxy
        self._verify = verify
        self._library: DDGS | None = None
        self._next = 0.0  # on the monotonic clock
        self._barren = dict.fromkeys(ENGINES, 0)  # searches in a row

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, some 10 for each engine asked; raises SearchError, also for none."""
        query = asked_for(query)
        if n <= 0:
            return []
        time.sleep(max(0.0, self._next - time.monotonic()))
        results, trouble = self._gather(query, n)
        self._next = time.monotonic() + self.pause_seconds
        if results:
            return results[:n]
        if not self._usable_engines():
            raise SearchError(f"ddgs: {_REFUSED}", is_final=True)
        raise SearchError(f"ddgs: {trouble or _NONE}")

    def close(self) -> None:
        self._library = None

    def _gather(self, query: str, n: int) -> tuple[list[SearchResult], str]:
        """Ask engines until there are enough results; return them, and the last engine's error."""
        rows: list[dict[str, str]] = []
        results: list[SearchResult] = []
        trouble = ""
        for engine in self._usable_engines():
            found = self._ask(engine, query, n)
            if isinstance(found, str):
                trouble, found = found, []
            self._barren[engine] = 0 if found else self._barren[engine] + 1
            rows += found
            results = list(results_of(rows, _FIELDS, self._networks))
            if len(results) >= n:
                break
        return results, trouble

    def _usable_engines(self) -> list[str]:
        return [engine for engine in ENGINES if self._barren[engine] < MOST_BARREN]

    def _ask(self, engine: str, query: str, n: int) -> list[dict[str, str]] | str:
        """Return the rows of an engine, or its error."""
        from ddgs.exceptions import DDGSException, TimeoutException
        from primp import BuilderError

        try:
            return _within(_ROUNDS * self._timeout, lambda: self._text(engine, query, n))
        except (TimeoutError, TimeoutException):
            return f"no answer from {engine} within {self._timeout:g} s"
        except DDGSException as error:
            return [] if str(error) == _NOTHING else f"{engine} cannot be reached or read ({_kind(error)})"
        except BuilderError:
            return "DDGS_PROXY names no proxy; use http://HOST:PORT or socks5://HOST:PORT"

    def _text(self, engine: str, query: str, n: int) -> list[dict[str, str]]:
        from ddgs import DDGS

        if self._library is None:
            seconds = max(1, round(self._timeout))
            self._library = DDGS(self._proxy, seconds, verify=self._verify)
        return self._library.text(query, region=self._region, max_results=n, backend=engine)


def _within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return the result of `work`, or raise its error; TimeoutError where it takes longer.

    The library has no deadline for a whole search. Late work goes on in a thread that nobody waits for.
    """
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # raised where the result is awaited
            outcome.set_exception(error)

    Thread(target=run, daemon=True, name="search").start()
    return outcome.result(seconds)


def region_of(language: str) -> str:
    """Return country and language as the engines want them: where most speak the language.

    >>> region_of("cs"), region_of("en"), region_of("")
    ('cz-cs', 'us-en', 'us-en')
    """
    likely = Language.get(language or "en").maximize()
    return f"{(likely.territory or 'us').lower()}-{likely.language or 'en'}"


def _kind(error: Exception) -> str:
    """Return the first error that an error's text names: the rest may be an address with a password."""
    match = re.search(r"\b[A-Z]\w{0,40}(?:Error|Exception)\b", str(error))
    return match[0] if match else "no page of results"
