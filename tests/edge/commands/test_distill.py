from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from focused_crawler.edge.commands.distill import Command
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore
from tests.project import crawl as words_of_crawl

EVIL = "\x1b[2J[red]Hubs\u202e"


def crawl(folder: Path, pages: dict[str, tuple[float, list[str]]]) -> Path:
    """Make the folder of a crawl: URL -> relevance and what it links to."""
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        for url, (relevance, links) in pages.items():
            store.record_links(url, [(target, f"{EVIL} to {target}", 0, 0.5) for target in links])
            title, is_relevant = f"{EVIL} {url}", relevance >= 0.5
            record = PageItem(
                url=url, fetched_at=1.0, relevance=relevance, is_relevant=is_relevant, title=title
            )
            store.record_page(record)
        store.commit()
    write_run(folder, RunInfo("asthma", "Asthma", folder.name, "lpe", "", None, trained=True, state=FINISHED))
    return folder


@pytest.fixture
def folder(tmp_path) -> Path:
    hub = ["http://v.org/", "http://w.org/", *(f"http://new{n}.org/" for n in range(5))]
    pages = {
        "http://hub.org/": (0.9, hub),
        "http://v.org/": (0.9, []),
        "http://w.org/": (0.2, ["http://new0.org/"]),
    }
    return crawl(tmp_path / "1", pages)


def distill(*args: object, top: str = "10", json: Path | None = None) -> int:
    """Run the command in this process; return its exit code."""
    command = Command()
    command.run([str(arg) for arg in args], argparse.Namespace(top=top, json=json))
    return command.exitcode


def test_prints_hubs_authorities_hosts_and_neighbours(folder, capsys):
    """Each table has what a reader looks for."""
    assert distill(folder) == 0
    out = capsys.readouterr().out
    for words in (
        "3 pages, rated by 1 link",
        "http://hub.org/",
        "http://v.org/",
        "http://new4.org/",
        "100 %",
    ):
        assert words in out


def test_rows_beyond_the_top_are_counted(folder, capsys):
    """Of the pages that were never fetched there may be many."""
    assert distill(folder, top="2") == 0
    out = capsys.readouterr().out
    assert "http://new1.org/" in out
    assert "http://new2.org/" not in out
    assert "and 3 more" in out


def test_json_holds_all_rows(folder, tmp_path, capsys):
    """With names, as they are in the database."""
    assert distill(folder, json=tmp_path / "x.json") == 0
    found = json.loads((tmp_path / "x.json").read_text())
    assert (found["pages"], found["links"]) == (3, 1)
    assert [page["url"] for page in found["hubs"]] == ["http://hub.org/"]
    assert [page["authority"] for page in found["authorities"]] == [1.0]
    assert found["hosts"] == [{"host": "v.org", "pages": 1, "relevant": 1, "authority": 1.0}]
    assert [row["url"] for row in found["neglected"]] == [f"http://new{n}.org/" for n in range(5)]


def test_text_of_pages_cannot_steer_the_terminal(folder, capsys):
    """Escape sequences, rich's markup and direction marks come out as text."""
    distill(folder)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "\\x1b[2J[red]Hubs" in out


def test_a_crawl_where_all_was_fetched_says_so(tmp_path, capsys):
    """No empty table."""
    pages = {"http://a.org/": (0.9, ["http://b.org/"]), "http://b.org/": (0.9, [])}
    assert distill(crawl(tmp_path / "1", pages)) == 0
    assert "None: all of them were fetched, or failed." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ({}, "has no pages yet; run its crawl"),
        ({"http://a.org/": (0.9, ["http://a.org/x"]), "http://a.org/x": (0.9, [])}, "has 2 pages, but none"),
        ({"http://a.org/": (0.9, ["http://b.org/"]), "http://b.org/": (0.0, [])}, "seeds on several sites"),
    ],
)
def test_a_crawl_that_cannot_be_rated_yet_says_what_to_do(tmp_path, capsys, pages, message):
    """In one line, with exit code 2."""
    assert distill(crawl(tmp_path / "1", pages)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "options", "message"),
    [
        ([], {}, "name one crawl folder"),
        (["1", "2"], {}, "name one crawl folder"),
        (["nowhere"], {}, "nowhere"),
        (["1"], {"top": "0"}, "--top is 0"),
        (["1"], {"top": "many"}, "--top is many"),
        (["1"], {"json": Path("gone/x.json")}, "gone/x.json cannot be written"),
    ],
)
def test_mistakes_end_in_one_line(folder, capsys, monkeypatch, args, options, message):
    """The line names what is wrong; the exit code is 2."""
    monkeypatch.chdir(folder.parent)
    assert distill(*args, **options) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


def test_scrapy_distill_reads_the_crawl_of_the_demo_web(scrapy, demo_web, tmp_path):
    """As a user types it; the crawl's own ratings stay what they were."""
    topic = demo_web.parent / "demo.topics" / "astronomy"
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={tmp_path / 'models'}")
    assert scrapy.run(*words_of_crawl(topic, tmp_path, *settings, job="1", pages=100)).code == 0
    before = (tmp_path / "astronomy/1/crawl.db").read_bytes()
    done = scrapy.run("distill", tmp_path / "astronomy" / "1", "--top", "5")
    assert done.code == 0, done.err
    for words in ("100 pages, rated by", "Hubs", "Authorities", ".example"):
        assert words in done.out
    assert (tmp_path / "astronomy/1/crawl.db").read_bytes() == before


def test_works_beside_a_running_crawl(folder, capsys):
    """By what it has committed; it is neither waited for nor held up."""
    with CrawlDatabase(folder / "crawl.db") as running:
        running.execute("DELETE FROM pages")
        assert distill(folder) == 0
        running.commit()
    assert "3 pages, rated" in capsys.readouterr().out
