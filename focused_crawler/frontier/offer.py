"""Links as they are offered: cut into batches, cleaned, and one a URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.order import clip
from focused_crawler.page.url import url_key
from focused_crawler.store.text import storable

_T = TypeVar("_T")
_BATCH = 1000
_DEEPEST = 2**31 - 1


def merged(links: Sequence[Candidate]) -> dict[int, Candidate]:
    """Return links by key, one a URL: its highest priority with the parent of that, and its least depth."""
    merged: dict[int, Candidate] = {}
    for link in _cleaned(links):
        key = url_key(link.url)
        other = merged.get(key)
        if other is None:
            merged[key] = link
        else:
            higher = link if link.priority > other.priority else other
            merged[key] = Candidate(
                other.url, higher.priority, min(link.depth, other.depth), higher.parent or other.parent
            )
    return merged


def _cleaned(links: Iterable[Candidate]) -> Iterator[Candidate]:
    known = None  # the parent that was looked at last: most links of a batch come from one page
    for link in links:
        url, priority, depth, parent = link
        is_parent_plain = parent is known or _is_plain(parent or "")
        if is_parent_plain:
            known = parent
        if 0.0 <= priority <= 1.0 and 0 <= depth <= _DEEPEST and is_parent_plain and _is_plain(url):
            yield link
        else:
            yield _mended(link)


def _mended(link: Candidate) -> Candidate:
    return Candidate(
        storable(link.url),
        clip(link.priority),
        min(max(link.depth, 0), _DEEPEST),
        None if link.parent is None else storable(link.parent),
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
