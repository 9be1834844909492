"""The documents are for people: short, in short sentences, each page of one kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.prose import DOCS, kind, mean_sentence, pages, sentences, words

KINDS = ("tutorial", "how-to", "reference", "explanation")
MOST_WORDS = 30_000
"""Of all pages that are no research. What is too long for a page goes to research."""
LONGEST_MEAN = 13.0


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_is_of_one_kind_and_lies_with_its_like(page: Path) -> None:
    """The home page alone is of none: it leads to all."""
    folder = page.relative_to(DOCS).parts[0]
    assert kind(page) == ("" if folder == "index.md" else folder)
    assert folder in (*KINDS, "index.md")


def test_the_documents_are_short() -> None:
    """Tables, examples and generated pages count as well."""
    assert sum(words(page.read_text()) for page in pages()) <= MOST_WORDS


def test_sentences_are_short() -> None:
    """In the mean."""
    assert mean_sentence([page.read_text() for page in pages()]) <= LONGEST_MEAN


def test_sentences_are_counted_as_a_reader_does() -> None:
    """Of paragraphs and lists; no code, table or heading."""
    text = "# A heading\n\nOne, e.g. this. Two `is` [here](a.md).\n\n- three four\n- five six.\n"
    text += "\n| a | b |\n\n    x y z\n"
    assert [len(found) for found in sentences(text)] == [3, 3, 2, 2]
