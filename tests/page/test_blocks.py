"""Content block partition."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import COST_A_BYTE, COST_OF_ANY, LINK_COST, Unit, partition, split
from focused_crawler.page.builder import MAX_LINKS
from focused_crawler.page.model import STOP, Outline, Page, Piece, Sections
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

URL = "http://example.org/dir/page.html"
CASES = sorted(path.parent for path in Path(__file__).parent.glob("blocks/*/page.html"))
PLAIN = Analyzer("xx")  # words as they are: no stemmer, and no stop words but single letters


def page_of(outline: Outline) -> Page:
    return Page(URL, "", "", Sections(), outline, base=URL)


def words(terms: list[str]) -> str:
    return " ".join(term or "_" for term in terms)


def read(body: str) -> Page:
    page = parse_page(body.encode(), URL, PLAIN)
    partition(page)
    return page


def test_links_that_a_page_is_too_small_for():
    """A long base makes much of little: the first links stay, and the others are counted."""
    body = f'<base href="http://a.org/{"x" * 1900}/">' + "<a href=1>a</a>" * 1000
    page = read(body)
    assert page.cut == 1000 - len(page.links)
    cost = len(page.links[0].url) + LINK_COST
    assert len(page.links) == (COST_OF_ANY + COST_A_BYTE * len(body)) // cost


def test_links_beyond_the_largest_number_are_counted():
    """Whatever they lead to."""
    page = read(f"<a href='/wiki/{'x' * 20}'>A page of the wiki</a>" * (MAX_LINKS + 3))
    assert (len(page.links), page.cut) == (MAX_LINKS, 3)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_pages(case):
    """The blocks and links of a page are those that stand beside it."""
    page = parse_page((case / "page.html").read_bytes(), URL, PLAIN)
    partition(page)
    found = {
        "blocks": [words(block.terms) for block in page.blocks],
        "links": [[link.url, link.text, link.block, words(link.context)] for link in page.links],
    }
    assert found == json.loads((case / "expected.json").read_text())


WORDS = st.lists(st.sampled_from(["robot", "arm", STOP]), max_size=6)
PIECES = st.builds(Piece, WORDS) | st.builds(
    Piece, WORDS, st.sampled_from(["/a", "b", "http://other.example/", "mailto:x", "http://[", ""]), st.text()
)
OUTLINES = st.recursive(
    st.builds(Outline, st.booleans(), st.lists(PIECES, max_size=3)),
    lambda inner: st.builds(Outline, st.booleans(), st.lists(PIECES | inner, max_size=5)),
    max_leaves=30,
)
ALPHAS = st.floats(0, 1.5)
COUNTS = st.integers(0, 20)


def pieces(outline: Outline) -> list[Piece]:
    found = []
    for part in outline.parts:
        found += [part] if isinstance(part, Piece) else pieces(part)
    return found


@given(OUTLINES, ALPHAS, COUNTS, COUNTS)
def test_nothing_is_lost_or_doubled(outline, alpha, min_words, context_words):
    """The blocks hold the page's words, each once, and each link that can be crawled is in one block."""
    page = page_of(outline)
    partition(page, alpha, min_words, context_words)
    terms = Counter(term for piece in pieces(outline) for term in piece.terms)
    assert Counter(term for block in page.blocks for term in block.terms) == terms
    crawlable = [
        piece.text for piece in pieces(outline) if piece.href in {"/a", "b", "http://other.example/", ""}
    ]
    assert Counter(link.text for link in page.links) == Counter(crawlable)
    assert [link.block for link in page.links] == sorted(link.block for link in page.links)


@given(OUTLINES, ALPHAS, COUNTS, COUNTS)
def test_context_is_in_the_block_and_bounded(outline, alpha, min_words, context_words):
    """A link's anchor and context together are no more than its block, and no wider than asked for."""
    page = page_of(outline)
    partition(page, alpha, min_words, context_words)
    for link in page.links:
        assert len(link.context) <= 2 * context_words
        assert not Counter(link.anchor + link.context) - Counter(page.blocks[link.block].terms)


@given(OUTLINES, st.floats(1, 9, exclude_min=True), COUNTS)
def test_alpha_above_one_gives_one_block(outline, alpha, min_words):
    """No element's children hold more than all of its words."""
    page = page_of(outline)
    partition(page, alpha, min_words)
    if any(piece.terms for piece in pieces(outline)) and min_words:
        assert len(page.blocks) == 1


@given(OUTLINES, ALPHAS, ALPHAS, COUNTS)
def test_higher_alpha_splits_no_more(outline, one, other, min_words):
    """The number of leaves does not grow with alpha."""
    low, high = sorted([one, other])
    assert len(split(outline, high, min_words)) <= len(split(outline, low, min_words))


@given(OUTLINES, ALPHAS, COUNTS)
def test_partition_twice_is_the_same(outline, alpha, min_words):
    """The outline is used up, but not changed; a page that has no outline left stays as it is."""
    page = page_of(outline)
    before = repr(outline)
    partition(page, alpha, min_words)
    first = (page.blocks, page.links)
    partition(page, alpha, min_words)
    assert (page.blocks, page.links) == first
    assert page.outline == Outline(is_heading=False)
    assert repr(outline) == before
    page.outline = outline
    partition(page, alpha, min_words)
    assert (page.blocks, page.links) == first


@given(OUTLINES)
def test_an_outline_knows_its_words(outline):
    """Those of its pieces, and how many of them stand in nested elements."""
    assert outline.words == sum(len(piece.terms) for piece in pieces(outline))
    assert outline.nested == sum(part.words for part in outline.parts if isinstance(part, Outline))


def run(words_: int, href: str | None = None) -> Piece:
    return Piece(["w"] * words_, href)


def element(*parts: Piece | Outline) -> Outline:
    return Outline(False, list(parts))


@pytest.mark.parametrize(
    ("alpha", "blocks"),
    [(0.0, [10, 30, 60]), (0.6, [10, 30, 60]), (0.9, [10, 90]), (0.91, [100])],
)
def test_granularity(alpha, blocks):
    """An element is split where its children hold at least the share alpha of its words."""
    inner = element(run(30), element(run(60)))  # its child holds two thirds
    page = page_of(element(run(10), inner))  # its child holds nine tenths
    partition(page, alpha)
    assert [len(block.terms) for block in page.blocks] == blocks


def test_loose_words_are_one_block():
    """Words and links between the children of an element go together, where the first of them stand."""
    page = page_of(element(run(6), element(run(40)), run(6, "/a"), element(run(40))))
    partition(page)
    assert [len(block.terms) for block in page.blocks] == [12, 40, 40]
    assert page.links[0].context == ["w"] * 6


def test_short_blocks_join_their_sibling():
    """To the left; the first of its parent to the right, never to another parent's block."""
    left = element(element(run(20)), element(run(3)))
    right = element(element(run(4)), element(run(20)), element(run(5, "/a")))
    page = page_of(element(left, right))
    partition(page)
    assert [len(block.terms) for block in page.blocks] == [23, 24, 5]


def test_a_unit_with_a_link_is_never_short():
    """However few its words are: its context would change."""
    assert Unit([run(2)]).is_short(10)
    assert not Unit([run(2, "/a")]).is_short(10)


def test_context_is_ten_words_either_side():
    """Stop words count for the distance, the anchor does not belong to it, the block ends it."""
    before, after = [f"b{i}" for i in range(12)], [f"a{i}" for i in range(3)]
    outline = element(Piece([*before, STOP]), Piece(["anchor"], "/a", "anchor"), Piece(after))
    page = page_of(outline)
    partition(page)
    (link,) = page.links
    assert link.context == [*before[3:], STOP, *after]
    assert link.anchor == ["anchor"]


def test_links_are_relative_to_the_base():
    """And to the page's URL if it has none."""
    for base, url in (
        ("http://other.example/d/", "http://other.example/d/x"),
        ("", "http://example.org/dir/x"),
    ):
        page = Page(URL, "", "", Sections(), element(run(1, "x")), base=base)
        partition(page)
        assert [link.url for link in page.links] == [url]


def test_a_link_met_twice_stays_twice():
    """Each with its own words: a strategy decides between them."""
    page = page_of(element(Piece(["one"], "/a", "one"), Piece(["two"], "/a#x", "two")))
    partition(page)
    assert [(link.url, link.text) for link in page.links] == [
        ("http://example.org/a", "one"),
        ("http://example.org/a", "two"),
    ]


def test_deep_outlines_do_not_recurse():
    """The outline of a hostile page may nest deeper than Python calls may."""
    outline = element(run(20, "/a"))
    for _ in range(5_000):
        outline = element(run(1), outline)
    page = page_of(outline)
    partition(page)
    assert sum(len(block.terms) for block in page.blocks) == 5_020
    while outline.parts:  # taken apart by hand: comparing or printing it would recurse
        outline = outline.parts.pop()
        if isinstance(outline, Piece):
            break


def test_empty_page():
    """A page without words has no blocks."""
    page = page_of(Outline(False))
    partition(page)
    assert (page.blocks, page.links) == ([], [])


def test_a_window_reads_as_its_block_does():
    """The anchor stands where it stood, so that phrases over its borders are there."""
    body = b"<p>we use cathodic <a href='/p'>protection</a> for steel</p>"
    page = parse_page(body, URL, PLAIN)
    partition(page, context_words=2)
    (link,) = page.links
    assert (link.before, words(link.window)) == (2, "use cathodic protection for steel")
