"""`pages.jsonl`: every recorded page once, one JSON object a line."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.item import PageItem, StoredPage
from focused_crawler.store.job import unwritable

FEED = "pages.jsonl"
SCHEME = "crawl"
_FIELDS = tuple(field.name for field in fields(PageItem))


def rewrite_feed(path: Path, pages: Iterable[StoredPage]) -> None:
    """Make the feed hold just these pages, in one step; CrawlError where it cannot be written.

    A killed run leaves lines out or torn, because the feed is no part of the database's transactions; this is
    done before a resumed run appends to it.
    """
    try:
        with unfinished(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            for page in pages:
                file.write(json.dumps({name: getattr(page, name) for name in _FIELDS}) + "\n")
    except OSError as error:
        raise unwritable(path, error) from None


class FeedStorage:
    """Where Scrapy appends to the feed: what cannot be written is reported, and raises nothing.

    Nothing is lost by that: the next run writes the feed anew.
    """

    def __init__(self, report: Callable[[CrawlError], None], address: str, **_: Any) -> None:
        """Take the function that receives errors, and an address of the form crawl:PATH."""
        self._report = report
        self._path = Path(address.removeprefix(f"{SCHEME}:"))

    def open(self, spider: object) -> BinaryIO:
        """Return the feed, to be appended to."""
        try:
            return _Feed(self._path, self._failed)
        except OSError as error:
            self._failed(error)
            return _Feed(Path(os.devnull), self._failed)

    def store(self, file: BinaryIO) -> None:
        """Close the feed."""
        file.close()

    def _failed(self, error: OSError) -> None:
        self._report(unwritable(self._path, error))


class _Feed(io.FileIO):
    """A file that takes all that is written, whether there is room or not.

    It has no buffer, so that a full disk shows with a page, not when the crawl has ended.
    """

    def __init__(self, path: Path, failed: Callable[[OSError], None]) -> None:
        super().__init__(path, "a")
        self._failed = failed

    def write(self, data: Any) -> int:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[super().write(rest) :]
        except OSError as error:
            self._failed(error)
        return len(data)
