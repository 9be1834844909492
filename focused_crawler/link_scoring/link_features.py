"""What an order that learns goes by: a page and its links as numbers, packed to cross between processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.directory import DirectoryPage
from focused_crawler.link_scoring.evidence import LinkEvidence
from focused_crawler.page.model import Link, Page

_LINK = np.dtype(
    [
        ("key", "<i8"),
        ("place", "<u4"),
        ("folder", "<u4"),
        ("wording", "<u4"),
        ("same", "u1"),
        ("text", "<f2"),
        ("odds", "<f4"),
    ]
)
_PAGE = np.dtype([("key", "<i8"), ("p", "<f8"), ("host", "<u4"), ("folder", "<u4"), ("links", "<u4")])


class LinkFeatures(NamedTuple):
    """The features of a page and of its links."""

    key: int  # see `page.url.url_key`
    p: float  # relevance
    host: int
    folder: int
    links: NDArray[Any]  # `_LINK`: place on the page, whether on the same host, likeness, log odds
    directory: DirectoryPage | None

    @classmethod
    def of(
        cls, evidence: LinkEvidence, page: Page, links: Sequence[Link], directory: DirectoryPage | None
    ) -> Self:
        """Return those of a page; `directory`: what it shows, if it is one."""
        own, rows = evidence.of_url(page.url), np.empty(len(links), _LINK)
        if links:
            targets, likenesses, odds, wordings = zip(*map(evidence.of_link, links), strict=True)
            rows["key"] = [target.key for target in targets]
            rows["place"] = [link.place for link in links]
            rows["folder"] = [target.folder for target in targets]
            rows["same"] = [target.host == own.host for target in targets]
            rows["text"], rows["odds"], rows["wording"] = likenesses, odds, wordings
        return cls(own.key, page.relevance, own.host, own.folder, rows, directory)

    def to_bytes(self) -> bytes:
        """Return them as `from_bytes` reads them."""
        head = np.array([(self.key, self.p, self.host, self.folder, len(self.links))], _PAGE)
        shown = b"" if self.directory is None else self.directory.to_bytes()
        return head.tobytes() + self.links.tobytes() + shown

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` made; `links` is a view of `data`."""
        key, p, host, folder, count = np.frombuffer(data, _PAGE, 1)[0].tolist()
        links = np.frombuffer(data, _LINK, count, offset=_PAGE.itemsize)
        rest = data[_PAGE.itemsize + count * _LINK.itemsize :]
        return cls(key, p, host, folder, links, DirectoryPage.from_bytes(rest) if rest else None)
