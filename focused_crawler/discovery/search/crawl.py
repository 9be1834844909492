"""A search over the pages of a crawl, also while it runs. Its index, search.db, lies in its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from focused_crawler.discovery.search.crawl_index import CrawlIndex
from focused_crawler.discovery.search.local import FoundPage, LocalSearch
from focused_crawler.discovery.search.wording import Wording
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import PageTexts
from focused_crawler.store.job import read_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.topic.topic import load_topic

FILE = "search.db"


def search_crawl(folder: Path, *, only_relevant: bool = False) -> LocalSearch:
    """Open the search over a crawl's pages; its index is brought up to date first. Raises CrawlError.

    `only_relevant`: pages that the crawl took for relevant, and no others.
    """
    language = _language(folder)
    database = read_crawl(folder)
    try:
        _check(folder, database)
        index = CrawlIndex(folder / FILE, database, language)
    except BaseException:
        database.close()
        raise
    return LocalSearch(_CrawlPages(database, index, only_relevant=only_relevant), Analyzer(language))


class _CrawlPages:
    def __init__(self, database: CrawlDatabase, index: CrawlIndex, *, only_relevant: bool) -> None:
        self._database = database
        self._index = index
        self._only_relevant = only_relevant

    def find(self, wording: Wording, n: int) -> list[int]:
        return self._index.find(wording, n, only_relevant=self._only_relevant)

    def pages(self, numbers: Sequence[int]) -> Iterator[FoundPage]:
        for page in PageTexts(self._database).of(numbers):
            yield FoundPage(page.position, page.url, page.title, page.text)

    def close(self) -> None:
        self._index.close()
        self._database.close()


def _language(folder: Path) -> str:
    """Return the language of a crawl's topic, English where nobody knows it any more."""
    run = read_run(folder)
    if run is None:
        raise CrawlError(f"{folder} is no crawl's folder (it has no run.json); give one like crawls/asthma/1")
    if run.language:
        return run.language
    try:
        return load_topic(str(run.settings.get("FOCUSED_TOPIC") or run.topic)).language
    except TopicError:
        return "en"


def _check(folder: Path, database: CrawlDatabase) -> None:
    """Raise CrawlError that says what to do where there are no texts to search."""
    if database.rows("SELECT 1 FROM page_texts LIMIT 1"):
        return
    if not database.rows("SELECT 1 FROM pages LIMIT 1"):
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    raise CrawlError(
        f"{folder} has kept no words of its pages: it was crawled with FOCUSED_KEEP_TEXTS=False, or by an"
        " older version; crawl once more, with -a job=NAME and without that setting"
    )
