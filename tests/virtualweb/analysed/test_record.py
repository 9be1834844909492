from __future__ import annotations

from html import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.virtualweb.analysed.record import (
    DAMAGE,
    Lexicon,
    link_urls,
    pack,
    record_of,
    unpack,
    words_from_bytes,
    words_to_bytes,
)

URL = "http://example.org/a/"
ANALYZER = Analyzer("en")
texts = st.text(st.characters(codec="utf-8", exclude_characters="<&"), max_size=30).map(escape)
bits = st.one_of(
    texts,
    texts.map(lambda text: f'<a href="/{text[:5]}">{text}</a>'),
    texts.map(lambda text: f"<p>{text} honey and bees the of <a href=x>bees</a> <a href=y></a> honey</p>"),
    texts.map(lambda text: f"<h2>{text}</h2>"),
    st.just('<base href="http://other.example/b/"><meta name=keywords content="bee, hive">'),
)


def read(body: bytes, context_words: int = 10) -> Page:
    page = parse_page(body, URL, ANALYZER, "utf-8")
    partition(page, context_words=context_words)
    return page


def kept(page: Page, context_words: int = 10, others: tuple[str, ...] = ()) -> Page:
    """Return a page as it comes back; `others` were the first words of the web."""
    lexicon, words = Lexicon(), Lexicon()
    words.numbers(others)
    packed = pack(page, lexicon, context_words)
    assert link_urls(packed) == [link.url for link in page.links]
    record = record_of(packed, np.frombuffer(words.numbers(lexicon), dtype="<u4"))
    return unpack(record, page.url, words_from_bytes(words_to_bytes(words)), context_words)


@given(st.lists(bits, max_size=12), st.integers(0, 4))
def test_a_page_comes_back_whole(parts: list[str], context_words: int) -> None:
    """All of it: sections, blocks, links with their contexts, title, text and base."""
    try:
        page = read(f"<title>T</title>{''.join(parts)}".encode(), context_words)
    except UnparsablePage:
        return
    assert kept(page, context_words, others=("honey", "zebra", "")) == page


@pytest.mark.parametrize(
    "body",
    [
        b"<p>",
        b"<title>only</title>",
        b"<a href=/x></a>" * 3,
        b"<p>" + b"Many words. " * 20 + b"\xff\xfe caf\xe9 \xed\xa0\x80</p><a href='/\xed\xa0\x80'>x</a>",
        "<p>line\u2028separator \x85 \x1c \x1f <a href='/a\nb'>two\nlines</a>".encode(),
    ],
)
def test_odd_pages_come_back_too(body: bytes) -> None:
    """Without words, without links, or with bytes that are no text."""
    page = read(body)
    assert kept(page) == page


@pytest.mark.parametrize("cut", [0, 5, -1])
def test_a_damaged_record_is_noticed(cut: int) -> None:
    """What comes of it is one of the errors that are looked out for."""
    lexicon = Lexicon()
    packed = pack(read(b"<p>honey <a href=/x>bees</a></p>"), lexicon, 10)
    record = record_of(packed, np.arange(len(lexicon), dtype="<u4"))
    with pytest.raises(DAMAGE):
        unpack(record[:cut], URL, words_from_bytes(words_to_bytes(lexicon)), 10)
