from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.hmm.sessions import read_sessions
from focused_crawler.discovery.recording import LONGEST, HistoryStep, Recording, way
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic, load_topic

A, B, C = (f"http://{name}.example/" for name in "abc")


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees/topic.toml").write_text("name = 'bees'\nkeywords = ['bee']\n")
    return load_topic(str(tmp_path / "bees"))


@pytest.mark.parametrize("url", ["about:blank", "chrome://settings/", "http://me:word@a.example/", "data:,x"])
def test_what_cannot_be_crawled_ends_a_way(url: str) -> None:
    """And stands in none: no password gets into the file."""
    assert way([], [HistoryStep(A, is_link=True), HistoryStep(url, is_link=True)]) == ()
    assert way([A], [HistoryStep(url, is_link=True), HistoryStep(B, is_link=True)]) == (B,)


STEPS = st.builds(HistoryStep, st.sampled_from([A, B, C, f"{C}#x", "about:blank"]), st.booleans())


@given(st.lists(STEPS, max_size=250))
def test_a_way_grows_by_links_alone(steps: list[HistoryStep]) -> None:
    """Each page was clicked on the one before, none is longer than may be, and it ends where the tab is."""
    found = way([], steps)
    assert len(found) <= LONGEST
    assert all(one != other for one, other in itertools.pairwise(found))
    if steps and not steps[-1].url.startswith("about"):
        assert found[-1] == steps[-1].url.partition("#")[0]
        if not steps[-1].is_link and way([], steps[:-1])[-1:] != found[-1:]:
            assert len(found) == 1


def test_ways_that_go_on_are_one_session(topic: Topic) -> None:
    """What is there stays; each change is on the disk, readable by training."""
    line = json.dumps({"urls": [C], "relevant": [True]})
    (topic.folder / "sessions.jsonl").write_text(line)
    recording = Recording(topic)
    assert [recording.visit(one) for one in [(A,), (A, B), (A,), (A, C), (), (A, B)]] == [1, 1, 0, 1, 0, 0]
    recording.mark(B, relevant=True)
    assert [(session.urls, session.relevant) for session in read_sessions(recording.path)] == [
        ((C,), (True,)),
        ((A, B), (False, True)),
        ((A, C), (False, False)),
    ]
    assert recording.path.read_text().startswith(f"{line}\n")


def test_a_way_that_was_recorded_before_is_there_twice(topic: Topic) -> None:
    """The earlier session stays as it was when the way goes on."""
    for ways in ([(A, B)], [(A, B), (A, B, C)]):
        recording = Recording(topic)
        for one in ways:
            recording.visit(one)
            recording.mark(B, relevant=True)
    assert [session.urls for session in read_sessions(recording.path)] == [(A, B), (A, B, C)]


def test_two_recordings_of_one_topic(topic: Topic) -> None:
    """Neither loses what the other wrote, nor what a person changes meanwhile."""
    one, other = Recording(topic), Recording(topic)
    for recording, url in ((one, A), (other, B), (one, C)):
        recording.visit((url,))
        recording.mark(url, relevant=True)
    with one.path.open("a") as file:
        file.write(json.dumps({"urls": [f"{A}x"], "relevant": [False]}))
    other.visit((B, C))
    found = {session.urls: session.relevant for session in read_sessions(one.path)}
    assert found == {(A,): (True,), (B, C): (True, False), (C,): (True,), (f"{A}x",): (False,)}


def test_scripts_cannot_fill_the_disk(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many ways nothing more is recorded; marks still are."""
    monkeypatch.setattr("focused_crawler.discovery.recording.MOST", 3)
    recording = Recording(topic)
    news = [recording.visit((f"http://a.example/{number}",)) for number in range(5)]
    assert news == [True, True, True, False, False]
    assert recording.is_full
    assert recording.mark("http://a.example/0", relevant=True)
    assert len(read_sessions(recording.path)) == 3


def test_a_file_that_cannot_be_written(topic: Topic) -> None:
    """Is said in one line."""
    recording = Recording(topic)
    shutil.rmtree(topic.folder)
    with pytest.raises(
        TopicError, match=r"sessions.jsonl cannot be written \(No such file.*; free its folder"
    ):
        recording.visit((A,))
