"""What rich draws of foreign text: the text, and nothing that it could do."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.report.live import Bars
from focused_crawler.report.terminal.output import (
    Terminal,
    assembled,
    clipped,
    lines,
    sentence,
    stacked,
    text,
    warning,
)
from focused_crawler.report.terminal.tables import (
    branch,
    heading,
    indented,
    noted,
    page,
    panel,
    spread,
    table,
)
from focused_crawler.safety.printable import UNSAFE

FOREIGN = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["[red]x[/red]", "[/]", "[", ":bomb:", "\x1b[2J", "a\r\nb", "\u202egnp", "\tx", "\ud800", "[link=x]y"]
)


def drawn(*parts: RenderableType) -> str:
    """Return what a terminal gets that shows no colours, and is wide enough for all."""
    file = io.StringIO()
    Terminal(file=file, width=2000, force_terminal=True, color_system=None).print(*parts)
    return file.getvalue()


def parts_of(words: str) -> tuple[RenderableType, ...]:
    """Return it in a cell, a heading, a title, a panel, a tree and a line."""
    return (
        words,
        text(words),
        sentence(words),
        clipped(words),
        assembled(words, (words, "red")),
        warning(words),
        lines([words]),
        stacked([text(words)]),
        heading(words),
        indented(words),
        page(words, words),
        noted(words, words),
        panel(text(words), [(words, text(words))]),
        spread(words, text(words)),
        branch(text(words)),
        table(words, f">{words}", rows=[[words, words]], title=words),
    )


@given(FOREIGN.filter(str.strip))
def test_nothing_is_obeyed(words: str) -> None:
    """No control and no mark of direction comes through, and no line more than of a plain word."""
    for part, plain in zip(parts_of(words), parts_of("plain"), strict=True):
        shown = drawn(part)
        assert UNSAFE.search(shown.replace("\n", "")) is None
        assert shown.count("\n") <= drawn(plain).count("\n")


@pytest.mark.parametrize("words", ["[red]x[/red]", "[/]", ":bomb:", "[link=http://x]y[/link]", "[bold"])
def test_markup_is_text(words: str) -> None:
    """Wherever it stands, even where nobody thought of it."""
    raw = Table(title=words)
    raw.add_column(words)
    raw.add_row(words)
    for part in (words, Group(words), raw, table(words, rows=[[words]], title=words), branch(text(words))):
        assert words in drawn(part)


def test_what_slipped_through_is_escaped() -> None:
    """A `Text` that somebody made without thinking."""
    assert drawn(Text("a\x1b[2J\u202eb")) == "a\\x1b[2J\\u202eb\n"


def test_bars_show_their_titles_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so their notes: the name of a topic, say."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    with Bars() as bars:
        bars.advance(bars.add("[red]x\x1b]0;own\x07[/red]", 2), note="[/] \u202egnp")
    assert r"[red]x\x1b]0;own\x07[/red]" in file.getvalue()
    assert r"[/] \u202egnp" in file.getvalue()
