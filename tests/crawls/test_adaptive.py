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

from focused_crawler.crawl.model_preview import rejudged
from focused_crawler.crawl.reopened import analyst_of
from focused_crawler.crawl.strategy_record import recall
from focused_crawler.link_scoring.rescoring import RescoringStrategy
from focused_crawler.page.url import url_key
from focused_crawler.store.job import run_of
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.opening import change_crawl, read_crawl
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


def two_subjects(path: Path) -> None:
    """Write a web in which some pages are about bees, and others about trains."""
    chance, html = random.Random(7), [("Content-Type", "text/html")]
    urls = [f"http://h{number % 9}.example/{number}" for number in range(240)]
    with WebWriter(path) as web:
        for number, url in enumerate(urls):
            subject = (
                "Bees keep honey in the hive." if number % 9 % 2 else "A train leaves the station by rail."
            )
            text = " ".join(chance.choices(("stone", "river", "table", "window", "cloud"), k=40))
            links = "".join(
                f"<p>{chance.choice(('stone', 'river'))} <a href={chance.choice(urls)}>more</a></p>"
                for _ in range(12)
            )
            web.write(url, 200, html, f"<p>{subject * 9} {text} {number}</p>{links}".encode())


@pytest.mark.slow
def test_a_new_model_is_not_forgotten_as_the_crawl_goes_on(scrapy: Scrapy, tmp_path: Path) -> None:
    """What waits keeps the priorities that it has given, but for what has been learnt since."""
    two_subjects(tmp_path / "web.warc.gz")
    topic = write_topic(tmp_path, "bees", "http://h0.example/0", "http://h1.example/1")
    words = {"strategy": "adaptive", "profile": "offline", "job": "1"}
    settings = (f"FOCUSED_WEB={tmp_path / 'web.warc.gz'}", "FOCUSED_LISTS=off")
    assert scrapy.run(*crawl(topic, tmp_path, *settings, **words, pages=60)).code == 0
    job, waits = Job(tmp_path / "bees/1"), "SELECT url, priority FROM urls WHERE state = 1"
    old = dict(job.rows(waits))
    toml = (topic / "topic.toml").read_text()
    (topic / "topic.toml").write_text(toml.replace("'bee', 'honey', 'hive'", "'train', 'station', 'rail'"))
    with change_crawl(job.folder) as database:
        rejudged(run_of(job.folder), database, analyst_of(run_of(job.folder), {}))
        database.commit()
    new = dict(job.rows(waits))
    assert scrapy.run(*crawl(topic, tmp_path, *settings, **words, pages=64)).code == 0
    moved = [(old[url], new[url], now) for url, now in job.rows(waits) if url in old]
    changed = sum(abs(after - before) for before, after, _ in moved) / len(moved)
    undone = sum(abs(after - now) for _, after, now in moved) / len(moved)
    assert changed > 0.05
    assert undone < changed / 2
