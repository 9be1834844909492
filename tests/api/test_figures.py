"""What counts as relevant is the same in reports, in the workbench, and to programs."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from focused_crawler.api.crawls import RunningCrawl
from focused_crawler.api.data import open_crawl
from focused_crawler.crawl.process import CrawlProcess
from focused_crawler.report.read import read_summary
from focused_crawler.report.standing import standing_of
from focused_crawler.report.watch import CrawlWatch
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, run_of, write_run
from focused_crawler.store.judges import GROUND_TRUTH
from focused_crawler.store.pages import PageStore

KEYWORDS = "keywords:3fa9c2d1"
PAGES = 6


@pytest.fixture(params=[(GROUND_TRUTH, 2), (KEYWORDS, 5)], ids=["truth", "keywords"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int]:
    """A crawl whose judge takes five of six pages, of which two are targets; and how many count."""
    judge, hits = request.param
    folder = tmp_path / "asthma/1"
    folder.mkdir(parents=True)
    run = RunInfo("asthma", "Asthma", "1", "lpe", "", None, trained=True, state=FINISHED, judge=KEYWORDS)
    run.totals = {"pages": 1}  # as it was when run.json was written last
    run.judged_by, run.targets = judge, 4 if judge == GROUND_TRUTH else None
    write_run(folder, run)
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        store.begin_run({}, {}, judge=KEYWORDS)
        for number in range(PAGES):
            url = f"http://host{number % 2}.example/{number}"
            page = PageItem(url=url, fetched_at=float(number), relevance=0.9, is_relevant=number > 0)
            page.is_target = number < 2 if judge == GROUND_TRUTH else None
            store.record_page(page)
        store.commit()
    return folder, hits


def test_all_figures_of_a_crawl_have_one_judge(crawl: tuple[Path, int]) -> None:
    """The ground truth of a recorded web where there is one: in totals, hosts and dots alike."""
    folder, hits = crawl
    summary, run = read_summary(folder), run_of(folder)
    by_host = {row.host: row.relevant for row in summary.hosts}
    assert (summary.relevant, sum(by_host.values())) == (hits, hits)
    standing = standing_of(folder, run)
    assert (standing.relevant, standing.rate_now) == (hits, hits / PAGES)
    with CrawlWatch(folder) as watch:
        seen = watch.read()
        assert {row.host: row.relevant for row in seen.hosts} == by_host
        assert sum(dot.is_relevant for dot in watch.dots) == hits
    hosts = open_crawl(folder).hosts().to_pylist()
    assert {row["host"]: row["relevant"] for row in hosts} == by_host
    with subprocess.Popen(["true"]) as process:
        process.wait()
        running = RunningCrawl(CrawlProcess(folder, process, folder / "crawl.log", time.time()), every=1.0)
        assert running.progress().relevant == hits


def test_a_page_has_its_place_among_all_that_there_are(crawl: tuple[Path, int]) -> None:
    """Not among those that there were when run.json was written last."""
    assert "fetched as page 3 of 6" in open_crawl(crawl[0]).why("http://host0.example/2").text
