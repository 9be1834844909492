"""Pages that an earlier crawl has, and that have not changed since: they are no pages of this one.

Badia et al. 2006 run their crawler again and again, and "check if a page in the queue is already in our
database" by its URL and date of last modification. What is known is asked for on conditions (RFC 9110, 13),
and its links are taken from the earlier crawl, so that this one gets past it to what is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.steering.revisit_store import Validators
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.content import NOT_MODIFIED, PAGE_STATUSES
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, read_run
from focused_crawler.store.opening import read_crawl, remember_address
from focused_crawler.store.values import storable

MOST_CRAWLS = 100
"""So many crawls are read, each of which knew the one before it."""

_SETTING = "FOCUSED_KNOWN"
_PAGE = """
SELECT etag, last_modified FROM pages
WHERE key = ? AND (etag IS NOT NULL OR last_modified IS NOT NULL)
"""
_LINKS = """
SELECT t.url, l.anchor, l.block, l.score FROM links AS l
JOIN urls AS s ON s.id = l.source JOIN urls AS t ON t.id = l.target WHERE s.key = ? ORDER BY l.number
"""


class EarlierPage(NamedTuple):
    """What is known of a page that is asked for now."""

    key: int
    crawl: int  # which one has it
    validators: Validators

    def is_at(self, url: str) -> bool:
        """Tell whether an answer from that URL is of this page."""
        return self.key == url_key(storable(normalise(url) or url))

    def is_same(self, status: int, url: str, validators: Validators) -> bool:
        """Tell whether an answer from that URL is this page, as it was."""
        if not self.is_at(url):
            return False
        is_page = status in PAGE_STATUSES
        return status == NOT_MODIFIED or (is_page and is_same_version(validators, self.validators))


class KnownPages:
    """Looks pages up in earlier crawls, the newest first: one query a URL.

    Their databases are opened when first asked. Raises CrawlError for one that cannot be read.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = tuple(folders)
        self._databases: list[CrawlDatabase] = []

    def find(self, url: str) -> EarlierPage | None:
        """Return what is known of the page of a URL; None: nothing."""
        key = url_key(storable(url))
        for crawl, database in enumerate(self._opened()):
            found = database.rows(_PAGE, (key,))
            if found:
                return EarlierPage(key, crawl, Validators(*found[0]))
        return None

    def links(self, page: EarlierPage) -> list[tuple[str, str, int, float | None]]:
        """Return the links of a page, in reading order: URL, text, block and score in that crawl."""
        return self._databases[page.crawl].rows(_LINKS, (page.key,))

    def close(self) -> None:
        """Let go of the files."""
        while self._databases:
            self._databases.pop().close()

    def _opened(self) -> Sequence[CrawlDatabase]:
        for folder in self._folders[len(self._databases) :]:
            self._databases.append(read_crawl(folder))
        return self._databases


def is_same_version(now: Validators, then: Validators) -> bool:
    """Tell whether two versions of a page are one: by the date, else by the tag, weak or not.

    >>> is_same_version(Validators('W/"1"', None), Validators('"1"', "Mon, 06 Jan 2025 10:00:00 GMT"))
    True
    """
    if now.last_modified and then.last_modified:
        return now.last_modified == then.last_modified
    return bool(now.etag and then.etag) and _strong(now) == _strong(then)


def known_folders(folder: Path, topic: str, address: str = "") -> tuple[Path, ...]:
    """Return the folder of a crawl and of those that it knew itself, as far as they are there.

    Raises ConfigError where the first is no crawl of the topic, CrawlError where one cannot be read.
    `address`: of the PostgreSQL database that this crawl is given, which may be theirs.
    """
    if address:
        remember_address(address)
    run = read_run(folder)
    if run is None:
        raise ConfigError(f"{_SETTING} is {str(folder)!r}, which holds no crawl; use one as crawls/{topic}/1")
    if run.topic != topic:
        raise ConfigError(f"{_SETTING} is {str(folder)!r}, a crawl of {run.topic}; use one of {topic}")
    folders = tuple(_chain(folder, run))
    for each in folders:
        read_crawl(each).close()
    return folders


def _chain(folder: Path, run: RunInfo | None) -> Iterator[Path]:
    seen: set[Path] = set()
    while run is not None and folder.resolve() not in seen and len(seen) < MOST_CRAWLS:
        seen.add(folder.resolve())
        yield folder
        earlier = run.settings.get(_SETTING)
        folder = Path(earlier or folder).expanduser()
        run = read_run(folder)


def _strong(validators: Validators) -> str:
    return (validators.etag or "").removeprefix("W/")
