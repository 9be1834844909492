"""Sheets of candidates, there and back."""

from __future__ import annotations

import csv
import re

import pytest

from focused_crawler.safety.errors import ConfigError
from focused_crawler.topic.thesaurus.grow import CandidatePhrase
from focused_crawler.topic.thesaurus.writer import COLUMNS, NewEntry, accepted, save_candidates

ZINC = CandidatePhrase("zinc anode", "parts", "anode", 12, 3, 45.678, "A zinc anode, again.")
EVIL = CandidatePhrase("=cmd()", "parts", "", 3, 0, 1.0, "@SUM(A1) of it")


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "candidates.csv"
    save_candidates([ZINC, EVIL], path)
    return path


def test_a_sheet_is_for_a_person(sheet):
    """What to accept is left open; no cell is a formula."""
    with sheet.open(encoding="utf-8", newline="") as file:
        head, zinc, evil = csv.reader(file)
    assert tuple(head) == COLUMNS
    assert zinc == ["", "zinc anode", "parts", "anode", "12", "3", "45.7", "A zinc anode, again."]
    assert (evil[1], evil[-1]) == ("'=cmd()", "'@SUM(A1) of it")
    assert accepted(sheet) == []


@pytest.mark.parametrize("mark", ["y", "Yes", "x", "1", " X "])
def test_marked_rows_are_accepted(sheet, mark):
    """In any of the usual ways."""
    sheet.write_text(sheet.read_text().replace("\n,", f"\n{mark},"))
    zinc, evil = f"{sheet}:2", f"{sheet}:3"
    assert accepted(sheet) == [
        NewEntry("zinc anode", "parts", "anode", zinc),
        NewEntry("=cmd()", "parts", where=evil),
    ]


@pytest.mark.parametrize("mark", ["", "n", "no", "0", "FALSE"])
def test_others_are_not(sheet, mark):
    """No is no."""
    sheet.write_text(sheet.read_text().replace("\n,", f"\n{mark},"))
    assert accepted(sheet) == []


@pytest.mark.parametrize("mark", ["perhaps", "?", "2"])
def test_what_is_neither_is_refused(sheet, mark):
    """A person meant something by it."""
    sheet.write_text(sheet.read_text().replace("\n,", f"\n{mark},"))
    with pytest.raises(ConfigError, match=rf"candidates\.csv:2: accept is '{re.escape(mark)}'; write y, or"):
        accepted(sheet)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spreadsheets_save_as_they_like(tmp_path, encoding, delimiter):
    """With another delimiter, encoding, order of columns."""
    path = tmp_path / "saved.csv"
    rows = [["phrase", "accept", "broader", "facet", "mine"], ["Zementtünche", "x", "", "Methods", "?"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    path.write_bytes(text.encode(encoding))
    assert accepted(path) == [NewEntry("Zementtünche", "methods", where=f"{path}:2")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", r"saved\.csv:1: no column accept, phrase, facet, broader; give a sheet"),
        ("accept,phrase,facet,broader\ny,zinc,,\n", r"saved\.csv:2: accepted without a facet; write one"),
        ("accept,phrase,facet,broader\ny,,metals,\n", r"saved\.csv:2: accepted without a phrase"),
        (f"accept,phrase,facet,broader\ny,{'z' * 200_000},metals,\n", r"saved\.csv:2: no CSV"),
    ],
)
def test_a_sheet_that_cannot_be_used(tmp_path, text, message):
    """The line, and what would be right."""
    path = tmp_path / "saved.csv"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        accepted(path)


def test_marks_are_never_lost(sheet, tmp_path):
    """A sheet that is there is not written over; a file that cannot be, or is not there, is named."""
    with pytest.raises(ConfigError, match="exists, and may hold your marks"):
        save_candidates([], sheet)
    with pytest.raises(ConfigError, match="cannot be written"):
        save_candidates([], tmp_path / "no/such/folder.csv")
    with pytest.raises(ConfigError, match="cannot be read"):
        accepted(tmp_path / "none.csv")
