"""The contract of a search: words in, pages out, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page that a search found. All of it is of others' making: escape it where it is shown."""

    url: str
    title: str = ""
    snippet: str = ""
    score: float | None = None  # higher is better, within one answer; None: the order is all there is


class SearchProvider(Protocol):
    """Somebody who can be asked for pages."""

    name: str

    def search(self, query: str, n: int) -> list[SearchResult]:
        """Return up to `n` results, best first, none where nothing is found; raises SearchError."""

    def close(self) -> None:
        """Let go of files and connections."""
