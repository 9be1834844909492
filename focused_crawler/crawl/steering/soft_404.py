"""Soft 404: pages that a server sends as found and whose text denies it."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from unicodedata import normalize

import regex

from focused_crawler.crawl.steering.copies import count_own_words
from focused_crawler.page.model import Page

MOST_WORDS = 100
"""Own words that such a page has at most; whoever writes more has content, be it on this subject."""

_DATA = tomllib.loads(files(__package__).joinpath("soft_404.toml").read_text("utf-8"))
_PHRASES, _BARE = tuple(_DATA["phrases"]), tuple(_DATA["titles"])
_WANTED = re.compile(
    r"page (?:that )?you(?:'re| are| were|'ve)? (?:requested|looking for|tried to \w+)[^.!]{0,60}?"
    r"(?:not\b|n't\b|no longer|never|moved|removed|unavailable)"
)
_LONGEST = 20_000  # characters of a text that are read: menus come first on most pages
_MARKS = regex.compile(r"[\p{M}\uFF9E\uFF9F]{3,}+")
"""No word has three marks on a letter; NFKC sorts them, which takes the square of their number. The other two
become marks by it."""
_PARTS = re.compile(r"\s*[|–—·•»«›:]\s*|\s+-\s+")
_AROUND = re.compile(r"^(?:(?:oops|sorry|whoops|error|http|404)\b|\W)+|(?:\W|\b(?:error|404))+$")
_NOTHING_FOR = re.compile(r"nothing found for\b")
_WHOLE = frozenset((*_PHRASES, *_BARE))


def is_soft_404(page: Page) -> bool:
    """Tell whether a page reports, in one of some thirty languages, that there is no such page.

    Short pages only: by a part of the title with nothing else, or by their text.
    """
    return count_own_words(page) <= MOST_WORDS and (_is_title(page.title) or _is_text(page.text))


def _is_title(title: str) -> bool:
    parts = _PARTS.split(_plain(title[:300]))
    return any(
        part in _WHOLE or _AROUND.sub("", part) in _WHOLE or _NOTHING_FOR.match(part) for part in parts
    )


def _is_text(text: str) -> bool:
    plain = _plain(text[:_LONGEST])
    return any(phrase in plain for phrase in _PHRASES) or _WANTED.search(plain) is not None


def _plain(text: str) -> str:
    return normalize("NFKC", _MARKS.sub("", text)).casefold().replace("\u2019", "'")
