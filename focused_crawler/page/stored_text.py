"""A page's text as it is stored: its first 100,000 characters, compressed, and where its links stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from focused_crawler.page.model import Block, Outline, Page, Sections, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.zstd import zstd

LONGEST_TEXT = 100_000
"""Characters of a text that are stored."""

LONGEST_SECTION = 20_000
"""Characters of the terms of title and headlines, and of the meta tags."""

LONGEST_PLACES = 200_000
"""Characters of the elements that its links stand in: of all that a page may have, as most pages are."""

_BETWEEN = "\x1e"  # white space, so it stands in no text
_MOST_BYTES = 4 * (2 * LONGEST_TEXT + 2 * LONGEST_SECTION + LONGEST_PLACES)
_COMPRESSOR = zstd.ZstdCompressor(level=3)  # a new one a page would ask the system for its memory each time
_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 20}
"""No text of ours needs a larger one: a blob may not ask for the memory."""


class DamagedText(ValueError):
    """Bytes that are no stored text."""


class KeptWords(NamedTuple):
    """What is kept of a page's words and links."""

    text: str
    headline: tuple[str, ...] = ()  # terms of title and headlines; none: an earlier version kept no such
    keywords: tuple[str, ...] = ()  # of its meta tags
    anchor: tuple[str, ...] | None = None  # of its links; None: an earlier version kept none
    places: tuple[str, ...] = ()  # elements of each of its links, as in `Page.places`; none: an earlier one


def stored_text(page: Page) -> bytes:
    """Return the text of a page as it is stored, with the terms of its sections and the places of its links.

    Nothing if it has no text. Its links are found by `page.blocks.partition`.
    """
    if not page.text:
        return b""
    sections = page.sections
    parts = (
        page.text[:LONGEST_TEXT].replace(_BETWEEN, " "),
        _joined(sections.headline, LONGEST_SECTION),
        _joined(sections.keywords, LONGEST_SECTION),
        _joined(sections.anchor, LONGEST_TEXT),
        _joined([page.places.get(link.place, "") for link in page.links], LONGEST_PLACES, "\t"),
    )
    return _COMPRESSOR.compress(_BETWEEN.join(parts).encode("utf-8", "replace"), _COMPRESSOR.FLUSH_FRAME)


def _joined(terms: Terms, most: int, between: str = " ") -> str:
    joined = between.join(terms)  # a word that is no term leaves an empty one, which counts as a word
    return joined if len(joined) <= most else joined[:most].rpartition(between)[0]


def read_text(blob: bytes) -> KeptWords:
    """Return a stored text; raises DamagedText for what is none, or is longer than any.

    >>> read_text(b"").text
    ''
    """
    if not blob:
        return KeptWords("")
    reader = zstd.ZstdDecompressor(options=_WINDOW)
    try:
        text, *sections = reader.decompress(blob, _MOST_BYTES).decode().split(_BETWEEN)
    except (zstd.ZstdError, UnicodeDecodeError, TypeError) as error:
        raise DamagedText(str(error)) from error
    if not reader.eof or len(text) > LONGEST_TEXT or len(sections) not in (0, 2, 3, 4):
        raise DamagedText("it is cut off, or too long")
    parts = zip(sections, "   \t", strict=False)
    return KeptWords(text, *(tuple(terms.split(between)) if terms else () for terms, between in parts))


def page_of_text(
    url: str, title: str, kept: KeptWords, analyzer: Analyzer, anchors: Sequence[str] = ()
) -> Page:
    """Return a page as its stored words make one; `anchors`: the texts of its links, if these have none.

    Each term is in the section that it was in, but where a text runs on across the edge of a link.
    """
    headline, terms = analyzer.terms(title), analyzer.terms(kept.text)
    anchor = Counter(kept.anchor)
    if kept.anchor is None:
        anchor.update(term for text in anchors for term in analyzer.terms(text))
    linked, rest = _parted(terms, anchor)
    in_text = Counter(kept.headline)
    in_text.subtract(headline)
    shown, body = _parted(rest, in_text)
    if kept.anchor is not None:
        linked += (+anchor).elements()
    headline += [*shown, *(+in_text).elements()]
    sections = Sections(headline, list(kept.keywords), linked, body)
    return Page(url, title, kept.text, sections, Outline(is_heading=False), blocks=[Block(terms)])


def _parted(terms: Iterable[str], left: Counter[str]) -> tuple[Terms, Terms]:
    """Return those of the terms that are wanted, each as often as it is, and the others."""
    taken: Terms = []
    others: Terms = []
    for term in terms:
        if left[term] > 0:
            left[term] -= 1
            taken.append(term)
        else:
            others.append(term)
    return taken, others
