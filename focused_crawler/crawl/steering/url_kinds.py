"""What URLs have in common: pattern and registered domain."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from focused_crawler.page.url import site_of

if TYPE_CHECKING:
    from tldextract import TLDExtract

_LONGEST = 200  # characters of a pattern
_LOOKED_AT = 500  # characters of a URL behind its host
_VARIABLE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}+|\d+", re.IGNORECASE)


def pattern_of(url: str) -> str:
    """Return what URLs of one kind have in common: site, path without numbers, names of query parameters.

    Parts that come again are left out, so that a path which repeats itself is one kind at any length.

    >>> pattern_of("http://www.example.org/2024/05/17/diary-3.html?page=2&sort=asc")
    'example.org/#/diary-#.html?page&sort'
    """
    rest = behind_host(url)[:_LOOKED_AT]
    path, _, query = rest.partition("?")
    parts = dict.fromkeys(_VARIABLE.sub(_taken_out, part) for part in path.split("/"))
    names = dict.fromkeys(_VARIABLE.sub(_taken_out, pair.partition("=")[0]) for pair in query.split("&"))
    pattern = f"{site_of(url)}/{'/'.join(parts)}"
    return (f"{pattern}?{'&'.join(names)}" if query else pattern)[:_LONGEST]


def _taken_out(match: re.Match[str]) -> str:
    """Return what stands for a number; eight letters from a to f are a word."""
    found = match[0]
    return "#" if "-" in found or any(map(str.isdigit, found)) else found


def behind_host(url: str) -> str:
    """Return path and query of a normalised URL."""
    return url.partition("://")[2].partition("/")[2]


@lru_cache(maxsize=4096)
def domain_of(host: str) -> str:
    """Return the domain that somebody registered: all its subdomains may be one owner's.

    >>> domain_of("a17.cheap.co.uk:8080")
    'cheap.co.uk'
    >>> domain_of("jane.github.io")
    'jane.github.io'
    >>> domain_of("a17.farm.test"), domain_of("10.0.0.1"), domain_of("localhost")
    ('farm.test', '10.0.0.1', 'localhost')
    """
    name = host if host.startswith("[") else host.partition(":")[0]
    found = _suffixes()(name)
    if found.top_domain_under_public_suffix or name.startswith("[") or found.ipv4:
        return found.top_domain_under_public_suffix or name
    return ".".join(name.split(".")[-2:])  # the list's own rule for an end that it does not know


@cache
def _suffixes() -> TLDExtract:
    """Return the list that comes with the library: no network, no cache; jane.github.io is a domain."""
    from tldextract import TLDExtract  # noqa: PLC0415 - it brings requests along, which takes a moment to load

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
