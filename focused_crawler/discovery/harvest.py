"""The harvesting phase of Badia et al. 2006: many small searches, and the first few results of each."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from focused_crawler.discovery.search.base import PartOfResults, SearchProvider, SearchResult
from focused_crawler.safety.errors import SearchError
from focused_crawler.safety.printable import place, printable
from focused_crawler.safety.whole_file import unfinished

FILE_NAME = "searches.jsonl"
DAY = 86_400  # seconds
MAX_BYTES = 50_000_000

_FIELDS = {"provider": str, "query": str, "n": int, "asked": int | float, "results": list}
"""Of the record of an answer: a line of the file."""


class Answers:
    """The answers of a provider within the last day. A search whose line is lost is made again."""

    def __init__(self, path: Path, provider: str) -> None:
        """Read the file if it is there; raises SearchError where it cannot be written to."""
        self._path, self._provider = path, provider
        records, lines = _records(path)
        fresh = [record for record in records if time.time() - DAY < record["asked"] <= time.time()]
        self._answers = {(record["provider"], record["query"]): record for record in fresh}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            if len(self._answers) < lines:
                self._rewrite()
        except OSError as error:
            raise self._lost(error) from None

    def get(self, query: str, n: int) -> list[SearchResult] | None:
        """Return the best `n` of an answer that was as long as that or whole, None where there is none."""
        record = self._answers.get((self._provider, query))
        if record is None or (record["n"] < n and len(record["results"]) >= record["n"]):
            return None
        return [SearchResult(url, title, text) for url, title, text in record["results"][:n]]

    def store(self, query: str, n: int, results: Sequence[SearchResult]) -> None:
        """Append an answer to the file."""
        found = [(result.url, result.title, result.snippet) for result in results]
        record = {"provider": self._provider, "query": query, "n": n, "asked": time.time(), "results": found}
        self._answers[self._provider, query] = record
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(record)}\n")
        except OSError as error:
            raise self._lost(error) from None

    def _rewrite(self) -> None:
        """Drop old answers; a kill at any time loses nothing."""
        text = "".join(f"{json.dumps(record)}\n" for record in self._answers.values())
        with unfinished(self._path) as whole:
            whole.write_text(text, encoding="utf-8")

    def _lost(self, error: OSError) -> SearchError:
        return SearchError(
            f"{place(self._path)} cannot be written ({error.strerror}), so answers would be lost and asked"
            " for again; make room for it, or let FOCUSED_MODELS name another folder",
            is_final=True,
        )


def _records(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the valid answers, and the number of lines, with an unfinished last one.

    A file above `MAX_BYTES` counts as empty.
    """
    try:
        text = path.read_text("utf-8", "replace") if path.stat().st_size <= MAX_BYTES else "\n"
    except OSError:
        return [], 0
    *lines, begun = text.split("\n")
    records = [record for line in lines if (record := _answer_of(line)) is not None]
    return records, len(lines) + bool(begun)


def _answer_of(line: str) -> dict[str, Any] | None:
    """Return the answer that a line holds, None for any other line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_record = isinstance(record, dict) and all(
        isinstance(record.get(name), kind) for name, kind in _FIELDS.items()
    )
    return record if is_record and all(map(_is_result, record["results"])) else None


def _is_result(result: Any) -> bool:
    return isinstance(result, list) and len(result) == 3 and all(isinstance(text, str) for text in result)


MOST_FAILURES = 5
"""Searches that may fail in succession before the harvest ends."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The results of a search, the best first."""

    query: str
    results: tuple[SearchResult, ...]
    is_cached: bool = False  # from earlier today, not asked for again
    provider: str = ""  # who was asked


@dataclass(slots=True)
class Harvest:
    """The answers to a number of searches, in the order asked."""

    answers: list[SearchAnswer] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)  # query, why it has no answer
    ended: str = ""  # why the remaining searches were not made; empty: all were

    def failed(self) -> Iterator[str]:
        """Yield in words what has no answer, a line each."""
        for query, why in self.failures:
            yield f"No answer to {printable(query)}: {printable(why)}"
        if self.ended:
            yield "No more was asked."

    @classmethod
    def of(cls, parts: Sequence[Harvest]) -> Harvest:
        """Return what several providers answered, one after the other."""
        answers = [answer for part in parts for answer in part.answers]
        failures = [failure for part in parts for failure in part.failures]
        return cls(answers, failures, " ".join(filter(None, (part.ended for part in parts))))


def harvest(
    provider: SearchProvider,
    searches: Iterable[str],
    top: int,
    cache: Answers | None = None,
) -> Harvest:
    """Ask for the `top` results of each search.

    A live provider keeps its own pace. A final error, or `MOST_FAILURES` in succession, ends the harvest
    with the answers so far.
    """
    found = Harvest()
    in_succession = 0
    for query in searches:
        try:
            found.answers.append(_answer(provider, query, top, cache))
            in_succession = 0
        except SearchError as error:
            found.failures.append((query, str(error)))
            in_succession += 1
            if error.is_final or in_succession == MOST_FAILURES:
                found.ended = str(error)
                break
    return found


def _answer(provider: SearchProvider, query: str, top: int, cache: Answers | None) -> SearchAnswer:
    if cache is not None and (known := cache.get(query, top)) is not None:
        return SearchAnswer(query, tuple(known), is_cached=True, provider=provider.name)
    found = provider.search(query, top)
    results, is_part = found[:top], isinstance(found, PartOfResults)
    if cache is not None and not is_part:
        cache.store(query, top, results)
    return SearchAnswer(query, tuple(results), provider=provider.name)
