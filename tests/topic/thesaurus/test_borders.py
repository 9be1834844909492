"""A page's text with the borders that its white space hides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.phrases import BORDER, MAX_CHARACTERS, PhraseReader, bordered_text

MENU = '<ul><li><a href="/c">Contact</a><li><a href="/p">Privacy</a><li><a href="/a">Astronomy</a></ul>'
STORY = "<h1>Night sky</h1><p>Dark adaptation takes some minutes, and red light keeps it at any hour.</p>"
PARTS = ("the", "star", "<b>moon</b>", "<a href='/x'>night sky</a>", "<p>", "<td>", "sky", "<h2>")


def bordered(html: str) -> str:
    analyzer = Analyzer("en")
    page = parse_page(f"<html><body>{html}</body></html>".encode(), "http://a.example/", analyzer)
    partition(page)
    return bordered_text(page, analyzer)


def test_links_of_a_menu_are_apart():
    """Each is a phrase at most."""
    assert bordered(MENU) == f"Contact{BORDER}Privacy{BORDER}Astronomy"
    found = [phrase.wording for phrase in PhraseReader(Analyzer("en")).phrases(bordered(MENU))]
    assert found == ["Contact", "Privacy", "Astronomy"]


def test_blocks_are_apart():
    """Words of one sentence are not, unless a link begins or ends there."""
    text = bordered(f"<div>{MENU}</div><div>{STORY}</div>")
    assert f"Astronomy{BORDER}Night sky" in text
    assert "Dark adaptation takes some minutes, and red light keeps" in text
    linked = bordered(STORY.replace("red light", "<a href='/r'>red light</a>"))
    assert f"and{BORDER}red light{BORDER}keeps" in linked


def test_the_beginning_is_read():
    """Of a text that is long, and of a page without words."""
    assert len(bordered(f"<p>{'rust paint ' * MAX_CHARACTERS}</p>")) <= MAX_CHARACTERS
    assert bordered("") == ""


@given(st.lists(st.sampled_from(PARTS)))
def test_the_words_stay(parts):
    """Only white space differs from the page's text."""
    analyzer = Analyzer("en")
    page = parse_page(
        f"<html><body>x {' '.join(parts)}</body></html>".encode(), "http://a.example/", analyzer
    )
    partition(page)
    assert bordered_text(page, analyzer).split() == page.text.split()
