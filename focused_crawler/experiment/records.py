"""What a simulated crawl writes down, where its steering goes by what was recorded."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from focused_crawler.analysis import Analysis
from focused_crawler.page.url import site_of
from focused_crawler.steering.traps import Visit
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageRecord, PageStore


class Records:
    """Pages and their links to other sites, in a crawl's database that is thrown away in the end."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        folder = self._stack.enter_context(TemporaryDirectory())
        self.database = self._stack.enter_context(CrawlDatabase(Path(folder) / "crawl.db"))
        self._store = PageStore(self.database)

    def record(self, visit: Visit, analysis: Analysis) -> None:
        """Keep a page as a crawl would, as far as a distillation can see."""
        url = visit.url
        site = site_of(url)
        links = [link[:4] for link in analysis.scored or () if site_of(link.url) != site]
        self._store.record_links(url, links)
        self._store.record_page(
            PageRecord(
                url=url,
                requested_url=visit.requested,
                depth=analysis.depth,
                relevance=analysis.relevance,
                is_relevant=visit.is_gain,
                duplicate_of=visit.copy_of,
                fetched_at=0.0,
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
