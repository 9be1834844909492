"""One reader of what people fill in, whatever their spreadsheet saves."""

from __future__ import annotations

import pytest

from focused_crawler.safety import sheet
from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.safety.sheet import Sheet


@pytest.fixture
def read(tmp_path):
    """Reads the columns name and note of a file with this content."""

    def read(content: bytes, error=ConfigError):
        path = tmp_path / "saved.csv"
        path.write_bytes(content)
        rows = Sheet(path, ("name", "note"), "give another", error).rows()
        return [(where.removeprefix(f"{path}:"), *row.values()) for where, row in rows]

    return read


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_country_is_read(read, code, end, delimiter):
    """Whatever delimiter, code and line ends; columns in any order, in large or small letters."""
    rows = [
        ["Note ", "mine", "NAME"],
        ["Zementtünche", "1", " a "],
        ["", "", ""],
        ["'=1+1"],
        ["'t is", "", "b"],
    ]
    text = end.join(delimiter.join(row) for row in rows)
    assert read(text.encode(code)) == [
        ("2", "a", "Zementtünche"), ("4", "", "=1+1"), ("5", "b", "'t is"),
    ]  # fmt: skip


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_text_is_told_to_be_saved_otherwise(read, code):
    """Excel calls UTF-16 so: it is in a menu beside what we read."""
    mark = "" if code == "utf-16" else "\ufeff"
    with pytest.raises(ConfigError, match=r"saved.csv is Unicode text .*save the sheet as CSV UTF-8$"):
        read(f"{mark}name\tnote\na\tb\n".encode(code))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"saved.csv:1: no column name, note; give another$"),
        (b"name\nb\n", r":1: no column note; give another$"),
        (b"PK\x03\x04\x00\xff", r":1: no column"),
        (b'name,note\n"a"b,\n', r":2: no CSV \(.*\); save the sheet as CSV once more$"),
        (b'name,note\na,b\n"a,b\n', r":3: no CSV"),
        (b"name,note\na," + b"b" * 200_000, r":2: no CSV"),
        (b"name,note\n" + b"a,b\n" * 10, r"saved.csv is larger than any sheet \(30 bytes\); give another$"),
    ],
    ids=["empty", "column", "zip", "quote", "open quote", "long", "large"],
)
def test_what_is_no_sheet_is_told_in_one_line(read, monkeypatch, content, message):
    """With the error of those who asked."""
    if content.count(b"a,b") == 10:
        monkeypatch.setattr(sheet, "MOST_BYTES", 30)
    with pytest.raises(CrawlError, match=message) as error:
        read(content, CrawlError)
    assert "\n" not in str(error.value)


def test_what_cannot_be_read_is_named(tmp_path):
    """A folder, or nothing at all."""
    for path in (tmp_path, tmp_path / "gone.csv"):
        with pytest.raises(ConfigError, match=r"cannot be read \(.*\); give another$"):
            list(Sheet(path, ("name",), "give another", ConfigError).rows())
