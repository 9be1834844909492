from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from focused_crawler.report.sampling.sheet import COLUMNS, key_text, sheet_text, write_new
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import FORMULA, harmless


def read(text):
    """As a spreadsheet reads it."""
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_a_sheet_has_a_row_a_page(sample):
    """With all that precision needs, and an empty cell for the answer."""
    rows = read(sheet_text(sample, "anna"))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1] == {
        "number": "2",
        "url": "http://a.org/2",
        "title": '"></h2><script>alert(1)</script>{{ 7 * 7 }}',
        "stratum": "2",
        "drawn": "2",
        "pages": "10",
        "judge": "anna",
        "relevant": "",
    }


def test_a_sheet_tells_nothing_of_scores(sample):
    """Neither a page's nor what its stratum means: the key does."""
    text = sheet_text(sample, "1")
    for told in ("0.61", "0.81", "relevance 0.", "position"):
        assert told not in text
        assert told in key_text(sample)
    assert read(key_text(sample))[2] == {
        "number": "3",
        "position": "7",
        "url": "javascript:alert(1)",
        "relevance": "0.920000",
        "is_relevant": "1",
        "stratum": "2",
        "meaning": "relevance 0.7 to 1.0",
    }


def test_titles_cannot_run_in_a_spreadsheet_or_break_its_lines(sample):
    """What begins like a formula gets an apostrophe; line ends and marks of direction go."""
    text = sheet_text(sample, "1")
    assert [row["title"] for row in read(text)][::2] == ["'=cmd|' /C calc'!A0", 'A, "quoted" title']
    assert text.count("\r\n") == text.count("\n") == 5


@pytest.mark.parametrize("first", FORMULA)
def test_every_beginning_of_a_formula_is_known(first):
    """Wide ones, too, which some spreadsheets read like the others."""
    assert harmless(f"{first}1+1") == f"'{first}1+1"


def test_sheets_say_that_they_are_utf_8(sample, tmp_path):
    """Spreadsheets take a file for the code of their country otherwise."""
    (path,) = write_new(tmp_path / "new" / "folder", {"x.csv": sheet_text(sample, "Ağa")})
    assert path.read_bytes().startswith(b"\xef\xbb\xbfnumber,url,")


def test_a_file_that_exists_is_never_written_over(tmp_path):
    """It may hold an afternoon's work; nothing else is written then."""
    (tmp_path / "b.csv").write_text("judged")
    with pytest.raises(ConfigError, match=r"b\.csv exists, and may hold judgements; name another folder"):
        write_new(tmp_path, {"a.csv": "", "b.csv": ""})
    assert [path.name for path in tmp_path.iterdir()] == ["b.csv"]
    assert (tmp_path / "b.csv").read_text() == "judged"


@pytest.mark.parametrize("folder", [Path("/dev/null/x"), Path("/dev/null")])
def test_a_folder_that_cannot_be_written_to_is_named(folder):
    """In one line."""
    with pytest.raises(ConfigError, match="cannot write to /dev/null"):
        write_new(folder, {"a.csv": ""})
