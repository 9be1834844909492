from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import page, write_topic
from tests.project import Done, Job, Scrapy, crawl

GOOD, BAD = 60, 130
HTML = [("Content-Type", "text/html")]


class FallingWeb:
    """A chain of pages that link to the next ones each: some about bees, then many about cars."""

    def __init__(self, folder: Path, bad: int = BAD, links: int = 2) -> None:
        self.folder = folder
        self.web = folder / "falling.warc.gz"
        self.topic = write_topic(folder, "bees", self.url(0))
        with WebWriter(self.web) as writer:
            for number in range(GOOD + bad):
                words = "Bees keep honey in the hive." if number < GOOD else "Cars drive on the road."
                following = range(number + 1, min(number + links + 1, GOOD + bad))
                text = page(
                    f"number {number}", map(self.url, following), f"{words} {'honey ' * (number < GOOD)}"
                ).body
                writer.write(self.url(number), 200, HTML, text.replace(b">honey ", b">more "))

    def url(self, number: int) -> str:
        return f"http://host{number % 9}.example/{number}"

    def words(self, *settings: str, **arguments: object) -> list[str]:
        fixed = (f"FOCUSED_WEB={self.web}", "CONCURRENT_REQUESTS=1", "FOCUSED_NEAR_DUPLICATES=False")
        fixed += ("FOCUSED_TRAP_BUDGETS=False",)
        given = {"job": "mine", "strategy": "breadth_first"} | arguments
        return crawl(self.topic, self.folder / "crawls", *fixed, *settings, **given)

    def crawl(self, scrapy: Scrapy, *settings: str, **arguments: object) -> tuple[Done, Job]:
        done = scrapy.run(*self.words(*settings, **arguments))
        return done, Job(self.folder / "crawls/bees/mine")


ALARMS = "SELECT rule, detail FROM decisions WHERE decision = 'alarm' ORDER BY id"
PAGES = "SELECT count(*), sum(is_relevant) FROM pages"


@pytest.fixture
def falling(tmp_path: Path) -> FallingWeb:
    return FallingWeb(tmp_path)


def test_a_fall_is_told_once_in_log_database_and_stats(scrapy, falling):
    """The log warns, the decision is kept with its hints, and the crawl goes on to its budget."""
    done, job = falling.crawl(scrapy, "STATS_DUMP=True", pages=175)
    assert done.code == 0, done.err
    ((rule, detail),) = job.rows(ALARMS)
    assert rule == "stagnation"
    assert f"{GOOD} of them relevant" in detail
    assert "does not look for the topic" in detail
    assert f"keywords alone: scrapy train {falling.topic}." in detail  # its name leads nowhere
    assert done.err.count("WARNING: Stagnation after") == 1
    assert "'focused/alarms/stagnation': 1" in done.err
    assert job.rows(PAGES) == [(175, GOOD)]


def test_a_resumed_crawl_does_not_repeat_itself(scrapy, falling):
    """Stopped by its budget after the alarm, and before: the next run knows."""
    falling.crawl(scrapy, pages=60)
    falling.crawl(scrapy, pages=170)
    _, job = falling.crawl(scrapy, pages=175)
    assert [rule for rule, _ in job.rows(ALARMS)] == ["stagnation"]


def test_a_crawl_may_stop_by_its_alarm(scrapy, falling):
    """With FOCUSED_STOP_ON_ALARM it ends there, and says why in its report."""
    done, job = falling.crawl(scrapy, "FOCUSED_STOP_ON_ALARM=True", pages=175)
    assert done.code == 13, done.err
    assert job.run["reason"] == "stagnation"
    ((pages, relevant),) = job.rows(PAGES)
    assert relevant == GOOD
    assert 100 <= pages < 175
    assert "It stagnated" in (job.folder / "report.html").read_text()


@pytest.mark.slow
def test_an_alarm_may_stop_all_workers_of_a_fleet(scrapy, tmp_path, postgresql):
    """Whichever of them raises it, once; the one URL that is left may be on its way between them."""
    falling, job = FallingWeb(tmp_path, bad=5 * BAD, links=1), f"job-{uuid4().hex[:8]}"
    settings = ("FOCUSED_STOP_ON_ALARM=True", "FOCUSED_WEB_LATENCY=0.05", "FOCUSED_FRONTIER=postgresql")
    words = falling.words(*settings, f"FOCUSED_DATABASE={postgresql.address}", job=job)
    workers = [scrapy.start(*words) for _ in range(2)]
    done = [worker.wait() for worker in workers]
    assert [one.code for one in done] == [13, 13]
    assert not any("nothing is left to fetch" in one.err for one in done)
    with read_crawl(falling.folder / "crawls/bees" / job) as database:
        assert [rule for rule, _ in database.rows(ALARMS)] == ["stagnation"]
        ((pages, relevant),) = database.rows(PAGES)
    assert relevant == GOOD
    assert pages < GOOD + 5 * BAD


def test_a_crawl_that_has_fetched_all_at_a_good_harvest_is_no_alarm(scrapy, falling):
    """It has finished, and nothing is wrong."""
    done, job = falling.crawl(scrapy, "DEPTH_LIMIT=10")
    assert job.rows(ALARMS) == []
    assert job.run["reason"] == "finished"
    assert "Stagnation" not in done.err


def test_a_frontier_that_runs_dry_is_stagnation(scrapy, falling):
    """And the crawl has finished, it was not stopped."""
    done, job = falling.crawl(scrapy, f"DEPTH_LIMIT={GOOD}", "FOCUSED_STOP_ON_ALARM=True")
    ((rule, detail),) = job.rows(ALARMS)
    assert rule == "stagnation"
    assert "nothing is left to fetch" in detail
    assert job.run["reason"] == "finished"
    assert "WARNING: Stagnation after" in done.err


def test_a_frontier_in_memory_is_watched_too(scrapy, falling):
    """Nothing is known of its scores: there is no estimate, but there is an alarm."""
    _, job = falling.crawl(scrapy, "FOCUSED_FRONTIER=memory", pages=175)
    ((_, detail),) = job.rows(ALARMS)
    assert "URLs are left on" in detail
    assert "about" not in detail
