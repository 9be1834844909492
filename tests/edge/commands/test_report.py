from __future__ import annotations

import argparse
import time
from pathlib import Path

import pytest
from parsel import Selector
from scrapy.settings import Settings

from focused_crawler.edge.commands.report import Command
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore

JUDGE = "model:3fa9c2d1"


def crawl(folder: Path, relevant: int, strategy: str) -> Path:
    """Make the folder of a crawl of ten pages."""
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        run = store.begin_run({}, {}, judge=JUDGE)
        for number in range(10):
            is_relevant = number < relevant
            url = f"http://a.example/{number}"
            page = PageItem(url=url, fetched_at=time.time(), relevance=0.5, is_relevant=is_relevant, run=run)
            store.record_page(page)
        store.end_run(run, "pages_budget")
        store.commit()
    state = {"state": FINISHED, "reason": "pages_budget", "judge": JUDGE}
    write_run(folder, RunInfo("asthma", "Asthma", folder.name, strategy, "", None, trained=True, **state))
    return folder


@pytest.fixture
def folder(tmp_path) -> Path:
    return crawl(tmp_path / "1", 4, "lpe")


def report(*args: object, compare=(), out=None) -> int:
    """Run the command in this process; return its exit code."""
    command = Command()
    command.settings = Settings()
    command.run([str(arg) for arg in args], argparse.Namespace(compare=list(compare), out=out))
    return command.exitcode


def test_scrapy_report_writes_and_prints(scrapy, folder, tmp_path):
    """As a user types it: the file is there, its path is the last line, figures stand above it."""
    other = crawl(tmp_path / "2", 1, "breadth_first")
    done = scrapy.run("report", folder, "--compare", other)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == str(folder / "report.html")
    for words in ("harvest rate", "40.0 %", "10.0 %", "breadth_first", "It reached its budget of pages."):
        assert words in done.out
    html = Selector((folder / "report.html").read_text("utf-8"))
    assert "breadth_first" in html.xpath("string(//h2[.='Compared']/..)").get()


def test_out_names_another_file(folder, tmp_path, capsys):
    """The crawl's folder is left as it was."""
    assert report(folder, out=tmp_path / "x.html") == 0
    assert (tmp_path / "x.html").exists()
    assert not (folder / "report.html").exists()
    assert capsys.readouterr().out.splitlines()[-1] == str(tmp_path / "x.html")


@pytest.mark.parametrize(
    ("args", "compare", "message"),
    [
        ([], [], "name one crawl folder"),
        (["a", "b"], [], "name one crawl folder"),
        (["nowhere"], [], "nowhere is no crawl's folder"),
        (["1"], ["gone"], "gone is no crawl's folder"),
    ],
)
def test_mistakes_end_in_one_line(folder, capsys, monkeypatch, args, compare, message):
    """The line names what is wrong; the exit code is 2, and nothing was written."""
    monkeypatch.chdir(folder.parent)
    assert report(*args, compare=[Path(name) for name in compare]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1
    assert not (folder / "report.html").exists()


def test_a_broken_database_ends_in_one_line(folder, capsys):
    """Damage is told, not traced."""
    (folder / "crawl.db").write_bytes(b"not a database" * 100)
    for left_over in folder.glob("crawl.db-*"):
        left_over.unlink()
    assert report(folder) == 2
    assert "crawl.db is damaged or no crawl database" in capsys.readouterr().err
