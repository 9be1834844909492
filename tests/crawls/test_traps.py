"""Trap webs, crawled for real: honest pages come first, traps last, and a budget is used to its end."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from focused_crawler.store.opening import read_crawl
from tests.crawls import trap_webs
from tests.crawls.site import write_topic
from tests.crawls.test_simulated_order import Bench
from tests.crawls.trap_webs import FEW, HONEST, HOSTS, OF_HOST, OF_WIKI, TRAPS, WIKIS, is_good, write
from tests.postgresql import Server
from tests.project import Job, Scrapy, crawl, until

MORE = 200
"""Pages of a budget beyond the honest ones."""
LOWERED = "SELECT count(*), sum(is_raised) FROM lowered"
LOST = """
SELECT lowered.url FROM lowered LEFT JOIN urls USING (key) LEFT JOIN pages USING (key)
WHERE is_raised = 1 AND pages.key IS NULL AND coalesce(state, 0) NOT IN (1, 2)
AND NOT EXISTS (SELECT 1 FROM failures WHERE failures.key = lowered.key)
AND NOT EXISTS (SELECT 1 FROM offers WHERE offers.url = lowered.url)
"""
TWICE = "SELECT url FROM decisions WHERE decision = 'lowered' GROUP BY url HAVING count(*) > 1"


@pytest.fixture(scope="module")
def trap_web(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """Return a web by its name and how many honest pages it has, which is written once."""
    folder = tmp_path_factory.mktemp("webs")

    @cache
    def made(name: str, pages: int) -> Path:
        return write(folder / f"{name}-{pages}.warc.gz", TRAPS[name](pages))

    return made


def words(web: Path, topic: Path, folder: Path, *settings: str, job: str = "1", pages: int) -> list[str]:
    return crawl(topic, folder, f"FOCUSED_WEB={web}", *settings, job=job, pages=pages, profile="offline")


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAPS)
def test_traps_come_last(
    name: str, trap_web: Callable[[str, int], Path], scrapy: Scrapy, tmp_path: Path
) -> None:
    """Not 2 % of the pages are theirs while there are others; then they have what is left of the budget."""
    web = trap_web(name, HONEST)
    topic = write_topic(tmp_path, "bees", trap_webs.honest(0))
    done = scrapy.run(*words(web, topic, tmp_path / "crawls", pages=HONEST + MORE))
    assert done.code == 0, done.err
    job = Job(tmp_path / "crawls/bees/1")
    good = is_good(job.pages)
    before = len(good) - good[::-1].index(True)
    assert good.count(True) == HONEST
    assert good[:before].count(False) <= 0.02 * before
    assert len(job.pages) == HONEST + MORE
    assert job.rows(TWICE) == []
    ((lowered, raised),) = job.rows(LOWERED)
    assert 0 < raised < lowered
    waits = job.rows("SELECT url FROM lowered WHERE is_raised = 0 LIMIT 1")[0][0]
    why = scrapy.run("why", waits, "--crawl", str(job.folder))
    assert (why.code, "waits until nothing better is left" in " ".join(why.out.split())) == (0, True), why.out


@pytest.mark.slow
def test_a_domain_of_many_hosts_is_crawled_to_the_budget(scrapy: Scrapy, tmp_path: Path) -> None:
    """All hosts have one registered domain, and few bring anything: that ends no crawl before its budget."""
    pages = HOSTS * OF_HOST - 50
    web = write(tmp_path / "web.warc.gz", trap_webs.one_domain())
    topic = write_topic(tmp_path, "bees", "http://h0.large.example/")
    done = scrapy.run(*words(web, topic, tmp_path / "crawls", pages=pages))
    assert done.code == 0, done.err
    job = Job(tmp_path / "crawls/bees/1")
    assert (len(job.pages), job.run["reason"]) == (pages, "pages_budget")
    hosts = {url.partition("/p")[0].rstrip("/") for url in job.pages}
    assert len(hosts) == HOSTS


@pytest.mark.slow
def test_the_best_hosts_of_a_domain_come_first(scrapy: Scrapy, tmp_path: Path) -> None:
    """However many others of it were linked before them: what is linked takes no share of it."""
    web = write(tmp_path / "web.warc.gz", trap_webs.farm_of_wikis())
    topic = write_topic(tmp_path, "bees", "http://www.wikis.example/")
    done = scrapy.run(*words(web, topic, tmp_path / "crawls", pages=2 * WIKIS * OF_WIKI))
    assert done.code == 0, done.err
    pages = Job(tmp_path / "crawls/bees/1").pages
    assert len(pages) == 2 * WIKIS * OF_WIKI
    assert sum("honey" in url for url in pages) >= 0.9 * WIKIS * OF_WIKI


@pytest.mark.slow
@pytest.mark.parametrize("name", ["facets", "mirror"])
def test_simulated_alike(
    name: str, trap_web: Callable[[str, int], Path], scrapy: Scrapy, tmp_path: Path
) -> None:
    """A simulated crawl comes to the traps at the same page, and takes them in the same order."""
    web = trap_web(name, FEW)
    topic = write_topic(tmp_path, "bees", trap_webs.honest(0))
    bench = Bench(scrapy, web, topic, tmp_path / "crawls")
    simulated, real = bench.both("best_first_content_anchor", FEW + MORE, CONCURRENT_REQUESTS=1)
    assert simulated.urls == real
    assert len(real) > FEW


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAPS)
def test_killed_among_the_traps(
    name: str, trap_web: Callable[[str, int], Path], scrapy: Scrapy, tmp_path: Path
) -> None:
    """The next run goes on as if nothing had happened: the same pages in the same order, and none is lost."""
    topic = write_topic(tmp_path, "bees", trap_webs.honest(0))
    goes_on_alike(trap_web(name, FEW), topic, tmp_path / "crawls", scrapy)


@pytest.mark.slow
@pytest.mark.parametrize("discount", [0, 0.05])
def test_killed_as_a_domain_floods(discount: float, scrapy: Scrapy, tmp_path: Path) -> None:
    """Nor are hosts forgotten that gave nothing, or counted that came last, beyond the domain's share."""
    web = write(tmp_path / "flood.warc.gz", trap_webs.flood())
    topic = write_topic(tmp_path, "bees", "http://www.bees.example/a0")
    job = goes_on_alike(web, topic, tmp_path / "crawls", scrapy, f"FOCUSED_SITE_DISCOUNT={discount}")
    ((lowered, raised),) = job.rows(LOWERED)
    assert 0 < raised < lowered


def goes_on_alike(web: Path, topic: Path, crawls: Path, scrapy: Scrapy, *settings: str) -> Job:
    """Crawl a web as a whole, and killed three times; return the latter, which must be the same."""
    one, pages = ("CONCURRENT_REQUESTS=1", *settings), FEW + MORE
    whole = scrapy.run(*words(web, topic, crawls, *one, job="whole", pages=pages))
    assert whole.code == 0, whole.err
    job = Job(crawls / "bees/cut")
    for at in (FEW - 50, FEW + 40, FEW + 140):
        running = scrapy.start(*words(web, topic, crawls, *one, job="cut", pages=pages))
        until(lambda at=at: _recorded(job) > at)
        running.signal(signal.SIGKILL)
        running.wait()
    done = scrapy.run(*words(web, topic, crawls, *one, job="cut", pages=pages))
    assert done.code == 0, done.err
    assert job.pages == Job(crawls / "bees/whole").pages
    assert job.rows(TWICE) == []
    assert job.rows(LOST) == []
    return job


@pytest.mark.slow
@pytest.mark.parametrize(("name", "workers"), [("facets", 2), ("calendar", 4)])
def test_workers(
    name: str,
    workers: int,
    trap_web: Callable[[str, int], Path],
    scrapy: Scrapy,
    postgresql: Server,
    tmp_path: Path,
) -> None:
    """What one has lowered any of them brings back; a page is recorded once, and none is lost."""
    web = trap_web(name, FEW)
    topic = write_topic(tmp_path, "bees", trap_webs.honest(0))
    servers = ("FOCUSED_FRONTIER=postgresql", f"FOCUSED_DATABASE={postgresql.address}")
    named = {"job": f"job-{uuid4().hex[:8]}", "pages": FEW + MORE}
    command = words(web, topic, tmp_path / "crawls", *servers, **named)
    started = [scrapy.start(*command) for _ in range(workers)]
    assert [running.wait().code for running in started] == [0] * workers
    with read_crawl(tmp_path / "crawls/bees" / named["job"]) as database:
        pages = [url for (url,) in database.rows("SELECT url FROM pages ORDER BY position")]
        ((_, raised),) = database.rows(LOWERED)
        assert (database.rows(LOST), database.rows(TWICE)) == ([], [])
    assert len(pages) == len(set(pages)) == FEW + MORE
    assert is_good(pages).count(True) == FEW
    assert raised > 0


def _recorded(job: Job) -> int:
    try:
        return int(job.rows("SELECT count(*) FROM pages")[0][0])
    except sqlite3.OperationalError:  # it has not begun
        return 0
