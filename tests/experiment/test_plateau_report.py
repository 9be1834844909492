"""The experiment as files that need nothing else, and in which nothing runs."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest
from lxml import html

from focused_crawler.experiment.plateau import (
    SAME_WORDS,
    Plateau,
    PlateauJudge,
    Step,
    render_plateau,
    save_plateau,
)
from focused_crawler.safety.errors import ConfigError
from focused_crawler.topic.topic import Topic
from tests.project import little_room

EVIL = "=1+1<script>alert(1)</script>\u202e"

JUDGE = PlateauJudge(lambda result: True, "ground truth", all_relevant=50)


@pytest.fixture
def found(tmp_path):
    steps = [
        Step(number, f"{EVIL} {number}", 10, 1, 1, min(number, 5), min(number, 5)) for number in range(1, 31)
    ]
    return Plateau(Topic("rust", tmp_path, title=EVIL), "local", 10, JUDGE, steps)


def test_a_line_a_search_and_no_formula(found, tmp_path):
    """A spreadsheet reads it and runs nothing."""
    path, _ = save_plateau(found, tmp_path / "deep" / "folder")
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 30
    assert rows[0]["query"].startswith("'=1+1<script>")
    assert (rows[29]["number"], rows[29]["relevant"]) == ("30", "5")


def test_the_page_shows_the_curve_and_the_plateau(found):
    """And has neither script nor foreign markup."""
    text = render_plateau(found)
    page = html.fromstring(text)
    assert page.xpath("//strong/text()") == ["5"]
    assert len(page.xpath("//svg[@role='img']")) == 1
    assert "plateau" in page.xpath("string(//svg)")
    assert len(page.xpath("//tbody/tr")) == 30
    assert not page.xpath("//script")
    assert "\u202e" not in text
    assert "10.0 %" in page.xpath("string(//dl)")  # 5 of 50
    assert render_plateau(found) == text


def test_a_judge_by_the_same_words_is_named(found):
    """What they found they call relevant: only that pages come again can show."""
    by_words = replace(found, judge=replace(JUDGE, by_words=True))
    for is_said, text in ((False, render_plateau(found)), (True, render_plateau(by_words))):
        assert (SAME_WORDS in html.fromstring(text).xpath("string(//header)")) is is_said
    assert str(by_words) == f"{found} {SAME_WORDS}"


def test_an_experiment_without_a_plateau_says_so(found):
    """And one that found nothing can be drawn."""
    nothing = Plateau(found.topic, "local", 10, JUDGE, [Step(1, "x", 0, 0, 0, 0, 0)])
    assert "No plateau within 1 search:" in render_plateau(nothing)


def test_a_folder_that_cannot_be_written_is_named(found, tmp_path, monkeypatch):
    """In one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"^cannot write to file/x \(.*; name another folder with --plateau"
    ):
        save_plateau(found, tmp_path / "file" / "x")


def test_files_without_room_leave_those_before(found, tmp_path):
    """As on a full disk: neither is cut off."""
    paths = save_plateau(found, tmp_path)
    before = [path.read_bytes() for path in paths]
    for size in (len(before[0]) // 2, len(before[1]) // 2):
        with little_room(size), pytest.raises(ConfigError, match="cannot write to "):
            save_plateau(found, tmp_path)
        assert [path.read_bytes() for path in paths] == before
    assert sorted(tmp_path.iterdir()) == sorted(paths)
