"""Start pages as CSV and in the terminal, whatever the pages call themselves."""

from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from focused_crawler.discovery.choice import COLUMNS, Choice, Seed, save_seeds
from focused_crawler.discovery.harvest import Harvest, SearchAnswer
from focused_crawler.report.terminal.discovery import seeds, story
from focused_crawler.safety.errors import ConfigError

EVIL = "=cmd()\x1b[2J\u202e[red]\nx"
SEED = Seed("https://a.example/x", EVIL, EVIL, 0.5, 0.7, ("-rust hull", "zinc"))


def test_a_row_a_page(tmp_path):
    """With the searches that found it; cells that a spreadsheet would run are text."""
    save_seeds([SEED], tmp_path / "seeds.csv")
    with (tmp_path / "seeds.csv").open(encoding="utf-8", newline="") as file:
        header, row = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert row[:3] == ["https://a.example/x", "0.5000", "a.example"]
    assert row[3].startswith("'=cmd()")
    assert not {"\x1b", "\u202e", "\n"} & {*"".join(row)}
    assert row[4:6] == ["2", "'-rust hull ; zinc"]


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    """In one line."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^nowhere/seeds\.csv cannot be written \(No such file"):
        save_seeds([SEED], tmp_path / "nowhere" / "seeds.csv")


def test_nothing_steers_the_terminal():
    """Titles are escaped, not obeyed."""
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=True, color_system=None).print(seeds([SEED]))
    shown = out.getvalue()
    assert "https://a.example/x" in shown
    assert "=cmd()\\x1b[2J\\u202e[red]" in shown
    assert "\u202e" not in shown


def test_how_it_went_is_told():
    """What was asked, what was found, what was left out and why, what failed."""
    found = Harvest(
        [SearchAnswer("a", ()), SearchAnswer("b", (), is_cached=True)],
        [("c\x1b", "it is\ndown")],
        "it is down",
    )
    choice = Choice([SEED], 12, {"known already": 3, "with hardly a word of the topic": 1000})
    assert list(story(found, choice)) == [
        "2 searches (1 of them asked earlier today) found 12 pages.",
        "Left out: 3 known already, 1,000 with hardly a word of the topic.",
        "No answer to c\\x1b: it is\\ndown",
        "No more was asked.",
    ]
    assert list(story(Harvest([SearchAnswer("a", ())]), Choice())) == [
        "1 search found 0 pages.",
        "None of them is left to start from; other words, or another provider, may find some.",
    ]
