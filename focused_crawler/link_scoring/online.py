"""Common part of the policies that learn from what each link has brought."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.columns import Rows, Table
from focused_crawler.link_scoring.directory import site_name
from focused_crawler.link_scoring.rescoring import (
    FETCHED,
    GroupOutcome,
    Holder,
    RescoringStrategy,
    part_of,
)
from focused_crawler.link_scoring.strategy import Strategy, StrategyOptions
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

REST = 0.9
"""Highest priority of links that nobody chose."""

MOST_SHOWN = 5

_PAGE = np.dtype([("key", "<i8"), ("way", "<i8"), ("p", "<f8"), ("is_relevant", "u1"), ("links", "<u4")])


class PageRead(NamedTuple):
    """The features of a page."""

    key: int
    way: int  # the same, or that of the link that was followed to it by a redirect
    p: float
    is_relevant: bool
    links: NDArray[Any]
    rest: bytes  # what else a strategy notes of it


class OnlineStrategy(RescoringStrategy):
    """Stores the features of the first link to each URL; `_learn` is told what became of it.

    `fields` are the features of a link, as numpy names and kinds; each is a column of `seen`.
    """

    fields: ClassVar[Sequence[tuple[Any, ...]]] = ()

    def __init__(self, model: TopicModel, options: StrategyOptions, **columns: NDArray[Any]) -> None:
        Strategy.__init__(self, model, options)
        self._link = np.dtype([("key", "<i8"), ("site", "<u4"), *self.fields])
        held = {field[0]: np.empty((0, *(field[2] if field[2:] else ())), field[1]) for field in self.fields}
        RescoringStrategy.__init__(
            self,
            holder=np.empty(
                0, np.int32
            ),  # row of the first page that holds it, from 1 on; 0: no link is known
            host=np.empty(0, np.int32),
            best=np.empty(0, np.float32),  # relevance of the pages that hold it
            is_relevant=np.empty(0, np.uint8),
            **held,
            **columns,
        )
        self._hosts = Table(pages=np.empty(0, np.int32), relevant=np.empty(0, np.int32))
        self._version = 1  # of what was learnt
        self._scored_by = 0  # the version by which all was last looked at
        self._is_stale = False

    # Reading

    def features(self, page: Page, links: Sequence[Link]) -> bytes:
        rows = np.zeros(len(links), self._link)
        rows["key"] = [url_key(link.url) for link in links]
        rows["site"] = [_site(link.url) for link in links]
        if links:
            self._read_links(page, links, rows)
        key = url_key(page.url)
        way = url_key(page.asked) if page.asked else key
        head = np.array([(key, way, page.relevance, page.is_relevant, len(rows))], _PAGE)
        return head.tobytes() + rows.tobytes() + self._read_more(page, links)

    @abstractmethod
    def _read_links(self, page: Page, links: Sequence[Link], rows: NDArray[Any]) -> None:
        """Fill in the features of links."""

    def _read_more(self, page: Page, links: Sequence[Link]) -> bytes:
        """Return what else is to be known of a page."""
        return b""

    def _unpack(self, features: bytes) -> PageRead:
        key, way, p, is_relevant, count = np.frombuffer(features, _PAGE, 1)[0].tolist()
        links = np.frombuffer(features, self._link, count, offset=_PAGE.itemsize)
        return PageRead(key, way, p, bool(is_relevant), links, features[_PAGE.itemsize + links.nbytes :])

    # Learning

    def learn_from(self, features: bytes) -> None:
        page = self._unpack(features)
        rows = self.seen.rows_of(np.array([page.key, page.way], np.int64))
        if self.seen["state"][rows[0]] == FETCHED:
            return
        self._pages += 1
        row = self._row_of(page)
        self._take(row)
        self._end(np.unique(rows))
        self.seen["is_relevant"][rows] = page.is_relevant
        held = self._hold(row, page)
        if self.seen["holder"][row]:  # no start page
            host = int(self.seen["host"][row])
            self._hosts["pages"][host] += 1
            self._hosts["relevant"][host] += page.is_relevant
            self._learn(row, page, held)

    def _row_of(self, page: PageRead) -> int:
        """Return the row of the link that led to a page; that of its own URL, if none is known."""
        own, way = self.seen.rows_of(np.array([page.key, page.way], np.int64)).tolist()
        return int(way if self.seen["holder"][way] else own)

    def score_from(self, features: bytes) -> list[float]:
        page = self._unpack(features)
        if not len(page.links):
            return []
        row = self._row_of(page)
        distinct, inverse = np.unique(self._hold(row, page), return_inverse=True)
        new = self._priorities(distinct)
        self._publish(distinct, new)
        scores: list[float] = new[inverse].tolist()
        return scores

    def _hold(self, row: int, page: PageRead) -> Rows:
        """Take note of a page's links; return the row of each."""
        seen = self.seen
        rows = seen.rows_of(page.links["key"])
        if not len(rows):
            return rows
        distinct, first = np.unique(rows, return_index=True)
        is_new = seen["holder"][distinct] == 0
        new, links = distinct[is_new], page.links[first[is_new]]
        np.maximum.at(seen["best"], rows, np.float32(page.p))
        if len(new):
            seen["holder"][new] = row + 1
            seen["host"][new] = self._hosts.rows_of(links["site"].astype(np.int64))
            for name, *_ in self.fields:
                seen[name][new] = links[name]
            self._held(new, rows, page)
        return rows

    def _held(self, new: Rows, rows: Rows, page: PageRead) -> None:
        """Take note of links that were not known; `rows`: of all links of the page."""

    @abstractmethod
    def _learn(self, row: int, page: PageRead, rows: Rows) -> None:
        """Take note of what the page was that a link led to; `rows`: of its own links."""

    # Scoring again

    def _begin(self) -> bool:
        self._is_stale, self._scored_by = self._scored_by != self._version, self._version
        return self._is_stale

    def _stale(self, rows: slice) -> NDArray[np.bool_]:
        return np.full(len(self.seen["state"][rows]), self._is_stale)

    def outcomes(self, url: str, holders: Sequence[Holder] = ()) -> list[GroupOutcome]:
        (row,) = self.seen.find(np.array([url_key(url)], np.int64)).tolist()
        if row < 0 or not self.seen["holder"][row]:
            return []
        size, found = len(self.seen), []
        fetched = (self.seen["state"][:size] == FETCHED) & (self.seen["holder"][:size] > 0)
        for words, belongs in self._kin(row, size):
            members = np.flatnonzero(fetched & belongs)
            relevance = float(self.seen["is_relevant"][members].mean()) if len(members) else 0.0
            keys = self.seen["key"][members[-MOST_SHOWN:]].tolist()
            found.append(GroupOutcome(words, len(members), relevance, keys))
        return found

    def _kin(self, row: int, size: int) -> list[tuple[str, NDArray[np.bool_]]]:
        """Return the groups that a link belongs to, and which of the first rows do."""
        return []

    # What is stored

    def _content(self) -> dict[str, NDArray[Any]]:
        hosts = {f"host_{name}": column for name, column in self._hosts.content().items()}
        versions = np.array([self._version, self._scored_by, self._is_stale], np.int64)
        return {**super()._content(), **hosts, "versions": versions}

    def _load(self, arrays: dict[str, NDArray[Any]]) -> None:
        super()._load(arrays)
        self._hosts.load(part_of(arrays, "host_"))
        self._version, self._scored_by, is_stale = arrays["versions"].tolist()
        self._is_stale = bool(is_stale)


def _site(url: str) -> int:
    return crc32(site_name(url).encode("utf-8", "replace"))
