from __future__ import annotations

import pytest

from focused_crawler.report.sampling.sheet import (
    NOT_RELEVANT,
    RELEVANT,
    UNDECIDED,
    SheetStratum,
    read_judged,
    sheet_text,
)
from focused_crawler.safety.errors import CrawlError

HEAD = "number,url,title,stratum,drawn,pages,judge,relevant\n"


@pytest.fixture
def sheet(tmp_path):
    """Writes a file, as text or as bytes."""

    def write(content, name="judge-1.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(*answers, judge="", total=3, pages=9):
    """A sheet of a simple sample."""
    lines = (
        f"{n},http://a/{n},T,1,{total},{pages},{judge},{answer}\n" for n, answer in enumerate(answers, 1)
    )
    return HEAD + "".join(lines)


def test_a_sheet_comes_back_as_it_was_written(sample, sheet):
    """Unanswered."""
    judged = read_judged([sheet(sheet_text(sample, "anna"))])
    assert judged.judges == {"anna": {}}
    assert judged.parts == {"1": SheetStratum(2, 30), "2": SheetStratum(2, 10)}
    assert judged.pages[2] == ("http://a.org/2", "2")
    assert judged.drawn == 4


@pytest.mark.parametrize(
    ("words", "meaning"),
    [(RELEVANT, True), (NOT_RELEVANT, False), (UNDECIDED, None)],
    ids=["yes", "no", "open"],
)
def test_answers_may_be_spelt_in_many_ways(sheet, words, meaning):
    """Large or small, with space around them."""
    for word in words:
        for spelt in (word, f" {word.upper()} ", word.replace(" ", "-")):
            judged = read_judged([sheet(rows(spelt))])
            assert judged.judges == {"judge-1": {1: meaning}}, spelt


def test_empty_cells_are_no_answers(sheet):
    """And rows of nothing at all are no rows."""
    judged = read_judged([sheet(rows("y", "", " ") + ",,,,,,,\n\n")])
    assert judged.judges == {"judge-1": {1: True}}
    assert len(judged.pages) == 3


def test_a_judge_without_a_name_has_that_of_the_file(sheet):
    """Else the sheets of two judges could not be told apart."""
    one, other = sheet(rows("y"), "anna.csv"), sheet(rows("n"), "bert.csv")
    assert read_judged([one, other]).judges == {"anna": {1: True}, "bert": {1: False}}


def test_judges_may_share_a_file(sheet):
    """Row below row."""
    both = rows("y", "n", judge="anna") + rows("y", "y", judge="bert").removeprefix(HEAD)
    assert read_judged([sheet(both)]).judges == {"anna": {1: True, 2: False}, "bert": {1: True, 2: True}}


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + rows("y").replace("\n", "\r\n"),
        rows("y").replace(",", ";"),
        rows("y").replace(",", "\t"),
        rows("y").replace(",T,", ",Ä,").encode("cp1252"),
        "relevant,judge,pages,drawn,stratum,url,number,note\ny,,9,3,1,http://a/1,1,nice\n",
    ],
    ids=["mark", "semicolons", "tabs", "cp1252", "columns moved"],
)
def test_sheets_are_read_as_spreadsheets_save_them(sheet, content):
    """Whatever their country."""
    judged = read_judged([sheet(content)])
    assert (judged.judges, judged.parts) == ({"judge-1": {1: True}}, {"1": SheetStratum(3, 9)})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (rows("y", "perhaps"), r"judge-1.csv:3: 'perhaps' is neither yes nor no; write y or n"),
        (HEAD + "1,http://a/1,T,1,3,9,,\n" * 2, None),
        (HEAD + "1,http://a/1,T,1,3,9,,y\n" * 2, r"judge-1.csv:3: judge-1 has judged page 1 before"),
        (HEAD + "1,http://a/1,T,1,3,9,,y\n1,http://a/2,T,1,3,9,,\n", r":3: page 1 is another page before"),
        (HEAD + "1,http://a/1,T,1,3,9,,y\n2,http://a/2,T,1,3,8,,\n", r":3: drawn and pages are not those of"),
        (HEAD + "1,http://a/1,T,1,9,3,,y\n", r":2: drawn and pages are not those of stratum 1"),
        (HEAD + "x,http://a/1,T,1,3,9,,y\n", r":2: number is 'x', not 1 or more"),
        (HEAD + "0,http://a/1,T,1,3,9,,y\n", r":2: number is '0'"),
        (HEAD + "1,http://a/1,T,1,,9,,y\n", r":2: drawn is ''"),
        (HEAD + "1,http://a/1\n", r":2: drawn is ''"),
        (HEAD + f"1,http://a/1,T,1,3,{'9' * 5000},,y\n", r":2: pages is '9999"),
        (HEAD + "9,http://a/9,T,1,3,9,,y\n", r"judge-1.csv lacks all rows of a stratum"),
        (HEAD, r"judge-1.csv has no rows"),
        ("", r"judge-1.csv:1: no column drawn, judge, number, pages, relevant, stratum, url;"),
        ("url,relevant\nhttp://a/,y\n", r":1: no column drawn, judge, number, pages, stratum;"),
        (HEAD + f'1,http://a/1,"{"T" * 200_000}",1,3,9,,y\n', r"judge-1.csv:2: no CSV \(field larger"),
        (b"PK\x03\x04\x00\x00\xff", r"no column"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_line(sheet, content, message):
    """And what to do about it; a page twice without an answer is no harm."""
    path = sheet(content)
    if message is None:
        assert read_judged([path]).judges == {"judge-1": {}}
        return
    with pytest.raises(CrawlError, match=message) as error:
        read_judged([path])
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    """As is a folder."""
    with pytest.raises(CrawlError, match=r"gone.csv cannot be read \(No such file or directory\)"):
        read_judged([tmp_path / "gone.csv"])
    with pytest.raises(CrawlError, match=r"cannot be read \(Is a directory\)"):
        read_judged([tmp_path])


def test_sheets_of_two_samples_are_not_mixed(sheet):
    """Their pages differ."""
    one, other = sheet(rows("y"), "a.csv"), sheet(rows("y").replace("http://a/", "http://b/"), "b.csv")
    with pytest.raises(CrawlError, match=r"b.csv:2: page 1 is another page before"):
        read_judged([one, other])
