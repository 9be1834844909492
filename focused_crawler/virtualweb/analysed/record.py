"""Pages as bytes: terms are numbers of words, and what can be derived from the blocks is left out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.page.blocks import around
from focused_crawler.page.listing import ListedUrl, SiteListing
from focused_crawler.page.model import Block, Link, Named, Outline, Page, Sections, Terms, place_of
from focused_crawler.safety.zstd import zstd

Words = NDArray[np.object_]
"""A word a number: all pages share the same strings, whose hashes are known."""

DAMAGE = (sqlite3.Error, zstd.ZstdError, ValueError, IndexError, TypeError)
"""What reading a damaged record can raise."""

_COUNTS = 6  # numbers at the start of a record
_LINES = 6  # title, base, text, language, places and what it names, before those of the links
_NUMBER = np.dtype("<u4")
_LEVEL = 1


class Packed(NamedTuple):
    """A page with numbers for its words, before they are those of the whole web."""

    counts: bytes  # lengths of the four sections, numbers of blocks and links; then lengths of the blocks,
    # and of each link its block, where its anchor begins in it, how long that is, and its place
    terms: bytes  # of sections and blocks
    text: str  # title, base, text, language, places, what it names; URLs and texts of the links: a line each


class Lexicon(dict[str, int]):
    """Numbers words in the order in which they are asked for."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number

    def numbers(self, terms: Iterable[str]) -> bytes:
        """Return the numbers of words."""
        return np.fromiter(map(self.__getitem__, terms), dtype=_NUMBER).tobytes()


def pack(page: Page, lexicon: Lexicon, context_words: int) -> Packed:
    """Return a page that has its blocks and links."""
    sections, links = page.sections, page.links
    parts = [sections.headline, sections.keywords, sections.anchor, sections.body]
    blocks = [block.terms for block in page.blocks]
    counts = [*map(len, parts), len(blocks), len(links), *map(len, blocks)]
    counts += [link.block for link in links]
    counts += _starts(page, context_words)
    counts += [len(link.anchor) for link in links]
    counts += [link.place for link in links]
    base = "" if page.base == page.url else page.base
    named = " ".join([page.named.canonical, *page.named.feeds])
    about = [" ".join(page.language.split()), "\t".join(page.places.values()), named]
    lines = [page.title, base, page.text, *about]
    lines += [link.url for link in links]
    lines += [link.text for link in links]
    terms = lexicon.numbers(term for part in (*parts, *blocks) for term in part)
    return Packed(np.array(counts, dtype=_NUMBER).tobytes(), terms, "\n".join(lines))


def pack_listing(listing: SiteListing) -> bytes:
    """Return a sitemap or feed as it is stored."""
    return zstd.compress(json.dumps(listing).encode(), _LEVEL)


def unpack_listing(record: bytes) -> SiteListing:
    """Return a sitemap or feed out of its record; raises one of `DAMAGE` for what is none."""
    kind, entries = json.loads(zstd.decompress(record))
    return SiteListing(kind, tuple(ListedUrl(*entry) for entry in entries))


def words_to_bytes(words: Iterable[str]) -> bytes:
    """Return words as they are stored."""
    return "\n".join(words).encode("utf-8", "surrogatepass")


def words_from_bytes(data: bytes) -> Words:
    """Return words by number."""
    return np.array(data.decode("utf-8", "surrogatepass").split("\n"), dtype=np.object_)


def link_urls(packed: Packed) -> list[str]:
    """Return the URLs of a page's links, in page order."""
    links = int(np.frombuffer(packed.counts, dtype=_NUMBER)[_COUNTS - 1])
    return packed.text.split("\n")[_LINES : _LINES + links]


def record_of(packed: Packed, numbers: NDArray[np.uint32]) -> bytes:
    """Return a page as it is stored; `numbers` maps a number of its lexicon to that of the whole web."""
    terms = numbers[np.frombuffer(packed.terms, dtype=_NUMBER)].astype(_NUMBER)
    text = packed.text.encode("utf-8", "surrogatepass")
    size = np.array([len(packed.counts) // 4, len(terms)], dtype=_NUMBER)
    return zstd.compress(b"".join((size.tobytes(), packed.counts, terms.tobytes(), text)), _LEVEL)


def unpack(record: bytes, url: str, words: Words, context_words: int) -> Page:
    """Return the page at `url` out of its record; raises one of `DAMAGE` for what is none."""
    data = zstd.decompress(record)
    head, length = np.frombuffer(data, dtype=_NUMBER, count=2).tolist()
    counts = np.frombuffer(data, dtype=_NUMBER, count=head, offset=8).tolist()
    numbers = np.frombuffer(data, dtype=_NUMBER, count=length, offset=8 + 4 * head)
    terms: Terms = words.take(numbers).tolist()
    lines = data[8 + 4 * (head + length) :].decode("utf-8", "surrogatepass").split("\n")
    *sizes, block_count, link_count = counts[:_COUNTS]
    ends = [*sizes, *counts[_COUNTS : _COUNTS + block_count]]
    at, pieces = 0, []
    for size in ends:
        pieces.append(terms[at : at + size])
        at += size
    blocks = pieces[4:]
    links = _links(blocks, counts[_COUNTS + block_count :], lines[_LINES:], link_count, context_words)
    canonical, *feeds = lines[5].split(" ")
    return Page(
        url=url,
        title=lines[0],
        text=lines[2],
        sections=Sections(*pieces[:4]),
        outline=Outline(is_heading=False),
        base=lines[1] or url,
        language=lines[3],
        places={place_of(path): path for path in lines[4].split("\t") if path},
        named=Named(canonical, tuple(feeds)),
        blocks=list(map(Block, blocks)),
        links=links,
    )


def _links(
    blocks: Sequence[Terms], numbers: Sequence[int], lines: Sequence[str], count: int, width: int
) -> list[Link]:
    links = []
    for url, text, block, start, length, place in zip(
        lines[:count],
        lines[count:],
        numbers[:count],
        numbers[count : 2 * count],
        numbers[2 * count : 3 * count],
        numbers[3 * count :],
        strict=True,
    ):
        terms, end = blocks[block], start + length
        context = around(terms, start, end, width)
        links.append(Link(url, text, terms[start:end], context, block, min(start, width), place))
    return links


def _starts(page: Page, width: int) -> list[int]:
    """Return where in its block each link's anchor stands, or where just the same words stand."""
    starts = []
    block, start = -1, 0
    for link in page.links:
        if link.block != block:
            block, start = link.block, 0
        terms, length = page.blocks[block].terms, len(link.anchor)
        while (
            min(start, width) != link.before
            or terms[start : start + length] != link.anchor
            or around(terms, start, start + length, width) != link.context
        ):
            start += 1
        starts.append(start)
        start += length
    return starts
