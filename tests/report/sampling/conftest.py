from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.stored_text import stored_text
from focused_crawler.report.sampling.sample import DrawnStratum, Sample, SampledPage
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

Record = Callable[..., None]


@pytest.fixture
def record(database: CrawlDatabase) -> Record:
    """Records a page in a crawl: of what host, how relevant, with what words."""
    store = PageStore(database)

    def add(url: str, relevance: float = 0.9, *, title: str = "", text: str = "") -> None:
        kept = stored_text(Page("", "", text, Sections(), Outline(is_heading=False)))
        page = PageItem(
            url=url,
            fetched_at=1.5e9,
            relevance=relevance,
            is_relevant=relevance >= 0.5,
            title=title,
            text=kept,
        )
        store.record_page(page)

    return add


@pytest.fixture
def crawl(record: Record, database: CrawlDatabase) -> CrawlDatabase:
    """A crawl of 150 pages on three hosts, every third not relevant."""
    chance = random.Random(1)
    for number in range(150):
        host = "a.org" if number < 100 else "b.org" if number < 140 else f"c{number}.org"
        relevance = 0.3 if number % 3 == 0 else chance.uniform(0.5, 1)
        record(f"http://{host}/{number}", relevance, title=f"Page {number}", text=f"words of {number}")
    return database


@pytest.fixture
def sample() -> Sample:
    """Four pages of two strata, two of them by someone who means ill."""
    first, second = (
        DrawnStratum("1", "relevance 0.5 to 0.7", 2, 30),
        DrawnStratum("2", "relevance 0.7 to 1.0", 2, 10),
    )
    evil = '"></h2><script>alert(1)</script>{{ 7 * 7 }}'
    pages = [
        SampledPage(1, 11, first, "http://a.org/1", "=cmd|' /C calc'!A0", 0.61, True),
        SampledPage(2, 5, second, "http://a.org/2", evil, 0.81, True),
        SampledPage(3, 7, second, "javascript:alert(1)", 'A, "quoted"\r\ntitle\u202e', 0.92, True),
        SampledPage(4, 3, first, "http://a.org/4", "", 0.52, True),
    ]
    return Sample(pages, [first, second])
