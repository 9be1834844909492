from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.report import words
from focused_crawler.safety import formats


@given(st.text(alphabet=st.characters(), max_size=500), st.integers(2, 100))
def test_tidy_text_is_one_safe_short_line(text, limit):
    """No control, no change of direction, nothing UTF-8 cannot hold, no more than was asked for."""
    tidy = formats.tidy(text, limit)
    assert len(tidy) <= limit
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in tidy)
    assert not any(
        unicodedata.bidirectional(char) in {"RLO", "LRO", "RLE", "LRE", "RLI", "LRI"} for char in tidy
    )
    tidy.encode("utf-8")


@given(st.floats(0, 1))
def test_shares_read_back_as_what_they_were(share):
    """Rounding is the only loss."""
    assert float(formats.percent(share).removesuffix(" %")) == pytest.approx(100 * share, abs=0.051)


@pytest.mark.parametrize("seconds", [0, 0.4, 9.96, 59.6, 3599.7, 86399.9, 10**7])
def test_durations_never_overflow_a_unit(seconds):
    """No 60 s, no 60 min, no 24 h."""
    assert not {"60 s", "60 min", "24 h"} & {
        formats.duration(seconds),
        formats.duration(seconds)[-6:].strip(),
    }


@pytest.mark.parametrize("reason", ["pages_budget", "relevant_budget", "time_budget", "finished", "shutdown"])
def test_the_crawlers_own_reasons_have_sentences(reason):
    """What the crawler stops for is told in words, not in names."""
    assert reason not in words.why_stopped(reason)
    assert words.why_stopped(reason).endswith(".")


def test_a_reason_in_words_is_kept():
    """A caller may bring its own sentence."""
    assert words.why_stopped("The disk is full.") == "The disk is full."
