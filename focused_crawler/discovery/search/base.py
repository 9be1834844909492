"""The contract of a search: words in, pages out, best first; and its settings."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.address import Network, RequestSettings, is_allowed
from focused_crawler.safety.errors import ConfigError, SearchError
from focused_crawler.safety.settings import choice, number, setting

LONGEST = 400
MOST_WORDS = 50


def asked_for(query: str) -> str:
    r"""Return the query on one line; SearchError for one that no service takes.

    >>> asked_for("  wet \n blasting ")
    'wet blasting'
    """
    words = query.encode("utf-8", "ignore").decode("utf-8").split()
    text = " ".join(words)
    if not text:
        raise SearchError("a search needs words; this one has none")
    if len(text) > LONGEST or len(words) > MOST_WORDS:
        raise SearchError(
            f"a search of {len(words)} words, {len(text)} characters; use at most {MOST_WORDS} and {LONGEST}"
        )
    return text


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page that a search found. Others wrote all of it: escape it where it is shown."""

    url: str
    title: str = ""
    snippet: str = ""
    score: float | None = None  # higher is better, within one answer; None: the order is all there is


class SearchProvider(Protocol):
    """A service or index that can be searched for pages."""

    name: str

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, best first, none where nothing is found; raises SearchError."""

    def close(self) -> None:
        """Close files and connections."""


MOST_PAGES = 10
"""Of results that one search asks for."""


class PartOfResults(list[SearchResult]):
    """The results of some pages, as a further one was refused: better than none, and not to be stored."""


def paged(ask: Callable[[int], tuple[list[SearchResult], bool]], n: int) -> list[SearchResult]:
    """Return up to `n` results of pages until one has nothing new, each URL once.

    Raises SearchError for the first page. `ask` returns the results of a page by its position, from 0, and
    whether there may be more pages.
    """
    found: dict[int, SearchResult] = {}
    for position in range(MOST_PAGES):
        if len(found) >= n:
            break
        try:
            page, has_more = ask(position)
        except SearchError:
            if not found:
                raise
            return PartOfResults(found.values())
        before = len(found)
        for result in page:
            found.setdefault(url_key(result.url), result)
        if len(found) == before or not has_more:
            break
    return list(found.values())[: max(0, n)]


LONGEST_TITLE = 300
LONGEST_SNIPPET = 1000

_TAG = re.compile(r"</?[a-zA-Z][^<>]*(?:>|\Z)")
_DIRECTIONS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_MARKUP_ROOM = 10
"""Length of a snippet with tags and entities, as a multiple of its text; the rest is not read."""


def results_of(
    rows: Iterable[object], names: Sequence[str], networks: Sequence[Network]
) -> Iterator[SearchResult]:
    """Yield the results among the rows of an answer: objects with URL, title and text under these names.

    Rows that are no objects, or whose URL cannot be fetched or is an earlier row's, are left out.
    """
    seen = set()
    for row in rows:
        if not isinstance(row, dict):
            continue
        url = usable_url(row.get(names[0]), networks)
        if url is None or url_key(url) in seen:
            continue
        seen.add(url_key(url))
        title, snippet = plain(row.get(names[1]), LONGEST_TITLE), plain(row.get(names[2]), LONGEST_SNIPPET)
        yield SearchResult(url, title, snippet)


def usable_url(value: object, networks: Sequence[Network]) -> str | None:
    """Return the URL in its normal form; None for what is none, and for addresses of private networks.

    A name is not resolved: the address guard checks its address when it is fetched.

    >>> usable_url("HTTPS://Example.org", ()), usable_url("http://192.168.0.1/", ())
    ('https://example.org/', None)
    """
    url = normalise(value) if isinstance(value, str) else None
    if url is None:
        return None
    host = urlsplit(url).hostname or ""
    try:
        is_usable = is_allowed(ip_address(host), networks)
    except ValueError:
        is_usable = host != "localhost" and not host.endswith(".localhost")
    return url if is_usable else None


def plain(value: object, longest: int) -> str:
    r"""Return a text without tags, entities and control characters, on one line; "" for what is no text.

    >>> plain("<strong>Rust</strong> &amp;\n\x1b[31m paint", 300)
    'Rust & [31m paint'
    """
    if not isinstance(value, str):
        return ""
    text = html.unescape(_TAG.sub("", value[: longest * _MARKUP_ROOM]))
    text = " ".join("".join(" " if _is_control(char) else char for char in text).split())
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def _is_control(char: str) -> bool:
    """Tell whether a character moves the cursor, changes the direction of text, or is half of one."""
    return unicodedata.category(char) in {"Cc", "Cs"} or unicodedata.bidirectional(char) in _DIRECTIONS


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
