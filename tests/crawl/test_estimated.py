"""How many pages of a recorded crawl are relevant, by what people say of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.crawl.estimated import estimate_now
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import RANDOM, Label
from focused_crawler.topic.labels import append
from tests.crawls.site import write_topic

PAGES, RELEVANT, COPIES = 120, 40, 30


@pytest.fixture
def topic(tmp_path: Path) -> Path:
    return write_topic(tmp_path, "bees", "http://a.example/")


def test_a_copy_is_no_further_relevant_page(topic: Path, tmp_path: Path) -> None:
    """Whatever people say of it: so it is in each other figure."""
    database = CrawlDatabase(tmp_path / "crawl.db")
    store = PageStore(database)
    run = store.begin_run({}, {}, judge="keywords:1")
    labels = []
    for number in range(PAGES):
        url, is_copy = f"http://a.example/{number}", 0 < number <= COPIES
        store.record_page(
            PageItem(
                url=url,
                fetched_at=1.0 + number,
                relevance=0.9 if number < RELEVANT else 0.1,
                is_relevant=number < RELEVANT and not is_copy,
                duplicate_of="http://a.example/0" if is_copy else None,
                run=run,
            )
        )
        said = "yes" if number < RELEVANT else "no"
        labels.append(Label(url=url, label=said, by="Ana", queue=RANDOM, crawl="1"))
    append(topic, labels)
    info = RunInfo("bees", "", "1", "lpe", "", None, trained=False, settings={"FOCUSED_TOPIC": str(topic)})
    found = estimate_now(info, database)
    database.close()
    assert found is not None
    assert found.labels == PAGES
    assert found.relevant.low <= RELEVANT - COPIES <= found.relevant.high < RELEVANT
    assert found.recall.low > 0.5
