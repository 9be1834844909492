from __future__ import annotations

from collections.abc import Iterable

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore


class SmallCrawl:
    """A crawl made page by page, through the store and the frontier that a real one has."""

    def __init__(self, database: CrawlDatabase) -> None:
        self.database = database
        self.store = PageStore(self.database)
        self.frontier = SqlFrontier(self.database, Rules())

    def page(
        self,
        url: str,
        relevance: float = 0.5,
        links: Iterable[str | tuple[str, str]] = (),
        asked: str | None = None,
        *,
        queue: bool = True,
        **more: object,
    ) -> None:
        """Fetch a page that links to these, each a URL or a URL and its anchor."""
        pairs = [(link, "") if isinstance(link, str) else link for link in links]
        self.store.record_links(url, [(target, anchor, 0, 0.5) for target, anchor in pairs])
        if queue:
            self.frontier.add([Candidate(target, 0.5, 1, url) for target, _ in pairs])
        record = PageItem(
            url=url,
            requested_url=asked,
            fetched_at=1.0,
            relevance=relevance,
            is_relevant=relevance >= 0.5,
            **more,
        )
        self.store.record_page(record)
        self.frontier.done(asked or url, url)


@pytest.fixture
def crawl(database: CrawlDatabase) -> SmallCrawl:
    return SmallCrawl(database)


@pytest.fixture
def golden(crawl: SmallCrawl) -> SmallCrawl:
    """The golden example of two hubs and two authorities, and some links that cast no vote.

    u1 (relevance 0.9) leads to v1 and v2, u2 (0.5) to v1; the v lie on one site. The 15 % most relevant of
    the five pages would be u1 alone, so tests say rho.
    """
    crawl.page("http://u1.org/", 0.9, [("http://v.org/1", "first"), ("http://v.org/2", "second")], title="U1")
    crawl.page(
        "http://u2.org/", 0.5, [("http://v.org/1", "one"), ("http://new.org/", "a new one")], title="U2"
    )
    crawl.page("http://v.org/1", 0.8, ["http://v.org/2"], title="V1")
    crawl.page("http://v.org/2", 0.6, title="V2")
    crawl.page("http://v.org/3", 0.1, ["http://nowhere.org/"])
    return crawl
