"""The one way onto a terminal for what rich draws: foreign text is made printable, and is never markup.

No other module makes a `Text` or a `Console`; `tables` alone makes what holds them. Plain lines go through
`say` of `safety.printable`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from focused_crawler.safety.printable import one_line, printable, without_controls
from focused_crawler.safety.program import as_typed

WIDE = 300
"""Columns where nothing draws them, so that what is piped into a file or a program has its URLs whole."""


class Terminal(Console):
    """Standard output, or stderr: takes nothing for markup, and escapes what slipped through unescaped.

    What standard output cannot show becomes a question mark.
    """

    def __init__(self, *, stderr: bool = False, **options: Any) -> None:
        if not stderr and isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        out = sys.stderr if stderr else sys.stdout
        if "file" not in options and "COLUMNS" not in os.environ and not out.isatty():
            options.setdefault("width", WIDE)
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False, **options)

    def print(self, *objects: Any, **how: Any) -> None:
        super().print(*(sentence(one) if isinstance(one, str) else one for one in objects), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if not segment.control and (safe := without_controls(segment.text)) != segment.text:
                yield Segment(safe, segment.style)
            else:
                yield segment


def text(words: str, style: str = "") -> Text:
    """Return foreign text on one line, cut after 500 characters; it goes on in the next where it must."""
    return Text(printable(words), style=style, overflow="fold")


def sentence(words: str, style: str = "") -> Text:
    """Return the whole of a text of ours on one line."""
    return Text(one_line(as_typed(words)), style=style)


def clipped(words: str) -> Text:
    """Return foreign text that ends where the line, or the column, does."""
    return Text(printable(words), no_wrap=True, overflow="ellipsis")


def assembled(*parts: str | tuple[str, str]) -> Text:
    """Return a line of parts, some with their style."""
    styled = (part if isinstance(part, tuple) else (part, "") for part in parts)
    return Text.assemble(*((one_line(words), style) for words, style in styled))


def warning(words: str) -> Text:
    """Return a line that warns."""
    return assembled(("warning:", "yellow"), f" {words}")


def lines(parts: Iterable[str]) -> Text:
    """Return foreign text on a line each."""
    return Text("\n".join(map(printable, parts)))


def stacked(parts: Iterable[Text]) -> Text:
    """Return lines below each other, each in its style; `Text()` is an empty one."""
    return Text("\n").join(parts)
