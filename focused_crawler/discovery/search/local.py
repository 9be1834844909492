"""A search over pages that are at hand: those of a crawl, or of a recorded web."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.wording import Wording, read_wording, snippet
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import SearchError
from focused_crawler.topic.file import shown


class FoundPage(NamedTuple):
    """A page by its number, with its words."""

    number: int
    url: str
    title: str
    text: str


class Collection(Protocol):
    """Pages and their index."""

    def find(self, wording: Wording, n: int) -> list[int]:
        """Return up to `n` pages, the best first; raises SearchError."""

    def pages(self, numbers: Sequence[int]) -> Iterable[FoundPage]:
        """Return pages in any order; those that cannot be read are left out."""

    def close(self) -> None:
        """Let go of its files."""


class LocalSearch:
    """The search provider "local"."""

    name = "local"

    def __init__(self, collection: Collection, analyzer: Analyzer) -> None:
        self._collection = collection
        self.analyzer = analyzer

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` pages with all words and phrases of the query, then some with most of them."""
        wording = read_wording(query, self.analyzer)
        if not wording.units:
            raise SearchError(f"{shown(query)} has no word that pages could be told apart by; give others")
        try:
            numbers = self._collection.find(wording, n)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise SearchError(f"the search index cannot be used ({error})", is_final=True) from error
        found = {page.number: page for page in self._collection.pages(numbers)}
        return [self._result(found[number], wording) for number in numbers if number in found]

    def close(self) -> None:
        self._collection.close()

    def _result(self, page: FoundPage, wording: Wording) -> SearchResult:
        return SearchResult(page.url, page.title, snippet(page.text, wording.terms, self.analyzer))
