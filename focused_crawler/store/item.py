"""The one record of a page: what the spider yields, the feed and the database write, and is read back.

A field with `Stored` is a column of the table `pages`. `store.tables` makes the column from it, and
`store.pages` the statements that write it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, fields
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

from focused_crawler.store.values import cut, storable, storable_integer


class Stored(NamedTuple):
    """What a field means, as its column says it, and how long a text may be."""

    comment: str
    longest: int | None = None


class _NotInFeeds:
    """What the database stores of a page and a feed does not write."""

    text: bytes
    run: int | None


@dataclass(kw_only=True)
class PageItem(_NotInFeeds):
    """A fetched page with its verdict; the feed writes its fields as they are."""

    url: Annotated[str, Stored("where it was found in the end, after redirects")]
    requested_url: Annotated[str, Stored("what was asked for")] = ""
    parent: Annotated[str | None, Stored("URL of the page that it was found on; empty: a seed")] = None
    depth: Annotated[int, Stored("links from a seed")] = 0
    title: Annotated[str, Stored("at most 1,000 characters", longest=1000)] = ""
    relevance: Annotated[float, Stored("0 to 1, by the crawl's classifier")]
    is_relevant: Annotated[bool, Stored("it reaches the threshold, and is no copy")]
    links: Annotated[int, Stored("on it, followed or not")] = 0
    status: Annotated[int, Stored("of HTTP")] = 200
    size: Annotated[int, Stored("bytes, decompressed")] = 0
    fetched_at: Annotated[float, Stored("when it was fetched")]
    checksum: Annotated[str | None, Stored("of its text, not of its markup")] = None
    duplicate_of: Annotated[
        str | None, Stored("URL of the first page with the same text, or much the same; empty: no copy")
    ] = None
    likeness: Annotated[
        float | None, Stored("to the page it is a copy of, 0 to 1; 1: verbatim; empty: no copy")
    ] = None
    is_target: Annotated[
        bool | None,
        Stored("it is known to be relevant (ground truth, or the topic's targets); empty: nothing is known"),
    ] = None
    etag: Annotated[str | None, Stored("as its server wrote it")] = None
    last_modified: Annotated[str | None, Stored("as its server wrote it")] = None
    category: Annotated[str | None, Stored("best leaf of the taxonomy; empty: judged by none")] = None
    hubness: Annotated[
        float | None,
        Stored(
            "links to other sites, a word that is no stop word and stands in no link (Badia et al.);"
            " empty: it has no such words, or was fetched before this was measured"
        ),
    ] = None
    by_content: Annotated[
        bool | None,
        Stored("it is relevant by what stands outside its links, too; empty: not known"),
    ] = None

    log_rd: Annotated[
        float | None,
        Stored("log R(d): that it belongs to a good category of the taxonomy; empty: there is none"),
    ] = None
    judge: str = ""
    """Who says `relevance` and `is_relevant`, as `runs.judge` of its run has it; empty: nobody knows."""

    text: InitVar[bytes] = b""
    """Its words, as `focused_crawler.page.stored_text` packs them; empty: none, or they are not stored."""
    run: InitVar[int | None] = None
    """Number of the run that recorded it."""

    def __post_init__(self, text: bytes, run: int | None) -> None:
        """Take what no feed writes; a page without `requested_url` was asked for by its own URL."""
        self.text, self.run = text, run
        self.requested_url = self.requested_url or self.url


GOOD = math.log(0.5)
"""log R(d) from which on a page is relevant by the taxonomy."""
LEAST = -700.0
"""A log R(d) below it is one of R(d) = 0: its exponential is none in a database."""


def focus_of(log_rd: float) -> float:
    """Return R(d) of its logarithm."""
    return math.exp(log_rd) if log_rd >= LEAST else 0.0


def judged(page: PageItem) -> tuple[float, bool]:
    """Return how relevant a page is, and whether it is relevant and no copy: by R(d) where there is one.

    Monitor and distiller go by it. The view `judged_pages` says the same of recorded pages.
    """
    if page.log_rd is None:
        return page.relevance, page.is_relevant and page.duplicate_of is None
    return focus_of(page.log_rd), page.log_rd >= GOOD and page.duplicate_of is None


@dataclass(kw_only=True)
class StoredPage(PageItem):
    """A page read back; `position` counts from 1 in order of recording, over all runs."""

    position: int
    host: str


class PageColumn(NamedTuple):
    """The column of a field of `PageItem`."""

    name: str
    kind: type  # str, int, float or bool
    is_optional: bool
    stored: Stored

    @property
    def conversion(self) -> Callable[[Any], Any]:
        """Return what makes a value of the database from one that is not None."""
        if self.kind is str:
            return cut(self.stored.longest) if self.stored.longest else storable
        return storable_integer if self.kind is int else int if self.kind is bool else self.kind


def _page_columns() -> Iterator[PageColumn]:
    hints = get_type_hints(PageItem, include_extras=True)
    for field in fields(PageItem):
        if not (annotated := get_args(hints[field.name])):  # a run has it for all its pages
            continue
        type_, stored = annotated
        kind, *none = get_args(type_) or (type_,)
        yield PageColumn(field.name, kind, bool(none), stored)


PAGE_COLUMNS = tuple(_page_columns())
"""One a field with `Stored`, in their order."""


class PageRow:
    """Reads some fields of items as values of the database."""

    def __init__(self, *names: str) -> None:
        columns = {column.name: column for column in PAGE_COLUMNS}
        self.names = names
        self._get = attrgetter(*names)
        self._conversions = [columns[name].conversion for name in names]

    def values(self, item: PageItem) -> list[Any]:
        """Return the values of the fields, in the order of `names`."""
        found = zip(self._conversions, self._get(item), strict=True)
        return [None if value is None else convert(value) for convert, value in found]
