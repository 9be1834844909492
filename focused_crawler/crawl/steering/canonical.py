"""Canonical URLs: a page that was fetched names another URL as its own, which then waits (rel=canonical).

What it names is believed as far as it can do no harm: never of another site, of the folder that the page
lies in (page 2 of a list that names page 1, and the frequent mistake by which every page names the home
page), nor where pages with different texts name the same URL. And it forbids nothing: a URL that is named is
fetched when nothing better is left.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple
from urllib.parse import urlsplit

from focused_crawler.page.url import site_of, url_key

CANONICAL = "canonical"
"""Rule by which a URL waits."""
ALIAS, DISPUTED = "alias", "disputed"
"""Decisions: what a page names is believed; it is not any more, as pages with different texts name it."""
MOST_ALIASES = 50_000
"""So many URLs are known as named, the latest ones."""


class _Claim(NamedTuple):
    """Which page named a URL."""

    page: str
    text: str  # its checksum; empty: a page without words


class Aliases:
    """Which URLs lead to the text of a page that was fetched at another one."""

    def __init__(self) -> None:
        self.claims: OrderedDict[int, _Claim | None] = OrderedDict()  # None: pages disagree

    def record(self, page: str, canonical: str, text: str) -> str | None:
        """Take in what a fetched page names as its URL; return what is decided of it, None if nothing is."""
        key = url_key(canonical)
        if key == url_key(page) or not is_believable(page, canonical):
            return None
        before = self.claims.get(key, _NO_CLAIM)
        is_agreed = before is not None and before.text in ("", text)
        self._put(key, _Claim(page, text) if is_agreed else None)
        if is_agreed:
            return ALIAS
        return None if before is None else DISPUTED

    def dispute(self, canonical: str) -> None:
        """Believe no page that names this URL."""
        self._put(url_key(canonical), None)

    def _put(self, key: int, claim: _Claim | None) -> None:
        self.claims[key] = claim
        self.claims.move_to_end(key)
        if len(self.claims) > MOST_ALIASES:
            self.claims.popitem(last=False)

    def page_of(self, url: str) -> str | None:
        """Return the fetched page whose canonical URL this is, None if there is none to be believed."""
        claim = self.claims.get(url_key(url))
        return None if claim is None else claim.page


_NO_CLAIM = _Claim("", "")


def is_believable(page: str, canonical: str) -> bool:
    """Tell whether a page can be the same as what it names.

    >>> is_believable("http://a.org/tea?print=1", "http://a.org/tea")
    True
    >>> is_believable("http://a.org/tea/page/2", "http://a.org/tea")
    False
    """
    if site_of(page) != site_of(canonical):
        return False
    folder = urlsplit(canonical).path.rstrip("/") + "/"
    path = urlsplit(page).path
    return not (path.startswith(folder) and path != folder)
