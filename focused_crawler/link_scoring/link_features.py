"""What an order that learns goes by: a page and its links as numbers, packed to cross between processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.link_scoring.directory import DirectoryPage
from focused_crawler.link_scoring.evidence import OfLink, OfUrl
from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import url_key

_LINK = np.dtype(
    [
        ("key", "<i8"),
        ("place", "<u4"),
        ("folder", "<u4"),
        ("wording", "<u4"),
        ("site", "<u4"),
        ("text", "<f2"),
        ("odds", "<f4"),
    ]
)
_PAGE = np.dtype([("key", "<i8"), ("p", "<f8"), ("host", "<u4"), ("folder", "<u4"), ("links", "<u4")])
_WAY = np.dtype("<i8")
_REDIRECTED = 1 << 31  # beside the number of links: a `way` follows


class LinkFeatures(NamedTuple):
    """The features of a page and of its links."""

    key: int  # see `page.url.url_key`
    way: int  # that of the link that led here: another, if a redirect came between
    p: float  # relevance
    host: int
    folder: int
    links: NDArray[Any]  # `_LINK`: place on the page, host that it leads to, likeness, log odds
    directory: DirectoryPage | None

    @classmethod
    def of(
        cls,
        own: OfUrl,
        page: Page,
        links: Sequence[Link],
        found: Sequence[OfLink],
        directory: DirectoryPage | None,
    ) -> Self:
        """Return those of a page and what is found of its links; `directory`: what it shows, if it is one."""
        rows = np.empty(len(links), _LINK)
        if links:
            targets, likenesses, odds, wordings = zip(*found, strict=True)
            rows["key"] = [target.key for target in targets]
            rows["place"] = [link.place for link in links]
            rows["folder"] = [target.folder for target in targets]
            rows["site"] = [target.host for target in targets]
            rows["text"], rows["odds"], rows["wording"] = likenesses, odds, wordings
        way = url_key(page.asked) if page.asked else own.key
        return cls(own.key, way, page.relevance, own.host, own.folder, rows, directory)

    @property
    def is_inside(self) -> NDArray[np.bool_]:
        """Tell which links stay on the page's host."""
        inside: NDArray[np.bool_] = self.links["site"] == self.host
        return inside

    def to_bytes(self) -> bytes:
        """Return them as `from_bytes` reads them."""
        is_redirected = self.way != self.key
        count = len(self.links) | _REDIRECTED * is_redirected
        head = np.array([(self.key, self.p, self.host, self.folder, count)], _PAGE).tobytes()
        head += np.array([self.way] * is_redirected, _WAY).tobytes()
        shown = b"" if self.directory is None else self.directory.to_bytes()
        return head + self.links.tobytes() + shown

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` made; `links` is a view of `data`."""
        key, p, host, folder, count = np.frombuffer(data, _PAGE, 1)[0].tolist()
        way, at = key, _PAGE.itemsize
        if count & _REDIRECTED:
            count ^= _REDIRECTED
            way, at = int(np.frombuffer(data, _WAY, 1, at)[0]), at + _WAY.itemsize
        links = np.frombuffer(data, _LINK, count, offset=at)
        rest = data[at + links.nbytes :]
        shown = DirectoryPage.from_bytes(rest) if rest else None
        return cls(key, way, p, host, folder, links, shown)
