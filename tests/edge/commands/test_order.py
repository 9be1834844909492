"""`scrapy order`: what a crawl is told while it runs, and what comes of it."""

from __future__ import annotations

import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from focused_crawler.crawl import ordering
from focused_crawler.report.why.reading import read_facts
from focused_crawler.store import orders
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import is_in_use, read_crawl, remember_address
from tests.project import Done, Job, Running, Scrapy, crawl, until

pytestmark = pytest.mark.slow


@dataclass
class Place:
    """A crawl that would go on for minutes, unless it is told otherwise."""

    scrapy: Scrapy
    words: list[str]
    folder: Path

    def start(self) -> Running:
        running = self.scrapy.start(*self.words)
        until(
            lambda: (
                (self.folder / "run.json").exists()
                and is_in_use(self.folder)
                and self.rows("SELECT 1 FROM pages")
            )
        )
        return running

    def rows(self, sql: str) -> list[tuple]:
        with read_crawl(self.folder) as database:
            return database.rows(sql)

    def order(self, what: str, *words: object) -> Done:
        return self.scrapy.run("order", what, self.folder, *words)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> Place:
    topic = demo_web.parent / "demo.topics/astronomy"
    settings = [f"FOCUSED_WEB={demo_web}", "FOCUSED_WEB_LATENCY=0.1", "CONCURRENT_REQUESTS=2"]
    settings.append("FOCUSED_PROGRESS_INTERVAL=0.2")
    if request.param == "postgresql":
        address = request.getfixturevalue("postgresql").address
        settings.append(f"FOCUSED_DATABASE={address}")
        remember_address(address)
    words = crawl(topic, tmp_path / "crawls", *settings, job="long", pages=5000)
    return Place(scrapy, words, tmp_path / "crawls/astronomy/long")


def test_a_crawl_obeys_and_answers(place: Place) -> None:
    """It fetches what is added, spends what it may, stops, and goes on; each order is a decision."""
    running = place.start()
    url = place.rows("SELECT url FROM urls WHERE state = 1 ORDER BY priority, id LIMIT 1")[0][0]
    done = place.order("add", url, "http://nothing.example/")
    assert "1 of 2 URLs new to the crawl; those that waited come first now" in done.out, done.err
    asked = f"SELECT 1 FROM urls WHERE url = '{url}' AND state > 2"
    until(lambda: place.rows(asked))
    assert "4,000 pages" in place.order("budget", "--pages", 4000).out
    assert "without limit" in place.order("budget", "--pages", 0).out
    stopped = place.order("stop")
    assert "it stops; the same command goes on from here" in stopped.out, stopped.err
    done = running.wait()
    assert (done.code, " of 4,000 pages" in done.err) == (0, True)
    run = Job(place.folder).run
    assert (run["state"], run["reason"], run["settings"]["FOCUSED_PAGES"]) == ("stopped", "told_to_stop", 0)
    assert place.rows("SELECT rule FROM decisions WHERE decision = 'order' ORDER BY id") == [
        ("add",), ("budget",), ("budget",), ("stop",),
    ]  # fmt: skip
    with read_crawl(place.folder) as database:
        events = [(event.what, event.rule) for event in read_facts(database, url).events]
    assert {("ordered", "add"), ("order", "stop")} <= set(events)
    refused = place.order("stop")
    assert refused.code == 2
    assert "not under way; the command that began it goes on with it" in refused.err
    typed = next(word for word in place.words if word.startswith("topic="))
    assert f" {typed.removeprefix('topic=')} --workers" in ordering.fleet_command(run_of(place.folder))

    orders.give(place.folder, orders.STOP)  # by somebody who did not see that it had ended
    running = place.start()
    until(lambda: place.rows("SELECT count(*) FROM orders WHERE done_at IS NULL") == [(0,)])
    pages = place.rows("SELECT max(position) FROM pages")[0][0] + 120  # more than it fetches until told
    assert f"its budget is {pages} pages" in place.order("budget", "--pages", pages).out
    assert running.wait().code == 0
    run = Job(place.folder).run
    assert (run["state"], run["reason"], run["totals"]["pages"]) == ("finished", "pages_budget", pages)


def test_what_no_crawl_can_obey_is_refused(place: Place) -> None:
    """In one line; nothing is written."""
    running = place.start()
    for words, said in [
        (["budget"], "no limit is given"),
        (["add", "nothing"], "a crawl cannot fetch nothing; write a URL as https://"),
        (["mark", "Not A Category"], "category"),
        (["mark", "health/lungs"], "the taxonomy has no category 'health/lungs'"),
        (["sing"], "use one of: scrapy order stop CRAWL"),
    ]:
        done = place.order(*words)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert place.rows("SELECT count(*) FROM orders") == [(0,)]
    orders.give(place.folder, "dance")
    orders.give(place.folder, orders.BUDGET, '{"pages": "many"}')
    until(lambda: place.rows("SELECT count(done_at) FROM orders") == [(2,)])
    answers = [answer for (answer,) in place.rows("SELECT answer FROM orders ORDER BY id")]
    assert "no order 'dance' is known" in answers[0]
    assert "is no budget" in answers[1]
    assert not running.err.count("Traceback")
    place.order("stop")
    began = time.monotonic()
    running.wait()
    assert time.monotonic() - began < 30


def stop_between_writes(place: Place, running: Running) -> None:
    """Stop a crawl which has not locked its file at that moment: nobody else could write to it."""
    until(lambda: _stops(place.folder / "crawl.db", running))


def _stops(file: Path, running: Running) -> bool:
    running.signal(signal.SIGSTOP)
    time.sleep(0.05)  # until it has stopped
    if not file.exists():  # PostgreSQL, where others may write meanwhile
        return True
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            running.signal(signal.SIGCONT)
            return False
    return True


def test_a_crawl_that_was_killed_has_no_log_to_look_into(place: Place) -> None:
    """Whoever waits for its answer is told that it is gone."""
    running = place.start()
    stop_between_writes(place, running)
    given_at = ordering.change_budget(place.folder, {"pages": 1000})
    assert ordering.wait_for_answer(place.folder, given_at, 0.2) is None
    running.signal(signal.SIGKILL)
    running.wait()
    said = ordering.wait_for_answer(place.folder, given_at, 0.2)
    assert said == "the crawl ended before it had done that; what still applies is done when it goes on"
