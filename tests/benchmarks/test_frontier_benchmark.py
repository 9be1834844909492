"""The frontier's benchmark still runs, and says what the issue asks for."""

from __future__ import annotations

import json

import pytest

from benchmarks import frontier
from benchmarks.frontier import Worker
from benchmarks.generated_links import LINKS, OWN, GeneratedLinks
from focused_crawler.page.url import host_of, normalise


@pytest.mark.slow
def test_a_small_run_gives_all_figures(tmp_path, monkeypatch, capsys):
    """Fill, take, kill and reopen at a small size: every figure is there, and each frontier in the table."""
    path = tmp_path / "figures.json"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(frontier, "TURNS", 2)
    monkeypatch.setattr(frontier, "SECONDS_TO_KILL", 0.5)
    typed = ["frontier.py", "--urls", "2000", "--hosts", "50", "--without-scrapy", "--json", str(path)]
    monkeypatch.setattr("sys.argv", typed)
    frontier.main(frontier.measure, frontier.__doc__)
    shown = capsys.readouterr().out
    figures = json.loads(path.read_text())["figures"]
    named = {"add_per_s", "floor_add_per_s", "take_per_s", "peak_rss_mib", "reopen_s", "bytes_per_url"}
    assert named <= figures.keys()
    assert all(value > 0 for value in figures.values())
    assert all(name in shown for name in ("ours, SQLite", "ours, memory", "bare executemany", "reopened"))


@pytest.mark.parametrize("queue", ["LifoMemoryQueue", "PickleLifoDiskQueue"])
def test_scrapys_queues_can_be_measured(queue, tmp_path):
    """Scrapy's priority queue still takes its queues this way."""
    worker = Worker(queue, tmp_path / "queue", 0)
    found = worker.ask("queue", levels=20, requests=100)
    worker.close()
    assert found["push"] > 0
    assert found["pop"] > 0


def test_links_are_new_plain_and_the_same_every_time():
    """No URL comes twice or needs rewriting, and most are on their page's own host."""
    pages = list(GeneratedLinks(20).pages(10 * LINKS))
    urls = [link.url for page in pages for link in page]
    assert len(set(urls)) == len(urls) == 10 * LINKS
    assert all(normalise(url) == url for url in urls)
    assert all(len({host_of(link.url) for link in page[:OWN]}) == 1 for page in pages)
    assert pages == list(GeneratedLinks(20).pages(10 * LINKS))
    assert pages[1][0].parent == pages[0][0].url
