"""What can befall a crawl: it stops with one line that says what to mend, or waits, and can go on after."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from focused_crawler.virtualweb.index import VirtualWeb
from tests.crawls.bees import AGAIN, PAGES, Bees
from tests.crawls.faults import JUMP, set_clock
from tests.crawls.site import Site, page, write_topic
from tests.project import Done, Job, Scrapy, crawl, until

FAULTS = "tests.crawls.faults"
HOSTS = 300


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    path = tmp_path / "disk"
    path.mkdir()
    if not _mount("-t", "tmpfs", "-o", "size=600k", "tmpfs", str(path)):
        pytest.skip("only root may mount a file system")
    yield path
    subprocess.run(["umount", "--lazy", str(path)], check=True)


def _mount(*words: str) -> bool:
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


EITHER = (2, 12)
"""Exit codes of a crawl that is refused as it begins, or ends by what it meets later."""


def refused(done: Done, *parts: str, codes: Collection[int] = (2,)) -> None:
    """Check that a command ended in one line for the user, and no traceback."""
    last = done.err.splitlines()[-1]
    assert last.startswith("error: "), done.err
    assert [part for part in parts if part not in last] == []
    assert done.code in codes, done.err
    assert (done.err.count("error: "), "Traceback" in done.err) == (1, False), done.err


def agree(job: Job) -> None:
    """Check that feed, database and run.json of a crawl that did not come to its end say the same."""
    totals, counters = job.run["totals"], dict(job.rows("SELECT * FROM counters"))
    feed = (job.folder / "pages.jsonl").read_text().splitlines()
    assert [json.loads(line)["url"] for line in feed] == job.pages
    assert (totals["pages"], totals["relevant"]) == (len(job.pages), counters["relevant"])
    assert counters["pages"] == len(job.pages)
    assert totals["pending"] == sum(job.states[state] for state in ("pending", "waiting", "leased"))
    assert job.run["state"] == "stopped"


def is_whole(bees: Bees, done: Done, refetched: int) -> None:
    """Check that a crawl is at its end with every page once, in the database, the feed and the counts."""
    assert (done.code, "Traceback" in done.err) == (0, False), done.err
    job = bees.job()
    assert sorted(job.pages) == sorted(bees.site.url(f"/{number}") for number in range(PAGES))
    feed = [json.loads(line)["url"] for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    assert feed == job.pages
    assert job.run["state"] == "finished"
    assert job.run["totals"]["pages"] == dict(job.rows("SELECT * FROM counters"))["pages"] == PAGES
    assert bees.hits().total() - PAGES <= refetched


@pytest.mark.slow
def test_a_full_disk(bees: Bees, scrapy: Scrapy, disk: Path) -> None:
    """Database, feed, run.json and report share it; all are whole when there is room again."""
    bees.crawls = disk
    for _ in range(2):
        full = scrapy.run(*bees.words("LOG_LEVEL=INFO", "FOCUSED_PROGRESS_INTERVAL=60"))
        is_database = "crawl.db" in full.err.splitlines()[-1]  # whose turn it was to grow
        refused(full, "the disk is full" if is_database else "(No space left on device)", codes=EITHER)
        assert 0 < len(bees.job().pages) < PAGES
        agree(bees.job())
        totals = bees.job().run["totals"]
        if ended := re.search(r"Crawl ended: .*; pages: (\d+), .*; left: (\d+) URL", full.err):
            assert [int(number) for number in ended.groups()] == [totals["pages"], totals["pending"]]
    assert _mount("-o", "remount,size=20m", str(disk))
    is_whole(bees, scrapy.run(*bees.words()), refetched=2 * AGAIN)


@pytest.mark.slow
def test_a_full_disk_under_a_recording(bees: Bees, scrapy: Scrapy, disk: Path) -> None:
    """What could not be recorded does not count as crawled, and is in the recording in the end."""
    web = disk / "bees.warc.gz"
    assert _mount("-o", "remount,size=32k", str(disk))
    refused(
        scrapy.run(*bees.words(f"FOCUSED_RECORD={web}")),
        "bees.warc.gz cannot be written",
        "No space",
        codes=(12,),
    )
    assert 0 < len(bees.job().pages) < PAGES
    agree(bees.job())
    assert _mount("-o", "remount,size=1m", str(disk))
    is_whole(bees, scrapy.run(*bees.words(f"FOCUSED_RECORD={web}")), refetched=AGAIN)
    with VirtualWeb(web) as recorded:
        assert {entry.url for entry in recorded.entries() if entry.status == 200} >= set(bees.job().pages)


def test_a_limit_of_file_size(bees: Bees, scrapy: Scrapy) -> None:
    """The system's, or a quota: it looks like a broken disk, and ends like a full one.

    What could not be committed is in no file.
    """
    refused(
        scrapy.run(*bees.words(), before=f"{FAULTS}.small_files"), "crawl.db", "(disk I/O error)", codes=(12,)
    )
    agree(bees.job())
    is_whole(bees, scrapy.run(*bees.words()), refetched=AGAIN)


@pytest.mark.slow
def test_a_folder_that_turns_read_only(bees: Bees, scrapy: Scrapy) -> None:
    """In mid-crawl, and before the next start."""
    bees.slow_down(0.1)
    running = scrapy.start(*bees.words(), before=f"{FAULTS}.without_privileges")
    until(lambda: bees.hits().total() > 10)
    bees.job().folder.chmod(0o555)
    refused(running.wait(), "run.json cannot be written (Permission denied)", codes=(12,))
    again = scrapy.run(*bees.words(), before=f"{FAULTS}.without_privileges")
    refused(again, str(bees.job().folder), "(Permission denied)", "FOCUSED_CRAWLS")
    bees.job().folder.chmod(0o755)
    is_whole(bees, scrapy.run(*bees.words()), refetched=0)


def test_a_read_only_file_system(bees: Bees, scrapy: Scrapy, disk: Path) -> None:
    """It is said before anything is fetched."""
    bees.crawls = disk
    assert _mount("-o", "remount,ro", str(disk))
    refused(scrapy.run(*bees.words()), str(disk), "(Read-only file system)", "FOCUSED_CRAWLS")
    assert bees.hits().total() == 0


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a transaction that writes, begun between two of the crawl's own."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
        until(lambda: _begins(other), pause=0)
        yield


def _begins(database: sqlite3.Connection) -> bool:
    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    return True


@pytest.mark.slow
def test_a_locked_database(bees: Bees, scrapy: Scrapy) -> None:
    """Another program's transaction is waited for; one that does not end, ends the crawl."""
    bees.slow_down(0.3)
    running = scrapy.start(*bees.words(), before=f"{FAULTS}.impatient")
    until(lambda: bees.hits().total() > 4)
    path = bees.job().folder / "crawl.db"
    with locked(path):
        time.sleep(0.4)
    hits = bees.hits().total()
    until(lambda: bees.hits().total() > hits)
    with locked(path):
        refused(running.wait(), "crawl.db is locked by another program", codes=(12,))
        assert 0 < len(bees.job().pages) < PAGES
        agree(bees.job())
        again = scrapy.run(*bees.words(), before=f"{FAULTS}.impatient")
        refused(again, "crawl.db is locked by another program")
    bees.slow_down(0.0)
    is_whole(bees, scrapy.run(*bees.words()), refetched=AGAIN)


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _overwrite_the_middle(path: Path) -> None:
    _overwrite(path, path.stat().st_size // 2, 8192)


def _overwrite_the_head(path: Path) -> None:
    _overwrite(path, 0, 4096)


def _overwrite_the_links(path: Path) -> None:
    """They are only written in a crawl, never read before."""
    with closing(sqlite3.connect(path)) as database:
        ((root,),) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'links'")
        ((size,),) = database.execute("PRAGMA page_size")
    _overwrite(path, (root - 1) * size, size)


def _overwrite(path: Path, start: int, size: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(bytes([0xA5]) * size)


@pytest.mark.slow
def test_a_damaged_database(bees: Bees, scrapy: Scrapy) -> None:
    """Found at the start or in mid-crawl, never crawled on with; a good copy of it is gone on with."""
    scrapy.run(*bees.words(pages=20, job="1"))
    path = bees.job().folder / "crawl.db"
    good = path.read_bytes()
    for damage in (_truncate, _overwrite_the_middle, _overwrite_the_head, _overwrite_the_links):
        path.write_bytes(good)
        damage(path)
        done = scrapy.run(*bees.words(job="1"))
        refused(done, "crawl.db is damaged", "move it away to begin anew", codes=EITHER)
    path.write_bytes(b"")
    refused(scrapy.run(*bees.words(job="1")), "crawl.db is empty, but had 20 pages", "put a copy of it back")
    for log in bees.job().folder.glob("crawl.db-*"):
        log.unlink()
    path.write_bytes(good)
    is_whole(bees, scrapy.run(*bees.words(job="1")), refetched=AGAIN)


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_crawl_gently(which: signal.Signals, bees: Bees, scrapy: Scrapy) -> None:
    """What is in flight is waited for and recorded, and no lease stays: nothing has to be fetched again."""
    bees.slow_down(0.5)
    running = scrapy.start(*bees.words())
    until(lambda: bees.hits().total() > 2)
    running.signal(which)
    stopped = running.wait()
    assert (stopped.code, "Traceback" in stopped.err) == (130, False)
    assert (bees.job().run["state"], bees.job().run["reason"]) == ("stopped", "shutdown")
    assert bees.job().states["leased"] == 0
    assert len(bees.job().pages) == bees.hits().total() < PAGES
    bees.slow_down(0.0)
    is_whole(bees, scrapy.run(*bees.words()), refetched=0)


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(which: signal.Signals, bees: Bees, scrapy: Scrapy) -> None:
    """Nothing is waited for, and only what was in flight is fetched again."""
    endless = {f"/{number}" for number in range(PAGES // 2, PAGES)}
    for path in endless:
        bees.site.answers[path] = [bees.site.answers[path][0]._replace(delay=100.0)]
    running = scrapy.start(*bees.words("DOWNLOAD_TIMEOUT=200"))
    until(lambda: endless & bees.hits().keys())
    running.signal(which)
    until(lambda: "Closing spider (shutdown)" in running.err)
    started = time.monotonic()
    running.signal(which)
    assert "Traceback" not in running.wait().err
    assert time.monotonic() - started < 60
    assert 0 < len(bees.job().pages) < PAGES
    agree(bees.job())
    assert bees.job().states["leased"] == 0
    bees.slow_down(0.0)
    is_whole(bees, scrapy.run(*bees.words()), refetched=AGAIN)


@pytest.mark.slow
def test_a_clock_that_jumps_back(bees: Bees, scrapy: Scrapy, tmp_path: Path) -> None:
    """By an hour: no host has to wait for that hour, in this run or the next, and time spent only grows."""
    sign = tmp_path / "jump"
    how = {"before": f"{FAULTS}.clock_jumps", "environ": {JUMP: str(sign)}}
    started = time.monotonic()
    words = bees.words("DOWNLOAD_DELAY=0.05")
    running = scrapy.start(*words, **how)
    until(lambda: bees.hits().total() > 10)
    set_clock(sign, -3600)
    until(lambda: bees.hits().total() > 20)
    running.signal(signal.SIGTERM)
    assert running.wait().code == 130
    assert 0 < bees.job().run["seconds"] <= time.monotonic() - started
    is_whole(bees, scrapy.run(*words, **how), refetched=0)
    assert 0 < bees.job().run["seconds"] <= time.monotonic() - started


class Hosts:
    """A page that leads to one page on each of many hosts."""

    def __init__(self, site: Site, folder: Path) -> None:
        urls = [
            site.url(f"/{number}", f"127.0.{number // 250}.{number % 250 + 1}") for number in range(HOSTS)
        ]
        site.answers["/0"] = [page("all", urls)]
        for number in range(1, HOSTS):
            site.answers[f"/{number}"] = [page(f"number {number}")._replace(delay=0.05)]
        self._topic = write_topic(folder, "bees", urls[0])
        self._crawls = folder / "crawls"
        self.job = Job(self._crawls / "bees/1")

    def words(self, requests: int) -> list[str]:
        settings = (f"CONCURRENT_REQUESTS={requests}", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8")
        return crawl(self._topic, self._crawls, *settings, "FOCUSED_MAX_TRIES=1")


@pytest.fixture
def hosts(site: Site, tmp_path: Path) -> Hosts:
    return Hosts(site, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "requests"), [("few_files", 75), ("few_files_for_now", 500)])
def test_few_open_files(limit: str, requests: int, hosts: Hosts, scrapy: Scrapy) -> None:
    """Connections kept for later make room for new ones; a limit that may be raised is. No page is lost."""
    done = scrapy.run(*hosts.words(requests), before=f"{FAULTS}.{limit}")
    assert (done.code, hosts.job.failures, len(hosts.job.pages)) == (0, {}, HOSTS), done.err


def test_too_few_open_files(hosts: Hosts, scrapy: Scrapy, site: Site) -> None:
    """What can never do is refused, with what would."""
    done = scrapy.run(*hosts.words(500), before=f"{FAULTS}.few_files")
    refused(done, "CONCURRENT_REQUESTS is 500", "256 are allowed; use 78", "ulimit -n 1100")
    assert (done.err.count("\n"), len(site.hits)) == (1, 0)
