from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.virtualweb.index import VirtualWeb
from tests.crawls.reference import Reference
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
    """Bit for bit, whichever backend the frontier has, and whoever analyses the pages."""
    runs = {
        "sqlite": (),
        "memory": ("FOCUSED_FRONTIER=memory",),
        "workers": ("FOCUSED_ANALYSIS_PROCESSES=2",),
    }
    for name, settings in runs.items():
        words = crawl(
            topic, tmp_path, f"FOCUSED_WEB={demo_web}", *settings, profile="offline", pages=60, job=name
        )
        done = scrapy.run(*words)
        assert done.code == 0, done.err
    first, *others = (Job(tmp_path / "astronomy" / name).pages for name in runs)
    assert all(pages == first for pages in others)
    assert len(first) == 60
