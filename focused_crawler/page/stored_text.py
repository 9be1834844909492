"""A page's text as it is stored: its first 100,000 characters, compressed."""

from __future__ import annotations

from focused_crawler.page.model import Block, Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.zstd import zstd

LONGEST_TEXT = 100_000
"""Characters of a text that are stored."""

_MOST_BYTES = 4 * LONGEST_TEXT
_LEVEL = 3
_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 20}
"""No text of ours needs a larger one: a blob may not ask for the memory."""


class DamagedText(ValueError):
    """Bytes that are no stored text."""


def stored_text(page: Page) -> bytes:
    """Return the text of a page as it is stored, nothing if it has none."""
    text = page.text[:LONGEST_TEXT]
    return zstd.compress(text.encode("utf-8", "replace"), _LEVEL) if text else b""


def read_text(blob: bytes) -> str:
    """Return a stored text; raises DamagedText for what is none, or is longer than any.

    >>> read_text(b"")
    ''
    """
    if not blob:
        return ""
    reader = zstd.ZstdDecompressor(options=_WINDOW)
    try:
        text = reader.decompress(blob, _MOST_BYTES).decode()
    except (zstd.ZstdError, UnicodeDecodeError, TypeError) as error:
        raise DamagedText(str(error)) from error
    if not reader.eof or len(text) > LONGEST_TEXT:
        raise DamagedText("it is cut off, or too long")
    return text


def page_of_text(url: str, title: str, text: str, analyzer: Analyzer) -> Page:
    """Return a page as far as its stored words make one: its headlines and links are words like others."""
    terms = analyzer.terms(text)
    sections = Sections(headline=analyzer.terms(title), body=terms)
    return Page(url, title, text, sections, Outline(is_heading=False), blocks=[Block(terms)])
