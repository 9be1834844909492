"""Runs of words between stop words and punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.tokens import Analyzer, stop_words
from focused_crawler.topic.thesaurus.phrases import RunReader

READER = RunReader(Analyzer("en"))


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []),
        ("the of and", []),
        ("cathodic protection of ship hulls", [["cathodic", "protection"], ["ship", "hulls"]]),
        ("zinc, epoxy; paint (red lead)", [["zinc"], ["epoxy"], ["paint"], ["red", "lead"]]),
        ("anti-fouling Notepad++ and Node.js", [["anti-fouling", "Notepad++"], ["Node.js"]]),
        ("ISO 8501\n standard", [["ISO", "8501", "standard"]]),
        (f"x{'y' * 60} word", [["word"]]),
    ],
)
def test_a_run_ends_at_stop_words_and_punctuation(text, runs):
    """Words stay as they are written; what is too long to be one is none."""
    assert [run.words for run in READER.runs(text)] == runs


def test_a_run_knows_whether_a_small_word_stands_before_it():
    """Capitals mean something there."""
    runs = {
        run.words[0]: run.within_sentence for run in READER.runs("Paint by Jotun. Hempel and the Sigma paint")
    }
    assert runs == {"Paint": False, "Jotun": True, "Hempel": False, "Sigma": True}


@pytest.mark.parametrize(
    ("language", "text"), [("de", "der Schutz von Schiffen"), ("ja", "船の腐食"), ("ar", "تآكل السفن")]
)
def test_any_language_has_runs(language, text):
    """By its own stop words and scripts."""
    runs = [word for run in RunReader(Analyzer(language)).runs(text) for word in run.words]
    assert runs
    assert not set(runs) & stop_words(language)


@given(st.text(max_size=300))
def test_runs_are_parts_of_the_text(text):
    """In its order, without stop words, whatever it holds."""
    at = 0
    for run in READER.runs(text):
        for word in run.words:
            at = text.index(word, at) + len(word)
            assert any(READER.key((word,)))
