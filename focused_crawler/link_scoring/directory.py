"""Start pages that are not about the topic are there for their links: they are taken for directories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from focused_crawler.page.model import Link, Page
from focused_crawler.page.url import host_of

FIRST_LINKS = 10
"""So many links of a seed that is off topic are followed, whatever they say."""

MAX_SITES = 10_000
"""Known from directories; then no further directory is explored."""


class DirectoryPage(NamedTuple):
    """What a page of a directory has to show."""

    url: str
    is_seed: bool
    sites: frozenset[str]  # others than its own
    ranks: list[int]  # of its links by what they say, those to one URL together; -1: to another site

    def to_bytes(self) -> bytes:
        """Return it as `from_bytes` reads it."""
        return json.dumps([self.url, self.is_seed, sorted(self.sites), self.ranks]).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> DirectoryPage:
        """Return what `to_bytes` made."""
        url, is_seed, sites, ranks = json.loads(data)
        return cls(url, is_seed, frozenset(sites), ranks)


class Directories:
    """Explores directories within their site as long as their pages show new sites.

    What a directory is about says nothing of the sites that it lists.
    """

    def __init__(self) -> None:
        self._sites: set[str] = set()
        self._explored = ""  # URL of the last page
        self._new = 0  # sites that it was the first to show

    def learn(self, page: DirectoryPage) -> None:
        """Note which sites a page shows."""
        if len(self._sites) < MAX_SITES:
            self._explored, self._new = page.url, len(page.sites - self._sites)
            self._sites |= page.sites

    def ways(self, page: DirectoryPage) -> int:
        """Return by how many URLs, its best, the way goes on: as many as the page has shown new sites."""
        shown = self._new if page.url == self._explored else 0
        return max(shown, FIRST_LINKS if page.is_seed else 0)

    def memory(self) -> bytes:
        """Return the sites that were shown."""
        return "\n".join(sorted(self._sites)).encode()

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        self._sites = set(memory.decode().split())


def is_directory(page: Page) -> bool:
    """Tell whether an off-topic page is a seed, or was reached from one within its site."""
    return not page.depth or page.path == site_path(page.url)


def directory_page(page: Page, links: Sequence[Link], evidence: Sequence[float]) -> DirectoryPage:
    """Return what a page of a directory shows; `evidence` says how good each link is by itself."""
    own, inside = site_name(page.url), dict[str, float]()
    sites = [site_name(link.url) for link in links]
    for link, site, worth in zip(links, sites, evidence, strict=True):
        if site == own:
            inside[link.url] = max(worth, inside.get(link.url, worth))
    best_first = sorted(inside, key=inside.__getitem__, reverse=True)
    ranked = {url: rank for rank, url in enumerate(best_first)}
    ranks = [ranked.get(link.url, -1) for link in links]
    return DirectoryPage(page.url, page.depth == 0, frozenset(sites) - {own}, ranks)


def site_path(url: str) -> bytes:
    """Return what the links of a directory's page carry: its pages are known by their site."""
    return site_name(url).encode()


def site_name(url: str) -> str:
    """Return the host of a URL, without a leading www."""
    return host_of(url).removeprefix("www.")
