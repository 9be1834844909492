from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS
from focused_crawler.edge.commands.search import Command
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.writer import WebWriter
from tests.project import Job, Scrapy
from tests.project import crawl as words_of_crawl

EVIL = "\x1b[2J[red]Bees\u202e"


def record(url: str, text: str, relevance: float) -> PageItem:
    page = Page(url, "", text, Sections(), Outline(is_heading=False))
    is_relevant = relevance >= 0.5
    return PageItem(
        url=url, fetched_at=1.0, relevance=relevance, is_relevant=is_relevant, title=f"{EVIL} {url}",
        text=stored_text(page),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A crawl of three pages."""
    folder = tmp_path / "crawls/bees/1"
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        store.record_page(record("http://a.org/1", f"{EVIL} make honey and wax", 0.9))
        store.record_page(record("http://a.org/2", "Honey is sold here", 0.1))
        store.record_page(record("http://a.org/3", "Nothing", 0.1))
        store.commit()
    run = RunInfo("bees", "Bees", "1", "lpe", "", None, trained=True, state=FINISHED, language="en")
    write_run(folder, run)
    return folder


def search(
    *words: str, settings: dict[str, Any] | None = None, crawl: Path | None = None, **options: Any
) -> int:
    """Run the command in this process; return its exit code."""
    command = Command()
    command.settings = Settings({**DEFAULTS, **(settings or {})})
    given = {"n": "10", "relevant": False, "json": None, **options}
    command.run(list(words), argparse.Namespace(crawl=crawl, **given))
    return command.exitcode


def test_results_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By number, with title, URL and snippet."""
    assert search("honey", "sold", crawl=folder) == 0
    out = capsys.readouterr().out
    assert out.index("http://a.org/2") < out.index("http://a.org/1")
    assert "Honey is sold here" in out
    assert "http://a.org/3" not in out


def test_the_newest_crawl_is_searched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --crawl."""
    assert search("sold", settings={"FOCUSED_CRAWLS": str(folder.parents[1])}) == 0
    assert "http://a.org/2" in capsys.readouterr().out


def test_only_so_many_and_only_relevant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As asked for."""
    search("honey", crawl=folder, n="1")
    assert "\n2 " not in capsys.readouterr().out
    search("honey", crawl=folder, relevant=True)
    out = capsys.readouterr().out
    assert "http://a.org/1" in out
    assert "http://a.org/2" not in out


def test_nothing_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is no mistake."""
    assert search("[b]zebra\x1b[Z", crawl=folder) == 0
    assert capsys.readouterr().out == "No page has these words: [b]zebra\\x1b[Z\n"


def test_text_of_pages_cannot_steer_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences, rich's markup and direction marks come out as text."""
    search("wax", crawl=folder)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b[2J[red]Bees" in out


def test_json(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same results, as they are."""
    assert search("wax", crawl=folder, json=tmp_path / "x.json") == 0
    (found,) = json.loads((tmp_path / "x.json").read_text())
    assert found == {
        "url": "http://a.org/1", "title": f"{EVIL} http://a.org/1", "snippet": f"{EVIL} make honey and wax"
    }  # fmt: skip
    assert capsys.readouterr().out.endswith("x.json\n")


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ([], {}, "give words, as in: scrapy search"),
        (["the", "of"], {}, "'the of' has no word that pages could be told apart by"),
        (["honey"], {"n": "0"}, "--n is 0"),
        (["honey"], {"n": "many"}, "--n is many"),
        (["honey"], {"json": Path("gone/x.json")}, "gone/x.json"),
        (["honey"], {"crawl": Path("gone")}, "gone is no crawl's folder"),
    ],
)
def test_mistakes_end_in_one_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    options: dict[str, Any],
    message: str,
) -> None:
    """The line names what is wrong; the exit code is 2."""
    monkeypatch.chdir(folder)
    assert search(*words, **{"crawl": folder, **options}) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


def test_relevance_is_a_crawls(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has judged the pages of a recorded web."""
    assert search("honey", settings={"FOCUSED_WEB": "web.warc.gz"}, relevant=True) == 2
    assert "--relevant is for crawls" in capsys.readouterr().err


def test_scrapy_search(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """As a user types it, over a crawl and over a recorded web; texts are in no feed."""
    topic = demo_web.parent / "demo.topics" / "astronomy"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path / 'models'}")
    assert scrapy.run(*words_of_crawl(topic, tmp_path, *settings, job="1", pages=60)).code == 0
    job = Job(tmp_path / "astronomy/1")
    assert job.rows("SELECT count(*) FROM page_texts") == [(60,)]
    lines = (job.folder / "pages.jsonl").read_text().splitlines()
    assert all("text" not in json.loads(line) for line in lines)
    web = tmp_path / "web.warc.gz"
    with WebWriter(web) as writer:
        page = b"<title>Stars</title>Of light curves, by which stars are told apart"
        writer.write("http://stars.example/", 200, [("Content-Type", "text/html")], page)
    for given in (("--crawl", job.folder), ("-s", f"FOCUSED_WEB={web}", "-s", f"FOCUSED_TOPIC={topic}")):
        done = scrapy.run("search", '"light curve" star', "--n", "3", *given)
        assert done.code == 0, done.err
        assert "light curve" in done.out.lower()
        assert ".example/" in done.out


def test_a_crawl_that_keeps_no_texts(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """Because it was told so; then there is nothing to search, which is said."""
    topic = demo_web.parent / "demo.topics" / "astronomy"
    settings = (
        f"FOCUSED_WEB={demo_web}",
        f"FOCUSED_MODELS={tmp_path / 'models'}",
        "FOCUSED_KEEP_TEXTS=False",
    )
    assert scrapy.run(*words_of_crawl(topic, tmp_path, *settings, job="1", pages=5)).code == 0
    assert Job(tmp_path / "astronomy/1").rows("SELECT count(*) FROM page_texts") == [(0,)]
    done = scrapy.run("search", "star", "--crawl", tmp_path / "astronomy/1")
    assert done.code == 2
    assert "has no words of its pages" in done.err
