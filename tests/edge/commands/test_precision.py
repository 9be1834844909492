from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from focused_crawler.edge.commands.precision import Command

HEAD = "number,url,title,stratum,drawn,pages,judge,relevant\n"


@pytest.fixture
def sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three judges of ten pages: two strata, the first of 900 pages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for judge, answers in {"anna": "yyyyyyyynn", "bert": "yyyyynyynn", "cleo": "yyyyy u  n"}.items():
        rows = [
            f"{n},http://a/{n},T,{1 + n % 2},5,{100 if n % 2 else 900},,{answer.strip()}"
            for n, answer in enumerate(answers, 1)
        ]
        (tmp_path / f"{judge}.csv").write_text(HEAD + "\n".join(rows))
    return tmp_path


def precision(*args: object) -> int:
    """Run the command in this process; return its exit code."""
    command = Command()
    command.run([str(arg) for arg in args], argparse.Namespace())
    return command.exitcode


def lines(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines() if line.strip()]


def test_one_judge(sheets, capsys):
    """Precision, its interval, and each stratum."""
    assert precision("anna.csv") == 0
    out = capsys.readouterr().out
    assert out.startswith("10 pages drawn from 1,000: 80.0 % are relevant (95 % interval: ")
    assert ["1", "900", "5", "5", "4", "80.0"] in [line[:6] for line in lines(out)]
    assert "kappa" not in out
    assert out.endswith("To train by these answers: scrapy label TOPIC --import anna.csv\n")


def test_several_judges(sheets, capsys):
    """Each by itself, the majority, every pair, and all together; what is open is counted."""
    assert precision("anna.csv", "bert.csv", "cleo.csv") == 0
    out = capsys.readouterr().out
    found = lines(out)
    assert ["anna", "8", "2", "0", "0"] in [line[:5] for line in found]
    assert ["bert", "7", "3", "0", "0"] in [line[:5] for line in found]
    assert ["cleo", "5", "1", "1", "3"] in [line[:5] for line in found]
    assert ["majority", "7", "2", "1", "0"] in [line[:5] for line in found]
    assert ["all", "judgements", "20", "6", "1", "3", "70.8", "%"] in [line[:8] for line in found]
    assert "1 undecided (1 by a tie), 0 not judged: counted as not relevant they make it" in out
    assert ["anna,", "bert", "10", "90.0", "%", "0.737"] in found
    assert "Krippendorff's alpha over all judges: 0." in out


def test_strata_are_named_by_the_key_beside_the_sheets(sheets, capsys):
    """Which is of use only now; one of another sample is none."""
    key = "number,position,url,relevance,is_relevant,stratum,meaning\n"
    Path("key.csv").write_text(f"{key}2,7,http://a/2,0.5,1,1,relevance 0.5 to 0.7\n")
    assert precision("anna.csv") == 0
    assert "1 relevance 0.5 to 0.7" in capsys.readouterr().out
    Path("key.csv").write_text(f"{key}2,7,http://b/2,0.5,1,1,relevance 0.5 to 0.7\n")
    assert precision("anna.csv") == 0
    assert "relevance 0.5" not in capsys.readouterr().out


def test_words_of_a_sheet_cannot_steer_the_terminal(sheets, capsys):
    """Escape sequences and rich's markup come out as text."""
    Path("x.csv").write_text(HEAD + "1,http://a/1,T,[red]\x1b[2J,1,9,[bold]\x1b[31m,y\n")
    assert precision("x.csv") == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]\\x1b[31m" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "name the judged sheets"),
        (["gone.csv"], "gone.csv cannot be read"),
        (["blank.csv"], "blank.csv: no page is judged; write y or n into its column relevant"),
        (["wrong.csv"], "wrong.csv:2: '\\x1b[31m' is neither yes nor no"),
    ],
)
def test_mistakes_end_in_one_line(sheets, capsys, args, message):
    """The line names what is wrong; the exit code is 2."""
    Path("blank.csv").write_text(HEAD + "1,http://a/1,T,1,1,9,,\n")
    Path("wrong.csv").write_text(HEAD + "1,http://a/1,T,1,1,9,,\x1b[31m\n")
    assert precision(*args) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error.replace("\\\\", "\\")
    assert error.count("\n") == 1
