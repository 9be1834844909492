"""Searches over pages at hand: those of a crawl, also while it runs, or of a recorded web."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.crawl_index import CrawlIndex
from focused_crawler.discovery.search.text_index import (
    Document,
    TextIndex,
    create_tables,
    index_version,
    url_terms,
)
from focused_crawler.discovery.search.wording import Wording, read_wording, snippet
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety import progress
from focused_crawler.safety.errors import ConfigError, CrawlError, SearchError, TopicError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import read_run_of, run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.topic.file import shown
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.cache_file import open_cache

FILE = "search.db"
"""The index of a crawl, in its folder."""
_RELEVANT = "SELECT position FROM pages WHERE is_relevant = 1 AND position {}"


class LocalSearch(ABC):
    """The search provider "local": over pages and their index."""

    name = "local"

    def __init__(self, language: str) -> None:
        self.analyzer = Analyzer(language)

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` pages with all words and phrases of the query, then some with most of them."""
        wording, numbers = self._found(query, n)
        found = {
            number: SearchResult(url, title, snippet(text, wording.terms, self.analyzer))
            for number, url, title, text in self._pages(numbers)
        }
        return [found[number] for number in numbers if number in found]

    def _found(self, query: str, n: int) -> tuple[Wording, list[int]]:
        """Return what a query asks for, and the numbers of the pages; raises SearchError."""
        wording = read_wording(query, self.analyzer)
        if not wording.units:
            raise SearchError(f"{shown(query)} has no word that pages could be told apart by; give others")
        try:
            return wording, self._find(wording, n)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise SearchError(f"the search index cannot be used ({error})", is_final=True) from error

    @abstractmethod
    def close(self) -> None:
        """Close its files."""

    @abstractmethod
    def _find(self, wording: Wording, n: int) -> list[int]:
        """Return the numbers of up to `n` pages, the best first; raises SearchError."""

    @abstractmethod
    def _pages(self, numbers: Sequence[int]) -> Iterable[tuple[int, str, str, str]]:
        """Return number, URL, title and text of pages in any order, without those that cannot be read."""


def local_search(topic: Topic, web: Path | None, crawl: Path | None = None) -> LocalSearch:
    """Open the search over a crawl of the topic, else over a recorded web; ConfigError without either."""
    if crawl is not None:
        read_run_of(crawl, topic.name)
        return search_crawl(crawl)
    if web is not None:
        return search_web(web, topic.language)
    raise ConfigError(
        "nothing to search: -s FOCUSED_SEARCH=ddgs asks the live web, -s FOCUSED_WEB=FILE.warc.gz a recorded"
        " one"
    )


def search_crawl(folder: Path, *, only_relevant: bool = False, most: int | None = None) -> CrawlSearch:
    """Open the search over a crawl's pages; its index is brought up to date first. Raises CrawlError.

    `only_relevant`: only pages that the crawl judged relevant. `most`: so many pages are added to the index.
    """
    return CrawlSearch(folder, only_relevant=only_relevant, most=most)


def bring_up_to_date(folder: Path) -> None:
    """Add to the index of a crawl all pages that it lacks; raises CrawlError."""
    search_crawl(folder).close()


class CrawlSearch(LocalSearch):
    """The search over a crawl's pages."""

    def __init__(self, folder: Path, *, only_relevant: bool, most: int | None) -> None:
        language = _language(folder)
        super().__init__(language)
        self._database = read_crawl(folder)
        self._only_relevant = only_relevant
        try:
            _check(folder, self._database)
            self._index = CrawlIndex(folder / FILE, self._database, language, most=most)
        except BaseException:
            self._database.close()
            raise

    def close(self) -> None:
        self._index.close()
        self._database.close()

    @property
    def missing(self) -> int:
        """Return how many pages with words the index does not have yet."""
        return self._index.missing

    def positions(self, query: str, n: int) -> list[int]:
        """Return the positions of up to `n` pages, in the order of `search`; raises SearchError."""
        return self._found(query, n)[1]

    def _find(self, wording: Wording, n: int) -> list[int]:
        found = self._index.find(wording, n)
        if not self._only_relevant:
            return found
        wanted, relevant = n, self._relevant(found)
        while len(relevant) < n and len(found) == wanted:  # there may be more behind them
            wanted *= 4
            found = self._index.find(wording, wanted)
            relevant = self._relevant(found)
        return relevant[:n]

    def _relevant(self, positions: Sequence[int]) -> list[int]:
        """Return those that are relevant as the crawl has it now: its pages may be judged anew."""
        database = self._database
        query = _RELEVANT.format(database.among)
        rows = database.rows(query, (database.many(positions),))
        relevant = {position for (position,) in rows}
        return [position for position in positions if position in relevant]

    def _pages(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, str, str]]:
        for page in PageTexts(self._database).of(numbers):
            yield page.position, page.url, page.title, page.text


def _language(folder: Path) -> str:
    """Return the language of a crawl's topic, English where it is unknown."""
    run = run_of(folder)
    if run.language:
        return run.language
    try:
        return load_topic(run.topic_name).language
    except TopicError:
        return "en"


def _check(folder: Path, database: CrawlDatabase) -> None:
    """Raise CrawlError, with the cure, where there are no texts to search."""
    if database.rows("SELECT 1 FROM page_texts LIMIT 1"):
        return
    if not database.rows("SELECT 1 FROM pages LIMIT 1"):
        raise CrawlError(f"{folder} has no pages yet; run its crawl, or wait for the first ones")
    raise CrawlError(
        f"{folder} has no words of its pages: it was crawled with FOCUSED_KEEP_TEXTS=False, or by an"
        " older version; crawl once more, with -a job=NAME and without that setting"
    )


def search_web(path: Path, language: str = "en") -> LocalSearch:
    """Open the search over a WARC file; the first time all its pages are read and an index is made.

    The index lies beside the web, else in the user's cache, as its analysed pages do. Raises WebError.
    """
    return _WebSearch(path, language)


class _WebSearch(LocalSearch):
    def __init__(self, path: Path, language: str) -> None:
        super().__init__(language)
        self._web = AnalysedWeb(path, Reading(language=language))
        kind = f"search-{blake2b(repr(self._web.reading).encode(), digest_size=4).hexdigest()}"
        try:
            self._db, self._index = open_cache(
                path, kind, index_version(), partial(_fill, web=self._web), lambda db: (db, TextIndex(db))
            )
        except BaseException:
            self._web.close()
            raise

    def close(self) -> None:
        self._db.close()
        self._web.close()

    def _find(self, wording: Wording, n: int) -> list[int]:
        return self._index.find(wording, n)

    def _pages(self, numbers: Sequence[int]) -> Iterator[tuple[int, str, str, str]]:
        for number in numbers:
            page = self._web.page(number)
            yield number, self._web.urls[number], page.title, page.text


def _fill(db: sqlite3.Connection, web: AnalysedWeb) -> None:
    create_tables(db)
    index = TextIndex(db)
    numbers = progress.shown(range(len(web)), f"Words of {web.path.name}", len(web), int)
    index.add(_documents(web, numbers))


def _documents(web: AnalysedWeb, numbers: Iterator[int]) -> Iterator[Document]:
    """Yield each text once, with the first page that has it; pages without words are left out."""
    analyzer = Analyzer(web.reading.language)
    seen: set[bytes] = set()
    for number in numbers:
        page = web.page(number)
        mark = blake2b(page.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if page.text and mark not in seen:
            seen.add(mark)
            title, url = analyzer.terms(page.title), url_terms(web.urls[number], analyzer)
            body = [term for block in page.blocks for term in block.terms]
            yield Document(number, title, body, url)
