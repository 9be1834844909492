"""Foreign text in a log or a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.printable import MAX_PRINTED, printable, without_controls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a/é?x=1", "http://a/é?x=1"),
        ("a\r\nb", r"a\r\nb"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u202egnp.exe", r"a\u202egnp.exe"),
        ("\ud800", r"\ud800"),
        ("a\u2028b", r"a\u2028b"),
    ],
)
def test_unsafe_characters_are_escaped(text, expected):
    """Controls, line separators, marks of direction and lone surrogates are shown as what they are."""
    assert printable(text) == expected


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=2000))
def test_result_is_one_short_line_that_can_be_encoded(text):
    """Whatever a server sends."""
    shown = printable(text)
    assert len(shown) <= MAX_PRINTED + 3
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_escaping_twice_changes_nothing(text):
    """What was escaped is safe."""
    once = without_controls(text)
    assert without_controls(once) == once
    assert once.count("\n") == text.count("\n")
