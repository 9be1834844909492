from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import time
from typing import Any

import pytest
from scrapy.crawler import Crawler

from focused_crawler.addon import FOCUS
from focused_crawler.crawl.steering.copies import sketch
from focused_crawler.crawl.steering.steering import JudgedPage
from focused_crawler.edge.crawl_stats import publish
from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.store.history import CrawlHistory
from tests.wired import item, wired

URL = "http://bees.example/"


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    """A crawl that knows one target; URLs /0 to /9 are in its frontier."""
    text = f'name = "bees"\nkeywords = ["bee"]\nseeds = ["{URL}"]\ntargets = ["{URL}1", "{URL}2"]\n'
    with wired(tmp_path, TOPIC=text, DOWNLOAD_DELAY=0, CONCURRENT_REQUESTS_PER_DOMAIN=16) as crawler:
        crawl_of(crawler).frontier.add([Candidate(f"{URL}{n}", 0.5) for n in range(10)])
        yield crawler


async def passed(crawler: Crawler, *items: Any, judged: Mapping[str, JudgedPage] | None = None) -> list[Any]:
    """Send items through all four pipelines, in the add-on's order, as a crawl would."""
    pipelines = [kind.from_crawler(crawler) for kind, _ in FOCUS["ITEM_PIPELINES"]]
    while (visit := crawl_of(crawler).next_visit(time())) is not None:
        visit.judged = (judged or {}).get(visit.url)
    results = []
    for one in items:
        result = one
        for pipeline in pipelines:
            result = await pipeline.process_item(result)
        results.append(result)
    return results


@pytest.mark.asyncio
async def test_a_page_is_counted_and_recorded(crawler: Crawler) -> None:
    """Once, and safe from then on: its lease has ended."""
    await passed(crawler, item(f"{URL}0"))
    crawl = crawl_of(crawler)
    assert [page.url for page in CrawlHistory(crawl.database).pages()] == [f"{URL}0"]
    assert (crawl.rate.pages, crawl.rate.relevant) == (1, 1)
    assert not crawl.visits.is_out(f"{URL}0")
    publish(crawl_of(crawler), crawler.stats)
    assert crawler.stats.get_value("focused/pages") == 1
    assert crawler.stats.get_value("focused/harvest_rate") == 1.0
    assert crawler.stats.get_value("focused/last_relevant_title") == "Bees"


@pytest.mark.asyncio
async def test_a_crawl_that_is_cut_off_has_a_whole_feed(crawler: Crawler) -> None:
    """Also of the page that was recorded when the loop ended, and not yet exported."""
    await passed(crawler, item(f"{URL}0"))
    crawl = crawl_of(crawler)
    crawl.end("shutdown", is_cut_off=True)
    assert [json.loads(line)["url"] for line in crawl.feed.read_text().splitlines()] == [f"{URL}0"]


@pytest.mark.asyncio
async def test_a_copy_is_no_further_relevant_page(crawler: Crawler) -> None:
    """It was fetched all the same; it may be verbatim, or nearly."""
    words = [f"word{n}" for n in range(300)]
    first, copy, near, empty, empty_too = await passed(
        crawler,
        item(f"{URL}0", checksum="same"),
        item(f"{URL}1", checksum="same"),
        item(f"{URL}3", checksum="another"),
        item(f"{URL}4", checksum=""),
        item(f"{URL}5", checksum=""),
        judged={f"{URL}0": JudgedPage(sketch(words)), f"{URL}3": JudgedPage(sketch(words[:-12]))},
    )
    assert [page.duplicate_of for page in (first, copy, near)] == [None, f"{URL}0", f"{URL}0"]
    assert [first.is_relevant, copy.is_relevant, near.is_relevant] == [True, False, False]
    assert copy.likeness == 1.0 > (near.likeness or 0) >= 0.9
    assert empty.duplicate_of is empty_too.duplicate_of is None
    assert (crawl_of(crawler).rate.pages, crawl_of(crawler).rate.relevant) == (5, 3)
    stats = crawler.stats
    assert [stats.get_value(f"focused/{kind}duplicates") for kind in ("", "near_")] == [1, 1]


@pytest.mark.asyncio
async def test_targets_are_counted(crawler: Crawler) -> None:
    """Those of the topic, whichever way the URL is spelt; no strategy hears of them."""
    hit, miss = await passed(crawler, item("https://www.bees.example/1/"), item(f"{URL}0"))
    assert (hit.is_target, miss.is_target) == (True, False)
    publish(crawl_of(crawler), crawler.stats)
    assert crawler.stats.get_value("focused/target_recall") == 0.5


@pytest.mark.asyncio
async def test_nothing_is_a_target_where_none_is_known(tmp_path: Path) -> None:
    """Which is another thing than no target."""
    with wired(tmp_path) as crawler:
        assert (await passed(crawler, item()))[0].is_target is None
        publish(crawl_of(crawler), crawler.stats)
        assert crawler.stats.get_value("focused/target_recall") is None


@pytest.mark.asyncio
async def test_the_items_of_a_users_own_spider_pass(crawler: Crawler) -> None:
    """They are no pages."""
    own = {"price": 3}
    assert await passed(crawler, own) == [own]
    assert crawl_of(crawler).rate.pages == 0
