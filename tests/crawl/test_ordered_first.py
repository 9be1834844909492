"""What somebody orders comes before all others, and stays there whatever the strategy learns."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.changes import add_pages
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.link_order import LinkOrder
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.url import url_key
from focused_crawler.store import orders
from tests.crawls.site import write_topic
from tests.link_scoring.test_adaptive import LIST, MENU, TOPIC, hub, page, target

ORDERED = [target(MENU, number) for number in (15, 16, 17)]


@pytest.mark.parametrize("is_known", [True, False])
def test_the_strategy_leaves_it_alone(is_known: bool) -> None:
    """It has learnt that links at that place lead to nothing."""
    order = LinkOrder("adaptive", create("adaptive", TOPIC))
    frontier, urls = MemoryFrontier(Rules()), {}
    first = set(map(url_key, ORDERED)) if is_known else set()
    analyst = SimpleNamespace(order=order)
    rescoring = Rescoring(analyst, frontier, lambda keys: {key: urls[key] for key in keys}, first)

    def crawl(fetched: object) -> None:
        scores = order.scores(fetched)
        urls.update({url_key(link.url): link.url for link in fetched.links})
        frontier.add([Candidate(link.url, score) for link, score in zip(fetched.links, scores, strict=True)])
        rescoring.after_page()

    crawl(hub(range(20)))
    assert frontier.add([Candidate(url, 1.0) for url in ORDERED]) == 0
    for number in range(8):
        crawl(page(target(LIST, number), relevance=1.0))
        crawl(page(target(MENU, number), relevance=0.0))
    best = [lease.url for lease in frontier.take(3, 0.0)]
    assert (sorted(best) == sorted(ORDERED)) is is_known


def test_a_crawl_that_goes_on_knows_what_was_ordered(tmp_path: Path) -> None:
    """As does one that has just carried it out; and what a hub has raised."""
    url = "http://a.example/ordered"
    named = {
        "FOCUSED_TOPIC": str(write_topic(tmp_path, "bees", "http://a.example/")),
        "FOCUSED_CRAWLS": str(tmp_path / "crawls"),
        "FOCUSED_FRONTIER": "sqlite",
    }
    plan = CrawlPlan.make(CrawlConfig.from_settings(Settings(named)))
    crawl = Crawl(plan)
    for detail in ("no list", json.dumps([url])):
        orders.give(crawl.folder, orders.ADD, detail)
    assert url_key(url) not in crawl.visits.context.first
    add_pages(crawl, [url])
    assert url_key(url) in crawl.visits.context.first
    raised = "http://b.example/raised"
    crawl.frontier.add([Candidate(raised, 1.0)])
    crawl.recorder.decision("raised", "hub", url=raised)
    crawl.end("shutdown")
    again = Crawl(plan)
    assert again.visits.context.first == plan.start.keys | {url_key(url), url_key(raised)}
    again.end("shutdown")
