"""Crawl folders made by the same store that a crawl uses."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, write_run
from focused_crawler.store.pages import PageStore


class CrawlMaker(NamedTuple):
    """Makes crawl folders under one root."""

    root: Path

    def __call__(self, pages=(), *, left=(), failures=(), ended=True, **run) -> Path:
        """Record pages (dicts), URLs left (url, priority), failures (url, class); `run` goes to run.json."""
        info = {"topic": "asthma", "title": "Asthma", "job": "1", "strategy": "lpe", "state": FINISHED}
        info |= {"seed_set": "", "web": None, "trained": True, "reason": "pages_budget"} | run
        folder = self.root / info["topic"] / info["job"]
        with CrawlDatabase(folder / "crawl.db") as database:
            self._record(database, pages, left, failures, ended, info["reason"])
        write_run(folder, RunInfo(**info))
        return folder

    def _record(self, database, pages, left, failures, ended, reason):
        store, frontier = PageStore(database), SqlFrontier(database)
        number = store.begin_run({}, {})
        for page in pages:
            store.record_page(PageItem(run=number, **{"fetched_at": time.time()} | page))
        frontier.add([Candidate(url, priority) for url, priority in left])
        for url, reason_class in failures:
            store.record_failure(url, reason_class, number)
        if ended:
            store.end_run(number, reason)
        frontier.close()
        store.commit()


@pytest.fixture
def make_crawl(tmp_path) -> CrawlMaker:
    return CrawlMaker(tmp_path)


def page(number: int, *, relevant: bool, **more) -> dict:
    return {
        "url": f"http://site{number % 3}.example/{number}",
        "title": f"Page {number}",
        "relevance": 0.9 if relevant else 0.1,
        "is_relevant": relevant,
    } | more


@pytest.fixture
def new_page():
    return page
