from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.report.why.facts import UrlFacts
from focused_crawler.report.why.reading import read_facts
from focused_crawler.report.why.sentences import Conclusion, answer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore

Links = Sequence[tuple[str, str, int, float | None]]
START = 1_700_000_000.0


@dataclass
class SmallCrawl:
    """A crawl of which a test tells each step; a second passes with each page."""

    database: CrawlDatabase
    rules: Rules = field(default_factory=Rules)
    run: RunInfo = field(
        default_factory=lambda: RunInfo(
            topic="stars", title="Stars", job="1", strategy="lpe", seed_set="", web=None, trained=True,
            state="stopped", totals={"pages": 12},
        )
    )  # fmt: skip
    pages: int = 0

    def __post_init__(self) -> None:
        self.store = PageStore(self.database)
        self.frontier = SqlFrontier(self.database, self.rules)

    def seed(self, *urls: str) -> None:
        self.frontier.add([Candidate(url, 1.0) for url in urls])

    def fetch(self, url: str, links: Links = (), at: str | None = None, **more: object) -> None:
        """Record a page, which redirects led to if it is `at` another URL."""
        final = at or url
        self.frontier.take(1, START + self.pages)
        self.frontier.add(Candidate(link[0], link[3], 1, final) for link in links if link[3] is not None)
        self.store.record_links(final, links)
        values = {"relevance": 0.75, "is_relevant": True, "links": len(links), **more}
        when = START + self.pages
        self.store.record_page(PageItem(url=final, requested_url=url, fetched_at=when, **values))
        self.frontier.done(url, final)
        self.pages += 1

    def look_again(self, page: int, outcome: str, at: float) -> None:
        """Record a revisit of a page, by its position."""
        sql = "INSERT INTO revisits (page, visited_at, outcome, relevance, run) VALUES (?, ?, ?, ?, ?)"
        relevance = 0.25 if outcome == "changed" else None
        self.database.execute(sql, (page, at, outcome, relevance, 2))

    def fail(self, url: str, reason: str, detail: str = "", retry_at: float | None = None) -> None:
        self.frontier.failed(url, retry_at)
        if retry_at is None:
            self.store.record_failure(url, reason)
        self.store.record_decision("failed" if retry_at is None else "retry", reason, url=url, detail=detail)

    def facts(self, url: str) -> UrlFacts:
        self.database.commit()
        return read_facts(self.database, url)

    def answer(self, url: str) -> Conclusion:
        return answer(self.facts(url), self.run, now=START + 100)


@pytest.fixture
def crawl(database: CrawlDatabase) -> SmallCrawl:
    """On each kind of database."""
    return SmallCrawl(database)
