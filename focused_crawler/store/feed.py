"""`pages.jsonl`: every recorded page once, one JSON object a line."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from itertools import chain
from pathlib import Path
from shutil import copyfile
from typing import Any, BinaryIO

from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.whole_file import unfinished
from focused_crawler.store.item import PageItem, StoredPage
from focused_crawler.store.job import unwritable

FEED = "pages.jsonl"
SCHEME = "crawl"
_FIELDS = tuple(field.name for field in fields(PageItem))


def correct_feed(path: Path, pages: Iterable[StoredPage]) -> None:
    """Make the feed hold just these pages; CrawlError where it cannot be written.

    The feed is no part of the database's transactions: a run that is killed leaves lines out or torn, and one
    whose last pages are not committed leaves too many. Those are cut off, which needs no room on a full disk;
    else all is written anew, in one step. Done as a run begins, and as one ends that could not commit.
    """
    lines = (page_line(page) for page in pages)
    try:
        right, missing = _agreeing(path, lines)
        if path.is_file() and not missing:
            os.truncate(path, right)
            return
        with unfinished(path) as temporary:
            if right:
                copyfile(path, temporary)
            os.truncate(temporary, right)
            with temporary.open("ab") as file:
                file.writelines(chain([missing], lines))
    except OSError as error:
        raise unwritable(path, error) from None


def page_line(page: PageItem) -> bytes:
    """Return the line of a page, with its end."""
    return json.dumps({name: getattr(page, name) for name in _FIELDS}).encode() + b"\n"


def _agreeing(path: Path, lines: Iterator[bytes]) -> tuple[int, bytes]:
    """Return how many bytes of a feed are these lines, and the first line that it does not have."""
    right = 0
    with path.open("rb") if path.is_file() else io.BytesIO() as file:
        for line in lines:
            if file.read(len(line)) != line:
                return right, line
            right += len(line)
    return right, b""


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
