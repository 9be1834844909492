"""The part of a text that is shown with a result."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.discovery.search.wording import LENGTH, READ, snippet
from focused_crawler.page.text.tokens import Analyzer

ENGLISH = Analyzer("en")
FILLER = "Nothing of interest stands here. " * 30


def test_the_place_with_most_different_words() -> None:
    """Not the first, and not the one that says one of them most often."""
    text = f"{FILLER}Rust. {FILLER}Rust rust rust rust. {FILLER}Rust on old ships. {FILLER}"
    shown = snippet(text, {"rust", "ship"}, ENGLISH)
    assert "Rust on old ships." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= LENGTH + 4


def test_a_short_text_is_shown_whole() -> None:
    """Without dots."""
    assert snippet("Rust eats ships.", {"ship"}, ENGLISH) == "Rust eats ships."


def test_no_word_found_shows_the_beginning() -> None:
    """As when only the title has it."""
    assert snippet(f"Begin. {FILLER}", {"ship"}, ENGLISH).startswith("Begin. Nothing")
    assert snippet("", {"ship"}, ENGLISH) == ""


def test_a_script_without_spaces() -> None:
    """The place is found within what is one long word."""
    text = "漢字" * 2000 + "錆防止" + "仮名" * 2000
    assert "錆防止" in snippet(text, {"防止"}, Analyzer("ja"))


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    """Words beyond are not looked for."""
    assert "rust" not in snippet("x " * READ + "rust", {"rust"}, ENGLISH)


@pytest.mark.parametrize("text", ["a" * 100_000, "rust " * 20_000, "rust" * 25_000, "\u0301" * 100_000])
def test_hostile_texts_take_no_time(text: str) -> None:
    """A hundredth of a second or so of CPU."""
    before = time.thread_time()  # other threads of this process may be at work
    assert len(snippet(text, {"rust"}, ENGLISH)) <= LENGTH + 4
    assert time.thread_time() - before < 0.5


@given(st.text(), st.sets(st.sampled_from(["rust", "ship", "0"])))
def test_a_snippet_is_a_part_of_the_text(text: str, terms: set[str]) -> None:
    """Between its dots."""
    assert snippet(text, terms, ENGLISH).removeprefix("… ").removesuffix(" …") in text
