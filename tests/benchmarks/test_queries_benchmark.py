"""The benchmark of queries makes up a crawl, asks it all questions, and writes what they took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.large_crawl import LINKS, LargeCrawl
from focused_crawler.page.url import url_key
from focused_crawler.report.why.reading import read_facts
from focused_crawler.store.database import CrawlDatabase
from tests.project import ROOT

PAGES = 300


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with CrawlDatabase(tmp_path_factory.mktemp("made") / "crawl.db") as database:
        crawl = LargeCrawl(database, PAGES)
        crawl.fill()
        yield database, crawl


def test_it_holds_together(made):
    """Keys are those of the URLs; pages, links and parents point to what is there."""
    database, _ = made
    assert database.rows("SELECT count(*) FROM pages JOIN urls USING (key) WHERE urls.state = 4") == [
        (PAGES,)
    ]
    assert all(url_key(url) == key for key, url in database.rows("SELECT key, url FROM urls"))
    joined = "SELECT count(*) FROM links JOIN urls AS s ON s.id = source JOIN urls AS t ON t.id = target"
    assert database.rows(joined) == [(LINKS * PAGES,)]
    led = "SELECT count(*) FROM urls WHERE parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM links WHERE {})"
    assert database.rows(led.format("source = urls.parent AND target = urls.id")) == [(0,)]


def test_its_busiest_url_has_many_links(made):
    """From all pages of its host."""
    database, crawl = made
    assert read_facts(database, crawl.busiest).counted.pages > PAGES / 20


def test_every_question_is_timed(tmp_path: Path):
    """As it is typed."""
    words = [
        sys.executable,
        "benchmarks/queries.py",
        "--pages",
        str(PAGES),
        "--json",
        str(tmp_path / "f.json"),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "15. What was decided in the last hour?" in done.stdout
    figures = json.loads((tmp_path / "f.json").read_text())["figures"]
    assert set(figures) == {*(f"query_{n:02}_s" for n in range(1, 16)), "why_s", "query_slowest_s"}
    assert all(0 <= figure < 5 for figure in figures.values())  # of CPU, for so few pages
