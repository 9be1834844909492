"""What a topic's crawls may follow: hosts, prefixes, patterns, depth and languages, by its `[scope]`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from math import log
from string import punctuation
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import regex

from focused_crawler.page.url import host_of, normalise, site_of
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import printable
from focused_crawler.topic.file import shown
from focused_crawler.topic.rules import language_code

KEYS = ("hosts", "prefixes", "allow", "deny", "depth", "languages")

SECONDS = 0.02
"""So long may one pattern look at one URL; one that takes longer does not match."""

_ASCII = punctuation.replace("%", "")


class _Prefix(NamedTuple):
    """What a prefix means: a host, or all of a domain, and how the path begins."""

    host: str
    is_domain: bool
    path: str


@dataclass(frozen=True)
class Scope:
    """Which URLs may be followed; what is empty sets no bound. Start pages are fetched whatever it says."""

    hosts: tuple[str, ...] = ()  # with their subdomains
    prefixes: tuple[str, ...] = ()  # URLs, or SURTs as http://(org,example,
    allow: tuple[str, ...] = ()  # regular expressions, of which one has to match somewhere
    deny: tuple[str, ...] = ()  # and of these none
    depth: int = 0  # links from a start page; 0: any number
    languages: tuple[str, ...] = ()  # ISO 639, of pages that can be relevant
    words: tuple[str, ...] = ()  # of FOCUSED_SKIP_URLS: none may stand anywhere in the URL

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the scope that `record` wrote down, without what somebody has broken there since."""

        def texts(name: str) -> tuple[str, ...]:
            return tuple(text for text in record.get(name) or () if isinstance(text, str))

        allow, deny = [
            tuple(pattern for pattern in texts(name) if pattern_problem(pattern) is None)
            for name in ("allow", "deny")
        ]
        return cls(
            texts("hosts"), texts("prefixes"), allow, deny, languages=texts("languages"), words=texts("words")
        )

    def record(self) -> dict[str, Any]:
        """Return what it sets, as plain values."""
        return {name: value for name, value in asdict(self).items() if value}

    def outside(self, url: str) -> str:
        """Return why links to a normalised URL are not followed, in words; empty: they are.

        >>> scope = Scope(prefixes=("http://(org,example,",), deny=("/print/",), words=("forum",))
        >>> scope.outside("https://docs.example.org/a")
        ''
        >>> scope.outside("https://www.example.org/print/a")
        'deny /print/ matches it'
        >>> scope.outside("https://example.com/"), scope.outside("http://example.org/forum/1")
        ('no prefix of [scope] fits it', 'it has a word of FOCUSED_SKIP_URLS: forum')
        """
        word = next((word for word in self.words if word in url.lower()), "")
        if word:
            return f"it has a word of FOCUSED_SKIP_URLS: {word}"
        return self._beyond_bounds(url) if self._bounds_urls else ""

    def _beyond_bounds(self, url: str) -> str:
        site = site_of(url)
        if self.hosts and not any(
            _is_of(site.partition(":")[0], host) or site == host for host in self.hosts
        ):
            return "no host of [scope] has it"
        if self.prefixes and not any(_fits(url, site, prefix) for prefix in self._prefixes):
            return "no prefix of [scope] fits it"
        denied = next((pattern for pattern in self._deny if is_found(pattern, url)), None)
        if denied is not None:
            return f"deny {denied.pattern} matches it"
        if self.allow and not any(is_found(pattern, url) for pattern in self._allow):
            return "no pattern of allow matches it"
        return ""

    def is_too_deep(self, depth: int) -> bool:
        """Tell whether the links of a page so many links from a seed are not to be followed."""
        return 0 < self.depth <= depth

    def is_foreign(self, language: str, text: str) -> bool:
        """Tell whether a page is in a language that cannot be relevant.

        `language`: as the page declares it; where it declares none, or what is no language, its text tells.
        """
        if not self.languages:
            return False
        code = language_code(language)
        if code is None or code in _NO_LANGUAGES:
            return _is_in_another(text, self._spoken)
        return _plain(code) not in self._spoken

    @cached_property
    def _spoken(self) -> frozenset[str]:
        return frozenset(map(_plain, self.languages))

    @cached_property
    def bounds(self) -> bool:
        """Tell whether any URL may lie outside."""
        return bool(self.words) or self._bounds_urls

    @cached_property
    def _bounds_urls(self) -> bool:
        return bool(self.hosts or self.prefixes or self.allow or self.deny)

    @cached_property
    def _prefixes(self) -> list[_Prefix]:
        return [_prefix(text) for text in self.prefixes]

    @cached_property
    def _allow(self) -> list[regex.Pattern[str]]:
        return [regex.compile(pattern) for pattern in self.allow]

    @cached_property
    def _deny(self) -> list[regex.Pattern[str]]:
        return [regex.compile(pattern) for pattern in self.deny]


EVERYWHERE = Scope()

_SAMPLE = 4_000  # characters that tell a language

_NO_LANGUAGES = frozenset({"mis", "mul", "und", "zxx"})
"""Codes that say that a text has another language, several, an unknown one, or none."""

_CLEARLY = log(1000)
"""A text is in another language if that is so much more likely, in log odds."""


def host_problem(host: str) -> str | None:
    """Return what is wrong with a host of a scope, None for a good one."""
    url = normalise(f"http://{host}/")
    if url == f"http://{host}/" and not host.startswith("www."):
        return None
    better = site_of(url) if url else "example.org"
    return f'host {shown(host)} is not written as links are; write "{better}"'


def prefix_problem(text: str) -> str | None:
    """Return what is wrong with a prefix of a scope, None for a good one."""
    if _prefix(text).host:
        return None
    return f'prefix {shown(text)} names no host; write "http://example.org/docs/" or "http://(org,example,"'


def pattern_problem(pattern: str) -> str | None:
    """Return what is wrong with a regular expression, None for a good one."""
    try:
        regex.compile(pattern)
    except (regex.error, ValueError, RecursionError) as error:
        cure = "escape . ? + ( ) [ with a backslash"
        return f'pattern "{printable(pattern[:100])}" is no regular expression ({error}); {cure}'
    return None


def url_words(setting: object) -> tuple[str, ...]:
    """Return the words of FOCUSED_SKIP_URLS, a list or texts between commas, as they stand in URLs.

    Badia et al. 2006 drop what has "forum" or "blog" in its URL, "an extremely simple test" that "happens to
    work surprisingly well". Raises ConfigError.

    >>> url_words("forum, Blog")
    ('forum', 'blog')
    """
    words = setting.split(",") if isinstance(setting, str) else setting
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"FOCUSED_SKIP_URLS is {setting!r}; use words between commas, as in forum,blog")
    return tuple(dict.fromkeys(quote(word.strip().lower(), _ASCII).lower() for word in words if word.strip()))


def _plain(code: str) -> str:
    """Return the one code of a language that pages declare by several."""
    return "no" if code in ("nb", "nn") else code


def _is_in_another(text: str, spoken: Collection[str]) -> bool:
    """Tell whether a text is clearly in another language than these; a few words, or numbers, do not tell."""
    # it loads slowly, and few topics need it
    from py3langid import rank  # noqa: PLC0415

    likely = [(_plain(language_code(code) or ""), odds) for code, odds in rank(text[:_SAMPLE])]
    own = [odds for code, odds in likely if code in spoken]
    return bool(own) and max(odds for _, odds in likely) > max(own) + _CLEARLY


def _prefix(text: str) -> _Prefix:
    """Read a prefix, a URL or a SURT; without a host where it is neither.

    >>> _prefix("http://(org,example,)/docs")
    _Prefix(host='example.org', is_domain=False, path='/docs')
    >>> _prefix("org,example,docs")
    _Prefix(host='docs.example.org', is_domain=True, path='')
    >>> _prefix("http://(org,example,www,:8080)/")
    _Prefix(host='example.org:8080', is_domain=False, path='/')
    >>> _prefix("https://www.example.org/a/B")
    _Prefix(host='example.org', is_domain=False, path='/a/B')
    """
    is_surt = "(" in text or "," in text.partition("/")[0]
    if not is_surt:
        url = normalise(text)
        path = text.partition("://")[2].partition("/")[2]
        return _Prefix(site_of(url) if url else "", False, f"/{path}" if path else "")
    labels, closed, path = (text.partition("(")[2] or text).partition(")")
    labels, colon, port = labels.partition(":")
    host = ".".join(label for label in reversed(labels.split(",")) if label)
    url = normalise(f"http://{host}{colon}{port}/")
    if url is None:
        return _Prefix("", False, path)
    site = site_of(url)
    return _Prefix(site, not closed and site == host_of(url), path)  # nothing lies below www.


def _fits(url: str, site: str, prefix: _Prefix) -> bool:
    is_there = _is_of(site.partition(":")[0], prefix.host) if prefix.is_domain else site == prefix.host
    return is_there and f"/{url.partition('://')[2].partition('/')[2]}".startswith(prefix.path)


def _is_of(site: str, domain: str) -> bool:
    return site == domain or site.endswith(f".{domain}")


def is_found(pattern: regex.Pattern[str], text: str, seconds: float = SECONDS) -> bool:
    """Tell whether a text has a pattern; no, where it takes longer to find."""
    try:
        return pattern.search(text, timeout=seconds) is not None
    except TimeoutError:
        return False
