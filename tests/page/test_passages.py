"""HTML -> passages under their headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from focused_crawler.page.passages import LONGEST, Passage, passages_of_html, passages_of_text


def test_headings_are_a_path() -> None:
    """A heading ends those of its level and below."""
    body = b"<h1>Bees</h1><p>They fly.<h2>Honey</h2><p>Is sweet.<h3>Colour</h3>Brown.<h2>Wax</h2><p>Burns."
    assert passages_of_html(body) == [
        Passage(("Bees",), "They fly."),
        Passage(("Bees", "Honey"), "Is sweet."),
        Passage(("Bees", "Honey", "Colour"), "Brown."),
        Passage(("Bees", "Wax"), "Burns."),
    ]


def test_lists_tables_and_what_is_no_text() -> None:
    """Items are a list's, cells are apart; menus, scripts and forms are left out."""
    body = b"""<nav>Home</nav><script>alert(1)</script><ul><li><p>One</p></li><li>Two</li></ul>
    <table><tr><th>a<th>b<tr><td>1<td>2</table><form>Name</form><footer>Imprint</footer>"""
    assert passages_of_html(body) == [Passage((), "- One\n\n- Two\n\na | b\n\n1 | 2")]


def test_a_form_around_the_page_is_none() -> None:
    """As ASP.NET has it; what is asked for and the menus in it are left out all the same."""
    page = "<nav>Home</nav><h1>Bees</h1><p>They fly far.</p><select><option>All</select><h2>Wax</h2><p>Burns."
    around = f"<form method=post><input type=hidden>{page}</form><footer>A long imprint of a firm</footer>"
    assert passages_of_html(around.encode()) == [
        Passage(("Bees",), "They fly far."),
        Passage(("Bees", "Wax"), "Burns."),
    ]
    beside = f"<form><h3>Write to us</h3><p>Your name</form>{page}"
    assert passages_of_html(beside.encode()) == passages_of_html(around.encode())


def test_nothing_of_a_page_is_run_or_loaded() -> None:
    """Where a program shows the passage as Markdown: no tag, no image, no link."""
    body = (
        b"<h1>![x](http://spy.example)</h1><p>&lt;img src=x onerror=alert(1)&gt; [a](javascript:b) 1 &lt; 2"
    )
    (passage,) = passages_of_html(body)
    assert passage.headings == ("![x]\\(http://spy.example)",)
    assert passage.text == "&lt;img src=x onerror=alert(1)> [a]\\(javascript:b) 1 < 2"


@pytest.mark.parametrize("text", ["[a]: http://evil.example/", "[^1]: note [x][y] [z](u) ![i](p.png) [a]:"])
def test_no_text_defines_a_link(text: str) -> None:
    """Not for words of the page that stand in brackets elsewhere, either; and all of it is shown."""
    passages = passages_of_html(f"<p>{text}<p>See [a], [z] and [^1].".encode())
    shown = MarkdownIt().render(passages[0].text)
    assert "<a" not in shown
    assert "<img" not in shown
    assert text in shown


def test_a_passage_ends_with_a_sentence() -> None:
    """Unless one is longer than any passage."""
    text = "A sentence of some words. " * 200
    found = passages_of_text(text.strip())
    assert all(passage.text.endswith("words.") and len(passage.text) <= LONGEST for passage in found)
    assert len(passages_of_text("x" * 5_000)) == 3


@given(
    st.lists(st.sampled_from(["word ", "x" * 900, ". ", "。", "<p>", "<h2>", "</h2>", "<li>", "<nav>", "\n"]))
)
def test_no_word_is_lost_and_no_passage_is_long(parts: list[str]) -> None:
    """Whatever a text is made of."""
    text = " ".join("".join(parts).split())
    cut = passages_of_text(text)
    assert "".join("".join(passage.text for passage in cut).split()) == "".join(text.split())
    for passage in [*cut, *passages_of_html("".join(parts).encode())]:
        assert 0 < len(passage.text) <= LONGEST


def test_bodies_that_hold_nothing() -> None:
    """Empty, or of tags alone."""
    assert (
        passages_of_html(b"")
        == passages_of_html(b"<html><head><title>x</title>")
        == passages_of_text("")
        == []
    )


def test_menus_are_no_text_of_the_page() -> None:
    """Three links or more with nothing between them, and what holds links alone; others stay."""
    menu = "".join(f"<li><a href=/{n}>Place {n}</a>" for n in range(4))
    line = "<a href=/a>Home</a> | <a href=/b>Hives</a> · <a href=/c>Wax</a> <a href=/d>Us</a>"
    said = "<p>They <a href=/fly>fly</a> far.<ul><li><a href=/x>A book</a><li><a href=/y>A film</a></ul>"
    body = f"<h1>Bees</h1><div>{line}</div><ul>{menu}</ul>{said}<h2>Read next</h2><p><a href=/z>Wasps</a>"
    assert passages_of_html(body.encode()) == [Passage(("Bees",), "They fly far.\n\n- A book\n\n- A film")]


def test_menus_of_a_stored_text_are_told_by_its_links() -> None:
    """In the order in which they stand; one that is not found is passed over."""
    text = "Home Hives | Wax | Us Bees make honey. Honey is sweet. More Honey Wax Candles Hives"
    links = ["Home", "Hives", "Wax", "lost", "Us", "Honey", "More", "Honey", "Wax", "Candles", "Hives"]
    assert [passage.text for passage in passages_of_text(text, links)] == ["Bees make honey. Honey is sweet."]
    assert [passage.text for passage in passages_of_text(text, links[:2])] == [text]
