"""HTML -> calls of a target, tag by tag: in parts, without a tree, however deep it nests."""

from __future__ import annotations

from typing import Any

from lxml import etree

from focused_crawler.safety.aside import Parts

PART = 32 * 1024
"""Bytes that are parsed at a time."""

MAX_OPEN = 500
"""Elements that may stay open after a part; those in them end there. Browsers nest no deeper than 512.

libxml2 looks through all of them at each end tag: with a mebibyte of stray ones that takes half a minute.
"""


class Target:
    """Is given the tags of a page in their order, implied ones included, and with `data` its text.

    `start` and `end` of each kind keep `opened` themselves: they are called for each tag.
    """

    def __init__(self) -> None:
        self.opened: list[str] = []  # tags of the open elements

    def pause(self) -> None:
        """Do what can be done between two parts."""

    def close(self) -> Any:
        """Return what became of it."""


def reading(text: str, target: Target) -> Parts[Any]:
    """Give a page to a target, and return what its `close` does."""
    markup = text.encode("utf-8", "replace").replace(b"\0", b"") or b" "  # of nothing lxml makes an error
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=target)
    start = 0
    while start < len(markup):
        end = start + PART
        if end < len(markup):
            cut = markup.rfind(b"<", start + 1, end)  # seldom in the midst of a tag
            end = cut if cut > 0 else end
        parser.feed(markup[start:end])
        start = end
        if len(target.opened) > MAX_OPEN:
            parser.feed("".join([f"</{tag}>" for tag in reversed(target.opened[MAX_OPEN:])]).encode())
        if start < len(markup):
            target.pause()
        if len(markup) > PART:  # what is closed at its end takes a turn, too
            yield
    return parser.close()
