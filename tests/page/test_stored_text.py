"""A text comes back as it was; bytes that are no text harm nobody."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Link, Outline, Page, Sections, place_of
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import (
    LONGEST_PLACES,
    LONGEST_SECTION,
    LONGEST_TEXT,
    DamagedText,
    KeptWords,
    page_of_text,
    read_text,
    stored_text,
    zstd,
)
from focused_crawler.page.text.tokens import Analyzer


def page(text: str) -> Page:
    return Page("http://a.org/", "", text, Sections(), Outline(is_heading=False))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x1e")))
def test_a_text_comes_back(text: str) -> None:
    """Whatever is in it; the sign that is left out is white space, which a page's text has folded."""
    assert read_text(stored_text(page(text))).text == text


def test_sections_come_back() -> None:
    """Each word in the one it was in; of earlier versions also, by the texts of links."""
    body = b"""<title>Stars | A site</title><meta name=keywords content="sky, night"><h1>Bright stars</h1>
    <p>Stars are far. <a href=/m>The moon</a> is near, the moon is <a href=/b>bright</a>.<h2>Far</h2>"""
    analyzer = Analyzer("en")
    read = parse_page(body, "http://a.org/", analyzer)
    partition(read)
    kept = read_text(stored_text(read))
    again = page_of_text(read.url, read.title, kept, analyzer)
    earlier, links = kept._replace(anchor=None), [link.text for link in read.links]
    before = page_of_text(read.url, read.title, earlier, analyzer, links)
    for section in ("headline", "keywords", "anchor", "body"):
        was, found, of_links = (Counter(getattr(one.sections, section)) for one in (read, again, before))
        assert found == was, section
        assert of_links == was, section
    before = page_of_text(read.url, read.title, KeptWords(kept.text), analyzer)
    assert Counter(before.sections.headline) == Counter(analyzer.terms(read.title))
    assert len(before.sections.body) == len(analyzer.terms(kept.text))


def test_what_links_stand_in_comes_back() -> None:
    """In their order, to the number that each has on its page; earlier versions kept none."""
    body = b"""<title>Stars</title><ul class="menu top"><li><a href=/m>The moon</a><li><a href=/s>Stars</a>
    </ul><p>Far. <a class=next href=/b>Bright</a>, <a href=mailto:a@b.org>us</a>, <a href=/x></a>."""
    read = parse_page(body, "http://a.org/", Analyzer("en"))
    partition(read)
    kept = read_text(stored_text(read))
    assert kept.places == ("body ul.menu a", "body ul.menu a", "body p a.next", "body p a")
    assert [place_of(elements) for elements in kept.places] == [link.place for link in read.links]
    read.links = []
    assert read_text(stored_text(read)).places == ()
    earlier = zstd.compress(b"Far.\x1estar\x1esky\x1emoon")
    assert read_text(earlier) == KeptWords("Far.", ("star",), ("sky",), ("moon",))


def test_what_many_links_stand_in_is_cut_between_them() -> None:
    """What is left of one would be another one."""
    long, elements = page("bees"), "div.honey li a"
    long.places = {place_of(elements): elements}
    long.links = [Link("http://a.org/", "", [], [], 0, place=place_of(elements))] * LONGEST_PLACES
    kept = read_text(stored_text(long))
    assert set(kept.places) == {elements}
    assert LONGEST_PLACES - 15 < len("\t".join(kept.places)) <= LONGEST_PLACES


def test_a_long_section_is_cut_between_terms() -> None:
    """What is left of a term would be another one."""
    long = page("bees")
    long.sections.headline = ["honey"] * LONGEST_SECTION
    kept = read_text(stored_text(long))
    assert set(kept.headline) == {"honey"}
    assert LONGEST_SECTION - 6 < len(" ".join(kept.headline)) <= LONGEST_SECTION


def test_a_long_text_is_cut() -> None:
    """At a number of characters, whatever bytes they take."""
    assert read_text(stored_text(page("𝄞" * (LONGEST_TEXT + 1)))).text == "𝄞" * LONGEST_TEXT


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    """No text of a page has one, but other text may."""
    assert read_text(stored_text(page("a\ud800b"))).text == "a?b"


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
