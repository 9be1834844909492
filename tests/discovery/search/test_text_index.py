"""Which pages are found, and in which order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from focused_crawler.discovery.search import text_index as text_index_module
from focused_crawler.discovery.search.text_index import Document, TextIndex, create_tables, url_terms
from focused_crawler.discovery.search.wording import read_wording
from focused_crawler.page.text.tokens import Analyzer

ENGLISH = Analyzer("en")
FILLER = " ".join(f"filler{number}" for number in range(100))


def document(page: int, body: str, title: str = "", url: str = "") -> Document:
    terms = ENGLISH.terms
    return Document(page, terms(title), terms(f"{body} {FILLER}"), url_terms(url, ENGLISH))


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        yield db


@pytest.fixture
def index(db: sqlite3.Connection) -> TextIndex:
    return TextIndex(db)


def found(index: TextIndex, query: str, n: int = 10) -> list[int]:
    return index.find(read_wording(query, ENGLISH), n)


def test_pages_with_all_words_come_first(index: TextIndex) -> None:
    """Then those with some of them; those with none, never."""
    index.add(
        [
            document(1, "rust rust rust rust rust"),
            document(2, "ships that rust"),
            document(3, "nothing of that kind"),
            document(4, "ships"),
        ]
    )
    assert found(index, "rusting ship")[0] == 2
    assert sorted(found(index, "rusting ship")) == [1, 2, 4]
    assert found(index, "rusting ship", 1) == [2]
    assert found(index, "unheard") == []
    assert found(index, "the") == []


def test_of_three_words_two_are_enough(index: TextIndex) -> None:
    """But one is not."""
    index.add(
        [document(1, "rust ships"), document(2, "ships paint"), document(3, "rust"), document(4, "sea")]
    )
    assert sorted(found(index, "rust ships paint")) == [1, 2]


def test_a_word_that_no_page_has_is_passed_over(index: TextIndex) -> None:
    """A misspelt one does not keep the others from being found."""
    index.add([document(1, "rust on ships"), document(2, "rust"), document(3, "sea")])
    assert found(index, "rust ships unheard") == [1, 2]


def test_title_and_url_weigh_more(index: TextIndex) -> None:
    """A title more than a URL, and that more than the text."""
    index.add(
        [
            document(1, "rust"),
            document(2, "", url="http://a.org/all-about/rust.html"),
            document(3, "", title="Rust"),
            *(document(number, "") for number in range(4, 20)),
        ]
    )
    assert found(index, "rust") == [3, 2, 1]


def test_phrases(index: TextIndex) -> None:
    """Word beside word, in that order; without quotes the order is free. None beside: at least the words."""
    index.add([document(1, "blasting is wet"), document(2, "wet blasting"), document(3, "sea")])
    assert found(index, '"wet blasting"', 1) == [2]
    assert sorted(found(index, "wet blasting")) == [1, 2]
    assert sorted(found(index, '"blasting ships wet"')) == [1, 2]


def test_excluded_words(index: TextIndex) -> None:
    """Wherever they stand: in what is found by all words, and by some."""
    index.add(
        [
            document(1, "rust paint"),
            document(2, "rust"),
            document(3, "rust", title="Paint"),
            document(4, "rust", url="http://paint.org/"),
        ]
    )
    assert found(index, "rust -paint") == [2]
    assert found(index, "rust unheard -paint") == [2]
    assert found(index, 'rust -"paint rust"') == found(index, "rust")


def test_pages_replaced_and_removed(index: TextIndex, db: sqlite3.Connection) -> None:
    """A page is found by its newest words only, once."""
    index.add(document(number, "rust") for number in range(1, 9))
    index.add([document(1, "paint"), document(2, "rust")])
    index.remove([3, 4, 99])
    assert sorted(found(index, "rust", 3)) == [5, 6, 7]
    assert sorted(found(index, "rust")) == [2, 5, 6, 7, 8]
    assert found(index, "paint") == [1]
    assert (len(index), index.has(1), index.has(3)) == (6, True, False)
    again = TextIndex(db)
    assert (len(again), sorted(found(again, "rust", 2))) == (6, [5, 6])


def test_an_index_wears_out(index: TextIndex) -> None:
    """When most of it is passed over."""
    index.add(document(number, "rust") for number in range(1, 9))
    assert not index.is_worn()
    for _ in range(130):
        index.add(document(number, "rust") for number in range(1, 9))
    assert index.is_worn()
    assert sorted(found(index, "rust")) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_words_that_very_many_pages_have(index: TextIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with them in the title come first, and then all others."""
    monkeypatch.setattr(text_index_module, "MANY", 5)
    index.add(
        [*(document(number, "rust rust rust") for number in range(1, 9)), document(9, "", title="Rust")]
    )
    assert found(index, "rust", 3)[0] == 9
    assert sorted(found(index, "rust")) == list(range(1, 10))
    index.add([document(10, "rust sea")])
    assert found(index, "rust sea unheard", 1) == [10]
    assert sorted(found(index, "rust unheard", 3)) == sorted(found(index, "rust", 3))


def test_pages_that_weigh_the_same(index: TextIndex) -> None:
    """In the order in which they came."""
    index.add(document(number, "rust") for number in (5, 3, 4))
    assert found(index, "rust") == [5, 3, 4]


@pytest.mark.parametrize("language", ["de", "ru", "ja", "th", "hi", "ar"])
def test_any_language(language: str) -> None:
    """Terms are what the analyzer makes of them, whatever their letters."""
    texts = {
        "de": ("Die Häuser rosten", "Haus"), "ru": ("ржавчина на кораблях", "корабль"),
        "ja": ("東京大学で錆を研究する", "大学"), "th": ("สนิมเหล็กบนเรือ", "สนิมเหล็ก"),
        "hi": ("जहाज़ों पर ज़ंग", "ज़ंग"), "ar": ("صدأ السفن", "صدأ"),
    }  # fmt: skip
    analyzer = Analyzer(language)
    text, query = texts[language]
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        index = TextIndex(db)
        index.add([Document(1, [], analyzer.terms(text), []), Document(2, [], ["x"], [])])
        assert index.find(read_wording(query, analyzer), 10) == [1]


def test_no_sign_is_lost_in_a_term() -> None:
    """What the analyzer keeps together, FTS5 keeps together, and tells from all else."""
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        index = TextIndex(db)
        terms = ["cafe", "café", "ना", "न", "ﬁ", "i̇", "ß", "ss", "e-mail", "a.b", "x'y", "№5", "𝔸"]
        index.add(Document(number, [], [term], []) for number, term in enumerate(terms))
        for number, term in enumerate(terms):
            wording = read_wording("x", ENGLISH)
            asked = type(wording)(((term,),))
            assert index.find(asked, 10) == [number], term


def test_words_of_urls() -> None:
    """Escaped ones as well; long ones are cut."""
    assert url_terms("http://a.org/caf%C3%A9?q=red+wine#top", ENGLISH) == [
        "",
        "org",
        "café",
        "",
        "red",
        "wine",
    ]
    assert len(url_terms("http://a.org/" + "x/" * 5000, ENGLISH)) <= 200
