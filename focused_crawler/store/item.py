"""What a crawl yields: one item a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PageItem:
    """A fetched page with its verdict; the feed writes its fields as they are."""

    text = b""
    """As `focused_crawler.page.kept_text` makes it; no field, as it is for the database and for no feed."""

    url: str  # where it was found in the end, after redirects
    requested_url: str  # what the frontier gave out
    parent: str | None
    depth: int  # links from a seed
    title: str
    relevance: float  # [0, 1]
    is_relevant: bool
    links: int  # followed or not
    status: int
    size: int  # bytes, decompressed
    fetched_at: float  # seconds since the epoch
    checksum: str  # of the words, not of the markup
    duplicate_of: str | None = None  # URL of a page with the same words, or nearly the same
    likeness: float | None = None  # to that page, (0, 1]; 1: the same words
    is_target: bool | None = None  # one of the pages known to be relevant; None where none are known
    etag: str | None = None  # as the server wrote it
    last_modified: str | None = None  # as the server wrote it
    category: str | None = None  # best leaf of the taxonomy; None where the crawl has none
    hubness: float | None = None  # links to other sites a word outside links; None: not known
