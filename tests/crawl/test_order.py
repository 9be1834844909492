from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.config import CrawlConfig
from focused_crawler.plan import CrawlPlan
from focused_crawler.virtualweb.index import VirtualWeb
from tests.crawl.reference import Reference
from tests.project import Job, Scrapy, crawl

PAGES = 150


@pytest.fixture(scope="module")
def topic(demo_web: Path) -> Path:
    return demo_web.parent / "demo.topics/astronomy"


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["breadth_first", "best_first_content_anchor", "lpe"])
def test_the_best_page_is_always_next(
    strategy: str, topic: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path
) -> None:
    """At concurrency 1 a crawl visits exactly what a list sorted before every page would give."""
    plan = CrawlPlan.make(
        CrawlConfig.from_settings(Settings({"FOCUSED_TOPIC": topic, "FOCUSED_STRATEGY": strategy}))
    )
    with VirtualWeb(demo_web) as web:
        expected = Reference(plan, web).visits(PAGES)
    arguments = {"strategy": strategy, "pages": PAGES, "profile": "offline"}
    done = scrapy.run(*crawl(topic, tmp_path, f"FOCUSED_WEB={demo_web}", **arguments))
    assert done.code == 0, done.err
    assert Job(tmp_path / "astronomy/1").visits == expected
    assert len(expected) > PAGES / 2


@pytest.mark.slow
def test_two_crawls_visit_the_same_pages(topic: Path, demo_web: Path, scrapy: Scrapy, tmp_path: Path) -> None:
    """In the same order, whichever backend the frontier has."""
    for frontier in ("sqlite", "memory"):
        settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_FRONTIER={frontier}")
        scrapy.run(*crawl(topic, tmp_path, *settings, profile="offline", pages=60, job=frontier))
    first, second = (Job(tmp_path / "astronomy" / frontier) for frontier in ("sqlite", "memory"))
    assert first.pages == second.pages
    assert len(first.pages) == 60
