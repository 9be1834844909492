"""A search over a recorded web: all its pages, as a crawl would read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

from focused_crawler.discovery.search.local import FoundPage, LocalSearch
from focused_crawler.discovery.search.text_index import FORMAT, Document, TextIndex, create_tables, url_terms
from focused_crawler.discovery.search.wording import Wording
from focused_crawler.page.model import Page, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.progress import shown
from focused_crawler.virtualweb.analysed.file import code_version
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.cache_file import open_cache


def search_web(path: Path, language: str = "en") -> LocalSearch:
    """Open the search over a WARC file; the first time all its pages are read and an index is made.

    It is kept beside the web, else in the user's cache, as its analysed pages are. Raises WebError.
    """
    reading = Reading(language=language)
    return LocalSearch(_WebPages(AnalysedWeb(path, reading)), Analyzer(language))


class _WebPages:
    def __init__(self, web: AnalysedWeb) -> None:
        self._web = web
        kind = f"search-{blake2b(repr(web.reading).encode(), digest_size=4).hexdigest()}"
        try:
            self._db, self._index = open_cache(
                web.path, kind, index_version(), partial(_fill, web=web), _load
            )
        except BaseException:
            web.close()
            raise

    def find(self, wording: Wording, n: int) -> list[int]:
        return self._index.find(wording, n)

    def pages(self, numbers: Sequence[int]) -> Iterator[FoundPage]:
        for number in numbers:
            page = self._web.page(number)
            yield FoundPage(number, self._web.urls[number], page.title, page.text)

    def close(self) -> None:
        self._db.close()
        self._web.close()


def index_version() -> int:
    """Return a number that changes with the code that makes terms, and with the index's own format."""
    return int.from_bytes(blake2b(repr((FORMAT, code_version())).encode(), digest_size=7).digest())


def _fill(db: sqlite3.Connection, web: AnalysedWeb) -> None:
    create_tables(db)
    index = TextIndex(db)
    numbers = shown(range(len(web)), f"Words of {web.path.name}", len(web), int)
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
            yield Document(number, title, _words(page), url)


def _words(page: Page) -> Terms:
    return [term for block in page.blocks for term in block.terms]


def _load(db: sqlite3.Connection) -> tuple[sqlite3.Connection, TextIndex]:
    return db, TextIndex(db)
