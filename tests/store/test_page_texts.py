"""The words of pages: kept with them, replaced with them, read back."""

from __future__ import annotations

import pytest

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import KeptWords, stored_text
from focused_crawler.store.item import PageItem
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.store.pages import PageStore


def kept(text):
    return stored_text(Page("", "", text, Sections(), Outline(is_heading=False)))


def page(url, text="", relevance=0.7, **more):
    return PageItem(
        url=url, fetched_at=1.5e9, relevance=relevance, is_relevant=relevance >= 0.5, text=kept(text), **more
    )


@pytest.fixture
def store(database):
    return PageStore(database)


@pytest.fixture
def texts(database):
    return PageTexts(database)


def test_texts_come_back_in_order(store, texts):
    """With what is known of their pages; a page without words has none."""
    store.record_page(page("http://a.org/1", "one", title="One"))
    store.record_page(page("http://a.org/2"))
    store.record_page(page("http://a.org/3", "three ζ", 0.2))
    assert list(texts.texts()) == [
        (1, "http://a.org/1", "One", KeptWords("one", anchor=()), 0.7, True, (), None),
        (3, "http://a.org/3", "", KeptWords("three ζ", anchor=()), 0.2, False, (), None),
    ]
    assert [found.position for found in texts.texts(after=1)] == [3]
    assert [found.position for found in texts.of([3, 2, 1])] == [1, 3]
    assert list(texts.of([])) == []


def test_more_texts_than_are_read_at_a_time(store, texts):
    """All of them, each once."""
    for number in range(1, 1203):
        store.record_page(page(f"http://a.org/{number}", f"page {number}"))
    assert [found.text for found in texts.texts(1)] == [f"page {number}" for number in range(2, 1203)]


def test_a_page_found_changed_has_its_new_words(store, texts):
    """Or none any more."""
    store.record_page(page("http://a.org/1", "old"))
    store.record_page(page("http://a.org/2", "other"))
    store.replace_page(page("http://www.a.org/1/", "new"))
    assert [found.text for found in texts.texts()] == ["new", "other"]
    store.replace_page(page("http://a.org/1"))
    assert [found.text for found in texts.texts()] == ["other"]


def test_a_page_recorded_before_keeps_its_words(store, texts):
    """As it is no further page."""
    store.record_page(page("http://a.org/1", "old"))
    assert not store.record_page(page("http://a.org/1", "new"))
    assert [found.text for found in texts.texts()] == ["old"]


def test_words_are_kept_with_their_page_or_not_at_all(crawl_database):
    """In one transaction."""
    with crawl_database.open() as database:
        store = PageStore(database)
        store.record_page(page("http://a.org/1", "one"))
        store.commit()
        store.record_page(page("http://a.org/2", "two"))
    with crawl_database.open(read_only=True) as database:
        assert [found.text for found in PageTexts(database).texts()] == ["one"]


def test_damaged_texts_are_left_out(database, store, texts, caplog):
    """All others are read, and a warning names the first that is damaged."""
    store.record_page(page("http://a.org/1", "one"))
    store.record_page(page("http://a.org/2", "two"))
    store.record_page(page("http://a.org/3", "three"))
    database.execute("UPDATE page_texts SET text = ? WHERE page != 2", (b"rubbish",))
    assert [found.text for found in texts.texts()] == ["two"]
    (said,) = caplog.messages
    assert said == "The stored words of http://a.org/1 are damaged: it is left out, as are others like it"
