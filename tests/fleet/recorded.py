"""A crawl of several workers, as a worker records it in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.opening import shared_schema_name
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.postgresql import Server

_numbers = count(1)


def new_job() -> str:
    """Return the name of a job that no other test has."""
    return f"test-{next(_numbers)}"


class Recorder:
    """One worker."""

    def __init__(self, database: CrawlDatabase, told: dict[str, Any], worker: str, acts_as: str) -> None:
        self.database, self.store = database, PageStore(database)
        with database.locked_transaction():
            self.run = self.store.begin_run(told, {}, worker, acts_as)

    def record(self, letters: str, *, title: str = "a page") -> None:
        """Record a page for each letter: r is relevant, T is relevant and known to be, - is neither.

        Without a T, no page is known to be relevant or not.
        """
        with self.database.locked_transaction():
            first = self.database.rows("SELECT count(*) FROM pages")[0][0]
            for number, letter in enumerate(letters, first + 1):
                page = PageItem(
                    url=f"http://a.example/{number}",
                    title=title,
                    fetched_at=1000.0 + number,
                    relevance=0.5,
                    is_relevant=letter in "rT",
                    is_target=letter == "T" if "T" in letters else None,
                    run=self.run,
                )
                self.store.record_page(page)

    def fail(self, url: str, reason: str) -> None:
        with self.database.locked_transaction():
            self.store.record_failure(url, reason)

    def end(self, reason: str) -> None:
        with self.database.locked_transaction():
            self.store.end_run(self.run, reason)


@contextmanager
def recording(
    crawl: FleetCrawl, *, worker: str = "w1", acts_as: str = "", **settings: Any
) -> Iterator[Recorder]:
    """Be a worker of a crawl; `settings` are what it was told."""
    place = PostgresqlSchema(crawl.database, shared_schema_name(crawl.topic, crawl.job), shared=True)
    told = {"FOCUSED_TOPIC": crawl.topic, "FOCUSED_JOB": crawl.job, "FOCUSED_STRATEGY": "lpe", **settings}
    with CrawlDatabase(place) as database:
        yield Recorder(database, told, worker, acts_as)


def drop(server: Server, crawl: FleetCrawl) -> None:
    server.drop(shared_schema_name(crawl.topic, crawl.job))
