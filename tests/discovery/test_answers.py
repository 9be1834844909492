"""Answers are kept for a day, whatever becomes of the file."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.discovery.harvest import DAY, Answers
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.safety.errors import SearchError
from tests.project import little_room

RESULTS = [SearchResult(f"https://a.example/{number}", f"title {number}", "text") for number in range(5)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "searches.jsonl"


def test_an_answer_is_there_again(path):
    """In the order of the provider, without a score, which means nothing beyond its answer."""
    Answers(path, "brave").store("rust hull", 5, RESULTS)
    again = Answers(path, "brave")
    assert again.get("rust hull", 5) == RESULTS
    assert again.get("rust hull", 2) == RESULTS[:2]
    assert again.get("hull rust", 5) is None


def test_more_results_than_were_asked_for_need_asking(path):
    """Unless there were no more to be had."""
    answers = Answers(path, "brave")
    answers.store("rust", 5, RESULTS)
    answers.store("hull", 10, RESULTS)
    assert answers.get("rust", 6) is None
    assert answers.get("hull", 20) == RESULTS


def test_another_provider_has_other_answers(path):
    """They share the file."""
    Answers(path, "brave").store("rust", 5, RESULTS)
    assert Answers(path, "ddgs").get("rust", 5) is None
    assert Answers(path, "brave").get("rust", 5) == RESULTS


def test_yesterday_is_forgotten(path):
    """The web has changed; and the file does not grow for ever."""
    Answers(path, "brave").store("rust", 5, RESULTS)
    record = json.loads(path.read_text(encoding="utf-8"))
    for asked in (time.time() - DAY - 1, time.time() + 60):  # a clock that was put back, too
        path.write_text(json.dumps(record | {"asked": asked}) + "\n", encoding="utf-8")
        assert Answers(path, "brave").get("rust", 5) is None
        assert path.read_text(encoding="utf-8") == ""


def test_a_file_without_room_stays_as_it_is(path):
    """Old answers are dropped by writing it anew: nothing of that is left where the disk is full."""
    for query in ("rust", "rust", "hull"):
        Answers(path, "brave").store(query, 5, RESULTS)
    path.write_bytes(before := path.read_bytes() + b"\n")
    with little_room(len(before) // 3), pytest.raises(SearchError, match="cannot be written"):
        Answers(path, "brave")
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=300))
def test_a_damaged_file_is_no_answer(tmp_path_factory, rubbish):
    """Whatever stands in it; what is whole still counts."""
    path = tmp_path_factory.mktemp("answers") / "searches.jsonl"
    Answers(path, "brave").store("rust", 5, RESULTS)
    path.write_bytes(rubbish + b"\n" + path.read_bytes())
    assert Answers(path, "brave").get("rust", 5) == RESULTS


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 500))
def test_a_file_that_was_cut_off_goes_on(tmp_path_factory, length):
    """Whatever its last line had become, the next answer is kept."""
    path = tmp_path_factory.mktemp("answers") / "searches.jsonl"
    Answers(path, "brave").store("rust", 5, RESULTS[:1])
    Answers(path, "brave").store("hull", 5, RESULTS[:1])
    path.write_bytes(path.read_bytes()[:length])
    Answers(path, "brave").store("zinc", 5, RESULTS)
    assert Answers(path, "brave").get("zinc", 5) == RESULTS
    assert [file.name for file in path.parent.iterdir()] == ["searches.jsonl"]


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '{"provider": "brave"}',
        '{"provider": "brave", "query": "rust", "n": 5, "asked": NaN, "results": []}',
        '{"provider": "brave", "query": "rust", "n": true, "asked": 9e9, "results": []}',
        '{"provider": "brave", "query": "rust", "n": 5, "asked": 9e9, "results": [["u", "t"]]}',
        '{"provider": "brave", "query": "rust", "n": 5, "asked": 9e9, "results": [["u", "t", 5]]}',
        "[" * 100_000,
    ],
)
def test_a_line_of_another_shape_is_no_answer(path, line):
    """It may be of another version, or of somebody who means harm."""
    path.parent.mkdir()
    path.write_text(line + "\n", encoding="utf-8")
    assert Answers(path, "brave").get("rust", 5) is None


def test_half_a_character_can_be_kept(path):
    """Some titles have one."""
    Answers(path, "brave").store("rust", 5, [SearchResult("https://a.example/", "\ud800")])
    assert Answers(path, "brave").get("rust", 5)[0].title == "\ud800"


def test_a_file_that_cannot_be_written_is_named_before_anything_is_asked(tmp_path, monkeypatch):
    """Nobody is to pay for answers that are lost."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(
        SearchError, match=r"^file/searches\.jsonl cannot be written \(.*FOCUSED_MODELS"
    ) as caught:
        Answers(tmp_path / "file" / "searches.jsonl", "brave")
    assert caught.value.is_final
