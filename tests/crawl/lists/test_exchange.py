"""The lists as CSV: out, edited, and in again."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.crawl.lists.counts import CrawlCount, HubCount, SiteCount
from focused_crawler.crawl.lists.edit import COLUMNS, csv_text, import_marks, read_csv, write_csv
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.printable import FORMULA
from focused_crawler.store.values import storable

COUNTED = CrawlCount(
    "1 1.0", "1", 1.0, 20, 9, (SiteCount("a.org", 12, 8, None, 0), SiteCount("b.org", 8, 1, None, 0)),
    (HubCount("http://h.org/links", 6, 2, 40, None, None),),
)  # fmt: skip


@pytest.fixture
def lists(tmp_path):
    with Lists(tmp_path / "lists.db") as lists:
        lists.count(COUNTED)
        yield lists


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_all_is_exported(lists):
    """Kept or not, with the numbers."""
    lists.mark([("b.org", "banned", "only shops")])
    assert [list(row.values()) for row in rows(csv_text(lists))] == [
        ["site", "b.org", "banned", "only shops", "no", "1", "8", "1", "0.1250"],
        ["site", "a.org", "", "", "yes", "1", "12", "8", "0.6667"],
        ["hub", "http://h.org/links", "", "", "no", "1", "40", "6", "0.1500"],
    ]


def test_edited_marks_come_in(lists, tmp_path):
    """A spreadsheet adds, changes and takes away marks; what a file leaves out stays as it is."""
    lists.mark([("a.org", "kept", "old"), ("left.org", "kept", "")])
    path = tmp_path / "sites.csv"
    path.write_text(
        "\ufeffKind,Name,Mark,Note,Mine\nsite,WWW.A.org,,,1\nsite,https://b.org/x,Banned,shops,2\n"
        "hub,http://new.org/links,kept,,3\n\n"
    )
    assert import_marks(lists, path) == 3
    assert {site.site: (site.mark, site.note) for site in lists.sites()} == {
        "a.org": ("", ""), "b.org": ("banned", "shops"), "left.org": ("kept", ""),
    }  # fmt: skip
    assert {hub.url: hub.mark for hub in lists.hubs()} == {
        "http://new.org/links": "kept",
        "http://h.org/links": "",
    }


NOTES = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=40).map(str.strip)


@settings(max_examples=50)
@given(note=NOTES | st.sampled_from(FORMULA).map(lambda sign: f"{sign}cmd|' /C calc'!A0"))
def test_what_goes_out_comes_in(lists, tmp_path, note):
    """Any note survives, and no cell is one that a spreadsheet would run."""
    note = storable(note).strip()
    lists.mark([("a.org", "kept", note)])
    write_csv(lists, tmp_path / "sites.csv")
    assert not [
        cell
        for row in rows((tmp_path / "sites.csv").read_text())
        for cell in row.values()
        if cell.startswith(FORMULA)
    ]
    lists.mark([("a.org", "banned", "")])
    import_marks(lists, tmp_path / "sites.csv")
    (site,) = [site for site in lists.sites() if site.site == "a.org"]
    assert (site.mark, site.note) == ("kept", note)


HEADER = ",".join(COLUMNS[:4])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column kind, name, mark, note; give --import a CSV file that begins with a line kind,name"),
        ("kind,name,mark\n", ":1: no column note"),
        (f"{HEADER}\nsite,a.org,loved,\n", ":2: mark is 'loved'; write kept or banned"),
        (f"{HEADER}\nsite,a.org,,\npage,a.org,,\n", ":3: kind is 'page'; write site or hub"),
        (f"{HEADER}\nsite,not a host,kept,\n", ":2: 'not a host' is no site; write a host"),
        (f"{HEADER}\nhub,a.org,kept,\n", ":2: 'a.org' is no hub; write a URL"),
        (f"{HEADER}\nsite\n", ":2: '' is no site"),
        (f"{HEADER}\nsite,never.org,,\n", "never.org is new here; give it a mark, kept or banned"),
        (f'{HEADER}\nsite,"a.org"b,,\n', ":2: no CSV"),
        (
            f"{HEADER}\nsite,a.org,kept,\nsite,b.org,banned,\nsite,www.A.org,banned,\n",
            "sites.csv:4: a.org has another mark in ",
        ),
        (
            f"{HEADER}\nhub,http://h.org/x/,banned,\nhub,http://www.h.org/x,kept,\n",
            "sites.csv:2; leave one row out",
        ),
    ],
)
def test_a_wrong_file_changes_nothing(text, words, lists, tmp_path):
    """One line says where, what and the cure."""
    path = tmp_path / "sites.csv"
    path.write_text(text)
    before = lists.sites()
    with pytest.raises(ConfigError) as error:
        import_marks(lists, path)
    assert f"{path}" in str(error.value)
    assert words in str(error.value)
    assert lists.sites() == before


def test_a_spreadsheet_may_save_as_it_likes(lists, tmp_path):
    """With semicolons, in the code of its country; the same mark twice is no harm."""
    path = tmp_path / "sites.csv"
    rows = f"{HEADER}\r\nsite,b.org,banned,Läden\r\nsite,b.org,banned,Läden\r\n"
    path.write_bytes(rows.replace(",", ";").encode("cp1252"))
    assert import_marks(lists, path) == 2
    assert [site.note for site in lists.sites() if site.mark == "banned"] == ["Läden"]


def test_files_that_are_none_are_refused(tmp_path):
    """Not there, or not as we read it."""
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    for path, words in ((tmp_path, "cannot be read"), (tmp_path / "x.csv", "CSV UTF-8")):
        with pytest.raises(ConfigError, match=words):
            read_csv(path)


def test_an_export_that_cannot_be_written_says_so(lists, tmp_path):
    """And names the file."""
    with pytest.raises(ConfigError, match="let --export name a file that can be"):
        write_csv(lists, tmp_path)
