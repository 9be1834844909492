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
    """Return links by key, one a URL: its highest priority with parent and path of that, its least depth."""
    merged: dict[int, Candidate] = {}
    known = None  # the parent that was looked at last: most links of a batch come from one page
    for link in links:
        url, priority, depth, parent, _ = link
        if parent is not known and _is_plain(parent or ""):
            known = parent
        is_clean = 0.0 <= priority <= 1.0 and 0 <= depth <= _DEEPEST and parent is known and _is_plain(url)
        cleaned = link if is_clean else _mended(link)
        key = url_key(cleaned.url)
        other = merged.get(key)
        merged[key] = cleaned if other is None else _better(other, cleaned)
    return merged


def _better(other: Candidate, link: Candidate) -> Candidate:
    higher = link if link.priority > other.priority else other
    origin = higher if higher.parent else other
    depth = min(link.depth, other.depth)
    return Candidate(other.url, higher.priority, depth, origin.parent, origin.path)


def _mended(link: Candidate) -> Candidate:
    return Candidate(
        storable(link.url),
        clip(link.priority),
        min(max(link.depth, 0), _DEEPEST),
        None if link.parent is None else storable(link.parent),
        link.path,
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and "\0" not in text


def batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
