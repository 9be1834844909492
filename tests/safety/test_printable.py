"""Foreign text in a log or a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.safety.printable import MAX_PRINTED, did_you_mean, printable, without_controls
from focused_crawler.safety.program import command_names


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


COMMANDS, SETTINGS = command_names(), list(DEFAULTS)
TYPOS = [
    ("trian", COMMANDS, "train"),
    ("craw", COMMANDS, "crawl"),
    ("crwal", COMMANDS, "crawl"),
    ("rport", COMMANDS, "report"),
    ("lable", COMMANDS, "label"),
    ("labels", COMMANDS, "label"),
    ("topic", COMMANDS, "newtopic"),
    ("exp", COMMANDS, "export"),
    ("virtual-web", COMMANDS, "virtualweb"),
    ("seed", COMMANDS, "seeds"),
    ("wyh", COMMANDS, "why"),
    ("version", COMMANDS, ""),
    ("monitor", COMMANDS, ""),
    ("install", COMMANDS, ""),
    ("status", COMMANDS, ""),
    ("bredth_first", STRATEGIES, "breadth_first"),
    ("lpee", STRATEGIES, "lpe"),
    ("best_first", STRATEGIES, "best_first_anchor"),
    ("pagerank", STRATEGIES, ""),
    ("FOCUSED_PAGE", SETTINGS, "FOCUSED_PAGES"),
    ("FOCUSED_STRATEGEY", SETTINGS, "FOCUSED_STRATEGY"),
    ("FOCUSED_COLOUR", SETTINGS, ""),
    ("--pages", ["--parquet", "--number"], ""),
    ("--numbr", ["--parquet", "--number"], "--number"),
]
"""What people type, among which names, and what they meant; empty: nothing that is there."""


@pytest.mark.parametrize(("typed", "known", "meant"), TYPOS)
def test_the_name_that_was_meant_is_asked_for_and_no_other(typed, known, meant):
    """A wrong guess sends people astray: where nothing is near, nothing is asked."""
    assert did_you_mean(typed, known) == (meant and f"did you mean {meant}?")
