"""Browsing records as files, and how far their pages are from relevant ones."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.hmm.sessions import (
    Session,
    link_distances,
    read_sessions,
    single_visits,
    visited,
)
from focused_crawler.safety.errors import TopicError

URLS = ["http://a.example/", "http://b.example/1?x=2", "https://b.example/käse"]
GOOD = json.dumps({"urls": URLS[:2], "relevant": [False, True]})


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Writes lines into a file of the working folder and returns it."""
    monkeypatch.chdir(tmp_path)

    def write(*lines: str):
        (tmp_path / "sessions.jsonl").write_text("\n".join(lines), "utf-8")
        return tmp_path / "sessions.jsonl"

    return write


def test_a_session_a_line(record):
    """Blank lines do not count; URLs come out as they are fetched."""
    spelled = json.dumps({"urls": ["HTTP://A.example:80#top"], "relevant": [True]})
    sessions = read_sessions(record("", GOOD, " ", spelled, ""))
    assert sessions == [
        Session((URLS[0], URLS[1]), (False, True)),
        Session(("http://a.example/",), (True,)),
    ]
    assert sessions[0].steps == [(URLS[0], URLS[1])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", 'is not JSON; write {"urls": ["https://...", ...], "relevant": [false, ..., true]}'),
        ("[" * 100_000, "is not JSON; write"),
        ("[]", "is no session; write"),
        ('{"urls": ["http://a.example/"]}', "is no session; write"),
        (
            '{"urls": "http://a.example/", "relevant": [true]}',
            "urls or relevant is no list of",
        ),
        ('{"urls": ["http://a.example/"], "relevant": [1]}', "urls or relevant is no list of"),
        (
            '{"urls": ["http://a.example/"], "relevant": [true, true]}',
            "1 urls and 2 times relevant; give",
        ),
        ('{"urls": [], "relevant": []}', "0 urls and 0 times relevant"),
        ('{"urls": ["a"], "relevant": [true]}', "'a' is no http or https URL"),
    ],
)
def test_mistakes_are_one_line(record, line, message):
    """File, line, what is wrong and what would be right."""
    with pytest.raises(TopicError) as error:
        read_sessions(record(GOOD, line))
    assert str(error.value).startswith(f"sessions.jsonl:2: {message}")
    assert "\n" not in str(error.value)


def test_without_relevant_pages_nothing_can_be_learnt(record):
    """Said at once, not after all pages were fetched."""
    with pytest.raises(TopicError, match="no session visits a relevant page; record one that does"):
        read_sessions(record(json.dumps({"urls": URLS, "relevant": [False] * 3})))


def test_distance_is_over_the_links_of_all_sessions():
    """b is two links before the relevant page of its session, but one before that of another."""
    sessions = [
        Session(("a", "b", "c", "x"), (False, False, False, True)),
        Session(("b", "y", "z"), (False, True, False)),
    ]
    assert link_distances(sessions, 3) == {"a": 2, "b": 1, "c": 1, "x": 0, "y": 0, "z": 3}
    assert link_distances(sessions, 1) == {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0, "z": 1}


def test_relevant_once_is_relevant():
    """And examples are sessions of one page."""
    sessions = [*single_visits(["x"], ["y"]), Session(("y", "x"), (True, False))]
    assert visited(sessions) == {"x": True, "y": True}


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdefg"), st.booleans()), min_size=1), min_size=1))
def test_levels_fall_by_one_at_most(walks):
    """A link leads no more than one level down; relevant pages have level 0, and no others."""
    sessions = [Session(*map(tuple, zip(*walk, strict=True))) for walk in walks]
    levels = link_distances(sessions, 3)
    assert {url: level == 0 for url, level in levels.items()} == visited(sessions)
    for session in sessions:
        assert all(levels[source] <= levels[target] + 1 for source, target in session.steps)
