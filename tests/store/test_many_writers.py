"""Several processes that share a crawl's database, and die: everything is there once, and counted once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql import database as lock_module
from focused_crawler.store.postgresql import database as postgresql_module
from focused_crawler.store.postgresql.database import PostgresqlSchema
from focused_crawler.store.schema import MIGRATIONS
from tests.postgresql import restartable_server
from tests.store.page_writer import LINKS, record, url_of

WRITER = Path(__file__).with_name("page_writer.py")
PAGES = 1000
WRITERS, KILLS = 3, 4
LAST_MOMENT = 1.0
"""Seconds after which a commit is on the disk: three of the server's `wal_writer_delay`s, and some."""
MANY = 5000  # pages: they last until a server is killed
PATIENCE = 300.0  # seconds


def shared(address, schema):
    return CrawlDatabase(PostgresqlSchema(address, schema, shared=True))


class Writers:
    """Processes that record the same pages; one that is killed is followed by another."""

    def __init__(self, address, schema, number, pages=PAGES):
        self.words, self.pages, self.started = (address, schema), str(pages), 0
        self.processes = [self.start() for _ in range(number)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.communicate()

    def start(self):
        self.started += 1
        words = [sys.executable, WRITER, *self.words, str(self.started), self.pages]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True)

    def kill(self, number):
        self.processes[number].kill()
        self.processes[number].communicate()
        self.processes[number] = self.start()

    def told(self):
        """Wait for all, and return what they wrote."""
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda process: process.communicate(timeout=PATIENCE), self.processes))

    @property
    def are_at_work(self):
        return any(process.poll() is None for process in self.processes)

    @property
    def exit_codes(self):
        return [process.returncode for process in self.processes]


def test_everything_is_recorded_once(kind):
    """Whoever is killed when: counters are those of the rows, positions have no gaps, no page comes late."""
    shared(*kind.words).close()
    chosen, seen, kills, end = random.Random(8), [], 0, time.monotonic() + PATIENCE
    with kind.open(read_only=True) as reader, Writers(*kind.words, WRITERS) as writers:
        history = CrawlHistory(reader)
        while writers.are_at_work:
            assert time.monotonic() < end
            seen += history.pages_after(seen[-1].position if seen else 0)
            if kills < KILLS and len(seen) > PAGES * (kills + 0.5) / (KILLS + 1):
                writers.kill(chosen.randrange(WRITERS))
                kills += 1
            time.sleep(0.01)
        writers.told()
        assert writers.exit_codes == [0] * WRITERS
        seen += history.pages_after(seen[-1].position)
        assert kills == KILLS
        assert [page.position for page in seen] == list(range(1, PAGES + 1))
        assert {page.url for page in seen} == {url_of(number) for number in range(PAGES)}
        check_counters(reader)


def check_counters(database):
    """Compare all counters with the rows that they count."""
    ((pages, relevant, size),) = database.rows("SELECT count(*), sum(is_relevant), sum(size) FROM pages")
    ((links,),) = database.rows("SELECT count(*) FROM links")
    ((failures,),) = database.rows("SELECT count(*) FROM failures")
    ((texts,),) = database.rows("SELECT count(*) FROM page_texts")
    ((odd,),) = database.rows("SELECT count(*) FROM pages WHERE size % 2 = 1")  # which have a text
    counters = CrawlHistory(database).counters()
    expected = {"pages": pages, "relevant": relevant, "bytes": size, "links": links, "failures": failures}
    assert counters == {**expected, "targets": 0, "duplicates": 0}
    assert links == LINKS * pages
    assert texts == odd
    of_each = database.rows("SELECT source, count(*) FROM links GROUP BY source")
    assert Counter(number for _, number in of_each) == {LINKS: pages}


def test_all_may_begin_at_once(kind, monkeypatch):
    """One makes the tables, or brings them up to date; the others wait for it."""
    with ThreadPoolExecutor(6) as threads:

        def open_all():
            databases = list(threads.map(lambda _: shared(*kind.words), range(6)))
            found = [database.rows("SELECT name FROM migrations ORDER BY name") for database in databases]
            for database in databases:
                database.close()
            return found

        names = [(name,) for name, _ in MIGRATIONS]
        assert open_all() == [names] * 6
        more = ("9999_test", ("CREATE TABLE more (x INTEGER)",))
        monkeypatch.setattr(postgresql_module, "MIGRATIONS", (*MIGRATIONS, more))
        assert open_all() == [[*names, ("9999_test",)]] * 6


def test_a_transaction_that_does_not_end(kind, monkeypatch):
    """Of a process that was stopped, say: it loses the lock, with what it wrote, and the others go on."""
    monkeypatch.setattr(lock_module, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(lock_module, "STUCK_SECONDS", 0.2)
    with shared(*kind.words) as stopped, shared(*kind.words) as other:
        store = PageStore(other)

        def stop():
            with stopped.locked_transaction():
                record(PageStore(stopped), 1)
                with other.locked_transaction():
                    record(store, 2)
                stopped.rows("SELECT 1")

        with pytest.raises(CrawlError, match="see that its server runs"):
            stop()
        assert [page.url for page in CrawlHistory(other).pages_after(0)] == [url_of(2)]


def test_a_long_turn_is_waited_for(kind, monkeypatch):
    """A busy owner keeps the lock."""
    monkeypatch.setattr(lock_module, "WAIT_SECONDS", 0.05)
    with shared(*kind.words) as busy, shared(*kind.words) as other, ThreadPoolExecutor(1) as thread:

        def wait():
            with other.locked_transaction():
                return other.rows("SELECT count(*) FROM pages")

        with busy.locked_transaction():
            waiting = thread.submit(wait)
            busy.rows("SELECT pg_sleep(0.3)")
            record(PageStore(busy), 1)
            assert not waiting.done()
        assert waiting.result() == [(1,)]


def test_a_server_that_is_killed():
    """All but the last moment is there when it is back, as a whole; workers end in one line."""
    with restartable_server() as server:
        words = [server.address, "crawl_killed"]
        with shared(*words) as database, Writers(*words, 2, MANY) as writers:
            seen = set()
            while writers.are_at_work and (
                len(seen) < 300 or server.crawls() < 3  # ours, and both writers': one may begin much later
            ):
                time.sleep(0.01)
                seen = {url for (url,) in database.rows("SELECT url FROM pages LIMIT 300")}
            time.sleep(LAST_MOMENT)
            assert writers.are_at_work
            server.kill()
            told = writers.told()
            with pytest.raises(CrawlError, match="see that its server runs"):
                database.rows("SELECT 1")
        assert writers.exit_codes == [1, 1]
        server.restart()
        with CrawlDatabase(PostgresqlSchema(*words), read_only=True) as database:
            pages = CrawlHistory(database).pages_after(0)
            check_counters(database)
    assert [page.position for page in pages] == list(range(1, len(pages) + 1))
    found = {page.url for page in pages}
    assert seen <= found
    for _, line in told:
        assert "see that its server runs, and run the same command again" in line
        assert line.count("\n") == 1


def test_the_last_links_of_a_page_count_before_any_are_written(kind):
    """A page that is met twice before the next transaction: nothing is written outside of one."""
    source, first, last = "http://a.example/", "http://b.example/", "http://c.example/"
    with shared(*kind.words) as database:
        store = PageStore(database)
        store.record_links(source, [(first, "", 0, 0.5), (first, "", 0, 0.5)])
        store.record_links(source, [(first, "", 0, 0.5)], first=2)
        store.record_links(source, [(last, "", 0, 0.5)], first=1)
        with database.locked_transaction():
            store.record_page(PageItem(url=source, fetched_at=1.0, relevance=0.5, is_relevant=True))
        links = database.rows("SELECT number, target FROM named_links ORDER BY number")
        assert links == [(0, first), (1, last)]
        assert CrawlHistory(database).counters()["links"] == 2
