"""What a page taught the strategy as it is stored, behind what was learnt beside pages before it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

PAGE, LINKS, GIVEN_UP = b"p", b"l", b"g"
"""Kinds: a page, links of a sitemap or feed that were queued, a URL that no page came of."""

_MARK = b"\0lessons"  # a page's lesson begins with its key, a hash
_HEAD = struct.Struct("<cI")


class Lesson(NamedTuple):
    """What the strategy learnt at once."""

    kind: bytes
    content: bytes  # features; of a URL its key


def packed(beside: Sequence[Lesson], page: bytes) -> bytes:
    """Return a page's lesson, which comes last, as it is stored: as it is where nothing came before."""
    if not beside:
        return page
    lessons = [*beside, Lesson(PAGE, page)]
    return _MARK + b"".join(_HEAD.pack(kind, len(content)) + content for kind, content in lessons)


def unpacked(stored: bytes) -> list[Lesson]:
    """Return what `packed` was given, in order; ValueError where it is cut off."""
    if not stored.startswith(_MARK):
        return [Lesson(PAGE, stored)]
    found, at = [], len(_MARK)
    while at < len(stored):
        kind, size = _HEAD.unpack_from(stored.ljust(at + _HEAD.size), at)
        at += _HEAD.size + size
        found.append(Lesson(kind, stored[at - size : at]))
    if at > len(stored):
        raise ValueError("a lesson is cut off")
    return found
