"""A text comes back as it was; bytes that are no text harm nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import LONGEST_TEXT, DamagedText, read_text, stored_text, zstd


def page(text: str) -> Page:
    return Page("http://a.org/", "", text, Sections(), Outline(is_heading=False))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back(text: str) -> None:
    """Whatever is in it."""
    assert read_text(stored_text(page(text))) == text


def test_a_long_text_is_cut() -> None:
    """At a number of characters, whatever bytes they take."""
    assert read_text(stored_text(page("𝄞" * (LONGEST_TEXT + 1)))) == "𝄞" * LONGEST_TEXT


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    """No text of a page has one, but other text may."""
    assert read_text(stored_text(page("a\ud800b"))) == "a?b"


def test_no_words_are_no_bytes() -> None:
    """And need no row."""
    assert stored_text(page("")) == b""


def damaged() -> dict[str, object]:
    whole = stored_text(page("bees and honey " * 100))
    wide = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    return {
        "rubbish": b"bees",
        "cut off": whole[:-3],
        "one byte changed": whole[:20] + bytes([whole[20] ^ 0xFF]) + whole[21:],
        "too long": zstd.compress(b"x" * (LONGEST_TEXT + 1)),
        "a bomb": zstd.compress(bytes(300_000_000)),
        "a huge window": wide.compress(b"x" * 1000) + wide.flush(),
        "not UTF-8": zstd.compress(b"\xff\xfe"),
        "no bytes": "text",
    }


@pytest.mark.parametrize("kind", damaged())
def test_a_damaged_text_is_refused(kind: str) -> None:
    """In no time, and in little memory."""
    with pytest.raises(DamagedText):
        read_text(damaged()[kind])  # type: ignore[arg-type]
