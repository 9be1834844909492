"""Pages that say they are not there, and pages about other things."""

from __future__ import annotations

import time

import pytest

from focused_crawler.crawl.steering.soft_404 import (
    _BARE,
    _PHRASES,
    MOST_WORDS,
    _is_text,
    _is_title,
    _plain,
    is_soft_404,
)
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer

ANALYZER = Analyzer("en")
MENU = "".join(f'<a href="/{number}">Department {number}</a> ' for number in range(200))
LONG = "<p>Wild bees nest in the ground and in hollow stems, one to a nest.</p>" * 20


def judged(title="", body=""):
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return is_soft_404(parse_page(html.encode(), "http://a.org/x", ANALYZER, "utf-8"))


@pytest.mark.parametrize(
    "title",
    [
        "Page not found",
        "Page not found | Bees of the world",
        "Bees of the world - Page Not Found",
        "404 Not Found",
        "404 - Not Found",
        "Error 404",
        "404 error | Bees",
        "Oops! Page not found \u2013 Bees",
        "Not Found",
        "Nothing found for Beez",
        "This page doesn\u2019t exist: Page doesn\u2019t exist",
        "Seite nicht gefunden \u00bb Bienen",
        "Erreur 404 - Page introuvable",
        "Página no encontrada | Abejas",
        "Страница не найдена",
        "ページが見つかりません | 蜜蜂",
        "页面不存在",
    ],
)
def test_title_says_so(title):
    """A part of the title that says nothing else, whatever menu the page has."""
    assert judged(title, MENU + "<p>Use the search, or go home.</p>")


@pytest.mark.parametrize(
    "text",
    [
        "It looks like nothing was found at this location. Maybe try a search?",
        "The page you requested could not be found. Try refining your search.",
        "Sorry, the page you\u2019re looking for has moved.",
        "Die angeforderte Seite wurde nicht gefunden.",
        "Strona nie istnieje lub została przeniesiona.",
    ],
)
def test_text_says_so(text):
    """The title is the site's own, the text tells."""
    assert judged("Bees of the world", f"{MENU}<h1>Oops</h1><p>{text}</p>")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Bees of the world", "<p>Wild bees nest in the ground.</p>"),
        ("How to make a custom 404 page | Hints", "<p>Put a file in the folder.</p>"),
        ("Issue 404 | The student newspaper", "<p>All articles of this issue.</p>"),
        ("404", "<p>The 404 is a bus from the harbour to the hill.</p>"),
        ("Lost and found | Townhall", "<p>Keys were not found in the park.</p>"),
        ("Missing species: not found since 1950", "<p>They are thought to be extinct.</p>"),
        ("Page not found", LONG),
        ("Bees", f"{LONG}<p>Your server should say: page not found.</p>"),
        ("Redirect Notice", "<p>The page you requested has been relocated to index.html.</p>"),
        ("", ""),
    ],
)
def test_other_pages(title, body):
    """Pages about errors, with numbers, or with a lot to say are pages."""
    assert not judged(title, body or "<p></p>")


def test_shortness_is_of_own_words():
    """A page with few words of its own is short, however long its menu."""
    assert judged("Page not found", MENU * 3)
    assert not judged("Page not found", "<p>" + "bee " * (MOST_WORDS + 1) + "</p>")


def test_phrases_are_as_they_are_looked_for():
    """A phrase in another form than a page's text is brought to would never be found."""
    assert [phrase for phrase in (*_PHRASES, *_BARE) if _plain(phrase) != phrase] == []


@pytest.mark.parametrize(
    "marks",
    [
        "\u0315\u0300",
        "\u0315\u0300\u0323\u05b0",
        "\uff9e\u0300",
        "e\u0315\u0300",
        "\u0344\u0315\u034f",
        "\ufc5e\u0301",
        "\ufdfa",
    ],
)
def test_heaps_of_marks_take_no_time(marks):
    """To bring them into an order is what a page of 40 KB could hold a crawl up with: for 0.2 s and more."""
    heap = "e" + marks * (20_000 // len(marks))
    took = []
    for _ in range(3):
        begun = time.thread_time()
        assert not _is_title(heap)
        assert not _is_text(heap)
        took.append(time.thread_time() - begun)
    assert min(took) < 0.15


def test_words_with_marks_are_words():
    """Letters and marks apart are the same words as together."""
    assert judged("Página no encontrada".replace("á", "a\u0301"))
    assert judged("Không tìm thấy trang".replace("ấ", "a\u0302\u0301"))
    assert judged("पृष्ठ नहीं मिला")
