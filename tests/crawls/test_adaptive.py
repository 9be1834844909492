"""An order that learns while it crawls goes on as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from focused_crawler.crawl.reopened import analyst_of
from focused_crawler.crawl.rescoring import recall
from focused_crawler.link_scoring.rescoring import RescoringStrategy
from focused_crawler.page.url import url_key
from focused_crawler.store.job import run_of
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import write_topic
from tests.project import Job, Scrapy, crawl, until

PAGES = 240
KILLS = 10


def number_of_pages(job: Job) -> int:
    ((pages,),) = job.rows("SELECT count(*) FROM pages")
    return int(pages)


def has_pages(job: Job, number: int) -> bool:
    with suppress(sqlite3.Error):  # it has not begun
        return number_of_pages(job) >= number
    return False


@pytest.mark.slow
def test_killed_at_ten_moments(cook: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """One page at a time, the pages are those of a crawl that nobody killed, in the same order."""
    topic = demo_web.parent / "demo.topics/cooking"
    models = shutil.copytree(cook, tmp_path / "models")
    settings = ("ROBOTSTXT_OBEY=False", f"FOCUSED_MODELS={models}", "FOCUSED_LISTS=off")

    def words(job: str) -> list[str]:
        arguments = {"strategy": "adaptive", "pages": PAGES, "profile": "offline", "job": job}
        return crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", *settings, **arguments)

    assert scrapy.run(*words("whole")).code == 0
    job, moments = Job(tmp_path / "cooking/killed"), random.Random(7)
    for at in sorted(moments.sample(range(1, PAGES - 20), KILLS)):
        running = scrapy.start(*words("killed"))
        until(partial(has_pages, job, at))
        running.signal(signal.SIGKILL)
        running.wait()
        ((learnt,),) = job.rows("SELECT count(*) FROM learnt")
        assert learnt == number_of_pages(job) < PAGES
    done = scrapy.run(*words("killed"))
    assert done.code == 0, done.err
    assert job.pages == Job(tmp_path / "cooking/whole").pages


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["adaptive", "anthelion"])
def test_what_failed_waits_no_more(strategy: str, scrapy: Scrapy, tmp_path: Path) -> None:
    """The strategy hears of it in the next run, too, and scores it no more."""
    root, html = "http://a.example", [("Content-Type", "text/html")]
    with WebWriter(tmp_path / "web.warc.gz") as web:
        links = "".join(f"<p>Page <a href=/{number}>{number}</a></p>" for number in range(1, 9))
        web.write(f"{root}/0", 200, html, f"<p>Bees <a href=/gone>honey bee hive</a></p>{links}".encode())
        for number in range(1, 9):
            web.write(f"{root}/{number}", 200, html, f"<p>Bees keep honey {number}.</p>".encode())
    topic = write_topic(tmp_path, "bees", f"{root}/0")
    words = {"strategy": strategy, "profile": "offline", "job": "1", "pages": 6}
    done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={tmp_path / 'web.warc.gz'}", **words))
    assert done.code == 0, done.err
    job = Job(tmp_path / "bees/1")
    assert job.rows("SELECT url FROM failures") == [(f"{root}/gone",)]
    ((last,),) = job.rows("SELECT url FROM urls WHERE state = 1 ORDER BY priority LIMIT 1")
    analyst = analyst_of(run_of(job.folder), {})
    with read_crawl(job.folder) as database:
        recall(analyst, LearntPages(database), None)
    scorer = analyst.order.scorer
    assert isinstance(scorer, RescoringStrategy)
    assert scorer.standing(url_key(f"{root}/gone")) is None is not scorer.standing(url_key(last))
