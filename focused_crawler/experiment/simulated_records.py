"""What a simulated crawl records, in the place of a crawl's recorder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.link_scoring.base import HeldLink
from focused_crawler.page.url import site_of, url_key
from focused_crawler.safety.closing import Closing
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore


class SimulatedRecords(Closing):
    """Records nothing of visits but what a distillation reads, where one is made.

    That lies in a crawl's database that is thrown away in the end: pages, and their links to other sites.
    """

    def __init__(self, *, is_distilled: bool) -> None:
        self._stack = ExitStack()
        self._first: dict[str, str] = {}  # checksum -> URL of the first page with it
        self._recorded: set[str] = set()
        self._held: dict[int, tuple[float, int]] = {}  # key -> sum of its scores on pages, and how many
        self.original = self._first.get
        self.database: CrawlDatabase | None = None
        if is_distilled:
            folder = self._stack.enter_context(TemporaryDirectory())
            self.database = self._stack.enter_context(CrawlDatabase(Path(folder) / "crawl.db"))
            self._store = PageStore(self.database)

    def write(self, entry: Callable[[], object]) -> None:
        entry()

    def has(self, url: str) -> bool:
        return url in self._recorded

    def page(self, item: PageItem) -> bool:
        self._recorded.add(item.url)
        if item.duplicate_of is None and item.checksum:
            self._first.setdefault(item.checksum, item.url)
        if self.database is not None:
            self._store.record_page(item)
        return True

    def links(self, source: str, links: Sequence[ScoredLink], first: int) -> None:
        if self.database is not None:
            site = site_of(source)
            self._store.record_links(source, [link[:4] for link in links if site_of(link.url) != site])

    def holds(self, scores: Mapping[str, float], *, is_new: bool) -> Sequence[HeldLink]:
        assert is_new  # nothing is revisited
        again = []
        for key, url in {url_key(url): url for url in scores}.items():
            total, pages = self._held.get(key, (0.0, 0))
            self._held[key] = total, pages = total + scores[url], pages + 1
            if pages > 1:
                again.append(HeldLink(url, total, pages))
        return again

    def _ignore(self, *_: object, **__: object) -> None:
        """Do nothing: it is not distilled, nobody asks why, and a killed simulation begins anew."""

    expect = learnt = failure = decision = known = listed = ended = _ignore

    def close(self) -> None:
        self._stack.close()
