"""Further examples out of crawls made by hand, on SQLite and PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.discovery.further_examples import (
    LEAST_PAGES,
    PAGES_A_SITE,
    candidates,
    neighbourhood,
    pure_pages,
)
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.topic.topic import Topic, load_topic
from tests.crawl.lists.crawls import Found, crawl, record, site

EXAMPLE, ASKED = "http://a.org/example", "http://a.org/asked"


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    (tmp_path / "bees").mkdir()
    names = f"relevant = ['HTTP://A.org/example', '{ASKED}', 'hive.html']\nother = ['http://o.org/']"
    (tmp_path / "bees/topic.toml").write_text(f"name = 'bees'\nkeywords = ['bee']\n[examples]\n{names}\n")
    (tmp_path / "bees/hive.html").write_text("<p>bees")
    return load_topic(str(tmp_path / "bees"))


def test_the_neighbourhood_of_examples(database: CrawlDatabase, topic: Topic) -> None:
    """Who links to a relevant one and whom it links to, however it is spelled, through redirects."""
    web = {
        "http://hub.org/": Found((EXAMPLE, "http://far.org/")),
        EXAMPLE: Found(("http://near.org/", "http://o.org/", "http://copy.org/", "http://never.org/")),
        "http://near.org/": Found(("http://far.org/",)),
        "http://moved.org/": Found(("http://after.org/",), asked=ASKED),
        "http://by.org/": Found((ASKED,)),
        "http://after.org/new": Found(asked="http://after.org/"),
        "http://copy.org/": Found(copy_of="http://far.org/"),
        "http://far.org/": Found(),
        "http://o.org/": Found((EXAMPLE,)),
        "http://of-other.org/": Found(("http://o.org/",)),
    }
    record(database, web)
    found = {page.url for page in candidates(database, topic, neighbourhood(database, topic))}
    assert found == {"http://hub.org/", "http://near.org/", "http://by.org/", "http://after.org/new"}
    assert {"http://far.org/", "http://of-other.org/"} < {page.url for page in candidates(database, topic)}


def test_the_purest_sites_come_first(tmp_path: Path, topic: Topic) -> None:
    """By their share among enough pages; a few pages of each, whatever each is; the same ones each time."""
    web = {**site("pure.org", 30), **site("fair.org", 19, other=2), **site("mixed.org", 30, other=5)}
    web |= {**site("small.org", LEAST_PAGES - 2)}
    folder = crawl(tmp_path / "1", web)
    found = pure_pages(folder, topic, None, 1000)
    assert [offer.why for offer in found] == [
        *["pure.org: 31 of 31"] * PAGES_A_SITE,
        *["fair.org: 20 of 22"] * PAGES_A_SITE,
    ]
    assert {offer.page.relevance for offer in found[PAGES_A_SITE:]} <= {0.1, 0.9}
    assert pure_pages(folder, topic, None, 12) == found[:12]
    with pytest.raises(CrawlError, match="no site of 10 pages or more, 90% of them relevant"):
        pure_pages(crawl(tmp_path / "2", site("mixed.org", 30, other=5)), topic, None, 9)
