"""A search over text files in a folder: a provider small enough to see through."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.discovery.harvest import SearchAnswer
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.safety.errors import SearchError


class Shelf:
    """Finds files with all words of a query, those that have them most often first."""

    name = "shelf"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.asked: list[str] = []

    def search(self, query: str, n: int) -> list[SearchResult]:
        self.asked.append(query)
        words = query.replace('"', "").lower().split()
        found = []
        for file in sorted(self._folder.glob("*.txt")):
            url, title, *text = file.read_text(encoding="utf-8").splitlines()
            body = " ".join([title, *text]).lower()
            if all(word in body for word in words):
                found.append((-sum(map(body.count, words)), SearchResult(url, title, " ".join(text)[:200])))
        return [result for _, result in sorted(found, key=lambda one: one[0])][:n]

    def close(self) -> None:
        """Files are open while they are read only."""


class OutOfOrder(Shelf):
    """Has no answer to some queries; an answer to one of `final` would be of no use either."""

    def __init__(self, folder: Path, broken: set[str], final: set[str] = frozenset()) -> None:
        super().__init__(folder)
        self._broken, self._final = broken, final

    def search(self, query: str, n: int) -> list[SearchResult]:
        if query in self._broken | self._final:
            self.asked.append(query)
            raise SearchError(f"no shelf for {query}", is_final=query in self._final)
        return super().search(query, n)


def fill(folder: Path, **texts: str) -> Path:
    """Write a file a page, with its URL, its title and its text."""
    for name, text in texts.items():
        host, _, page = name.partition("__")
        url = f"https://{host}.example/{page}"
        (folder / f"{name}.txt").write_text(f"{url}\n{name}\n{text}\n", encoding="utf-8")
    return folder


def answer(query: str, *urls: str) -> SearchAnswer:
    return SearchAnswer(query, tuple(SearchResult(url, f"title of {url}", "snippet") for url in urls))
