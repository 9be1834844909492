"""What a user types, and what FTS5 is asked: no sign of a user's is a sign of SQL's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.discovery.search.text_index import Document, TextIndex, create_tables
from focused_crawler.discovery.search.wording import (
    MOST_TERMS,
    Wording,
    every,
    every_and_title,
    read_wording,
    some,
)
from focused_crawler.page.text.tokens import Analyzer

ENGLISH = Analyzer("en")


@pytest.mark.parametrize(
    ("query", "units", "excluded"),
    [
        ("wet blasting", [("wet",), ("blast",)], []),
        ("Blasting BLASTED blast", [("blast",)], []),
        ('"wet blasting" rust', [("wet", "blast"), ("rust",)], []),
        ('rust "wet blasting', [("rust",), ("wet", "blast")], []),
        ("rust -paint", [("rust",)], [("paint",)]),
        ('-"wet paint" rust', [("rust",)], [("wet", "paint")]),
        ('rust -"" - --', [("rust",)], []),
        ("ships-rust e-mail", [("ship", "rust"), ("mail",)], []),
        ("the of and", [], []),
        ('"state of the art"', [("state", "art")], []),
        ("", [], []),
        ("-rust", [], [("rust",)]),
        ("rust -rust", [("rust",)], []),
        ('title:rust NEAR(a b) OR ^x*"', [("titl", "rust"), ("near",)], []),
    ],
)
def test_what_a_query_asks_for(query: str, units: list[object], excluded: list[object]) -> None:
    """Stems of words, in the order typed, each once."""
    wording = read_wording(query, ENGLISH)
    assert (list(wording.units[: len(units)]), list(wording.excluded)) == (units, excluded)


def test_scripts_without_spaces() -> None:
    """A word is pairs of characters, which have to stand side by side."""
    assert read_wording("東京大学 -京都", Analyzer("ja")) == Wording(
        (("東京", "京大", "大学"),), (("京都",),)
    )


@pytest.mark.parametrize(
    ("query", "found"), [("茶", [1, 2]), ("茶 北京", [1]), ("东京 -茶", []), ("香", []), ("lu", [])]
)
def test_a_character_alone(query: str, found: list[int]) -> None:
    """It is found in the pairs that begin with it, where running text alone has it."""
    chinese = Analyzer("zh")
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        index = TextIndex(db)
        texts = ("北京绿茶很香", "东京红茶店 lucid")
        index.add(Document(page, [], chinese.terms(text), []) for page, text in enumerate(texts, 1))
        assert sorted(index.find(read_wording(query, chinese), 1 if len(found) == 1 else 9)) == found


def test_a_long_query_is_cut() -> None:
    """As no page would be found by all its words."""
    wording = read_wording(" ".join(f"word{number}" for number in range(1000)), ENGLISH)
    assert len(wording.units) == MOST_TERMS


@pytest.fixture(scope="module")
def index() -> Iterator[TextIndex]:
    with closing(sqlite3.connect(":memory:")) as db:
        create_tables(db)
        index = TextIndex(db)
        index.add([Document(1, ["rust"], ["wet", "blast"], ["a", "org"])])
        yield index


@given(st.text() | st.text("\"-*^():{}+ANDORNEAR \t'rustwet;\0"))
def test_no_query_is_a_mistake(index: TextIndex, query: str) -> None:
    """Whatever its signs: every expression made of it can be asked."""
    wording = read_wording(query, ENGLISH)
    assert set(index.find(wording, 10)) <= {1}


def test_expressions() -> None:
    """As FTS5 reads them."""
    wording = Wording((("wet", "blast"), ("rust",)), (("paint",),))
    assert every(wording) == '({title body url} : ("wet blast" AND "rust")) NOT {title body url} : ("paint")'
    assert every_and_title(wording) == f'title : ("wet blast" OR "rust") AND ({every(wording)})'
    assert some(Wording(()), ["a", "b", "c"]) == (
        '{title body url} : (("a" AND "b") OR ("a" AND "c") OR ("b" AND "c"))'
    )


def test_a_long_phrase_is_cut() -> None:
    """One frequent word a thousand times over would be looked for at every place of every page."""
    wording = read_wording('moon "' + "star " * 1000 + '" comet', Analyzer("en"))
    assert [len(unit) for unit in wording.units] == [1, MOST_TERMS - 1]
