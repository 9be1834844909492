"""The terms that the parts of steering share: a page that was fetched, and why a URL is not to be."""

from __future__ import annotations

from typing import NamedTuple, Self

from focused_crawler.store.history import Visited
from focused_crawler.store.item import PageItem, focus_of


class FetchedPage(NamedTuple):
    """A fetched page, as far as budgets go."""

    url: str  # where it was found
    parent: str | None
    is_gain: bool  # relevant by the crawler's own classifier, and no copy
    copy_of: str | None = None  # URL of the page that it repeats
    requested: str | None = None  # what was asked for, if a redirect led from there
    by_content: bool | None = None  # a gain by what stands outside its links; None: nobody looked
    likeness: float | None = 1.0  # to the page that it repeats
    relevance: float = 0.0
    depth: int = 0  # links from a seed
    focus: float = 0.0  # R(d); 0 without a taxonomy

    @classmethod
    def of(cls, page: PageItem | Visited) -> Self:
        """Return what counts of a page that is recorded now, or was before."""
        asked = page.requested_url if page.requested_url != page.url else None
        about = page.duplicate_of, asked, page.by_content, page.likeness, page.relevance, page.depth
        focus = 0.0 if page.log_rd is None else focus_of(page.log_rd)
        return cls(page.url, page.parent, page.is_relevant, *about, focus)


class Refusal(NamedTuple):
    """Why a URL is not to be fetched while there is anything better, or not at all."""

    rule: str
    name: str  # of the pattern, site or domain that has spent its budget
    is_certain: bool = False  # not at all
    is_probe: bool = False  # it is to be fetched now all the same, to try what is left alone
