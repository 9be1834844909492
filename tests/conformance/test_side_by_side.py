"""A spider's own requests have Scrapy's rules, focused visits ours; the budget counts both."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.extensions.feedexport import FeedExporter

from tests.conformance.shop import open_shop
from tests.conformance.test_public_spiders import beside, run
from tests.project import Job, Scrapy
from tests.wired import wired

MIXED = "SPIDER_MODULES=tests.conformance.mixed"


@pytest.mark.parametrize("concurrency", [1, 16])
def test_the_page_budget_ends_a_spider_that_never_would(
    concurrency: int, scrapy: Scrapy, tmp_path: Path
) -> None:
    """After as many answers, and not one request more."""
    settings = (*beside(tmp_path), MIXED, "FOCUSED_PAGES=6", f"CONCURRENT_REQUESTS={concurrency}")
    ran = run(scrapy, tmp_path / "endless", "endless", *settings)
    assert [asked.path for asked in ran.asked] == [f"/deep/{depth}" for depth in range(1, 7)]
    assert len(ran.items) == 6
    job = Job(tmp_path / "crawls/bees/1")
    assert (job.run["reason"], job.run["totals"]["pages"]) == ("pages_budget", 0)
    assert dict(job.rows("SELECT name, value FROM counters"))["own_pages"] == 6


def test_a_job_goes_on_where_its_budget_ended(scrapy: Scrapy, tmp_path: Path) -> None:
    """With a job directory of Scrapy's, which holds the spider's own requests, and the crawl's own counts."""
    again = (f"JOBDIR={tmp_path / 'job'}", "FOCUSED_JOB=deep", "CONCURRENT_REQUESTS=1", MIXED)
    settings = (*beside(tmp_path), *again)
    run(scrapy, tmp_path / "first", "endless", *settings, "FOCUSED_PAGES=3")
    ran = run(scrapy, tmp_path / "second", "endless", *settings, "FOCUSED_PAGES=5")
    assert [asked.path.rpartition("/")[0] for asked in ran.asked] == ["/deep"] * 2


def test_visits_and_requests_of_the_spiders_own_live_side_by_side(scrapy: Scrapy, tmp_path: Path) -> None:
    """Pages are recorded and their links followed, whatever their spider yields; each has its own rules."""
    settings = (*beside(tmp_path), MIXED, "FOCUSED_RETRY_DELAY=0.01", "FOCUSED_MAX_TRIES=2")
    ran = run(scrapy, tmp_path / "mixed", "mixed", *settings)
    paths = [asked.path for asked in ran.asked]
    job = Job(tmp_path / "crawls/bees/1")
    pages = {url.partition("127.0.0.1")[2].partition("/")[2] for url in job.pages}
    assert {"goods/1", "author/3", "about"} <= pages
    assert paths.count("/api/item?id=7") == 1  # Scrapy's dupe filter
    assert "/leaf/1" not in paths  # Scrapy's offsite rule, which is not for visits
    assert paths.count("/broken") == 2  # tries of the frontier, not Scrapy's
    assert {"price": 70, "keys": []} in ran.items
    goods = [item["goods"] for item in ran.items if "goods" in item]
    assert len(goods) == len([page for page in pages if page.startswith("goods/")])
    assert not [asked for asked in ran.asked if asked.referer and asked.path != "/api/item?id=7"]
    assert dict(job.rows("SELECT name, value FROM counters"))["own_pages"] == 1


def test_the_shell_asks_for_a_page_and_opens_no_crawl(scrapy: Scrapy, tmp_path: Path) -> None:
    """It asks from a thread, which a crawl's database is not for."""
    settings = [word for setting in beside(tmp_path) for word in ("-s", setting)]
    with open_shop() as shop:
        done = scrapy.run("shell", f"{shop.url}/author/1", "-c", "response.css('h3::text').get()", *settings)
    assert (done.code, done.out) == (0, "Author 1\n"), done.err
    assert "Error" not in done.err
    assert not (tmp_path / "crawls").exists()


def test_feeds_of_the_user_may_come_in_batches(tmp_path: Path) -> None:
    """The crawl's own feed does not: Scrapy would refuse all feeds, as its name has no number."""
    with wired(tmp_path, FEED_EXPORT_BATCH_ITEM_COUNT=2) as crawler:
        assert [one for one in crawler.extensions.middlewares if isinstance(one, FeedExporter)]
