"""How earlier runs were steered, for one that goes on: the listings that they met, the hosts they asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from focused_crawler.crawl.steering.domains import Share
from focused_crawler.crawl.steering.listings import WANTED, ListingLease, MetListing
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.values import storable

_MET = """
SELECT rule, detail, urls.url, pages.depth, urls.depth, urls.path
FROM decisions JOIN urls ON urls.id = decisions.url LEFT JOIN pages ON pages.key = urls.key
WHERE decision = ? ORDER BY decisions.id
"""
_QUEUED = "SELECT key FROM urls WHERE key {among} AND state > 0"

MOST_HOSTS = 100_000
_ASKED = "SELECT name FROM hosts WHERE load > 0 ORDER BY id DESC LIMIT ?"
_LOWERED = "SELECT url FROM lowered WHERE is_raised = 0 ORDER BY priority DESC LIMIT ?"

_NOTE = """
INSERT INTO shares (domain, key, is_host) VALUES (?, ?, ?) ON CONFLICT (domain, key, is_host) DO NOTHING
"""
_NOTED = "SELECT domain, key, is_host FROM shares"


def note_shares(database: CrawlDatabase, shares: Sequence[Share]) -> None:
    """Store what counts for the shares of domains, as part of the transaction."""
    rows = [(storable(domain), key, int(is_host)) for domain, key, is_host in shares]
    database.executemany(_NOTE, rows)


def noted_shares(database: CrawlDatabase) -> Iterator[Share]:
    """Yield what counts for the shares of domains, as it was stored."""
    for domain, key, is_host in database.rows(_NOTED):
        yield Share(domain, key, bool(is_host))


def asked(database: CrawlDatabase) -> Iterator[str]:
    """Yield hosts of which URLs were handed out, those met last at the end."""
    for (host,) in reversed(database.rows(_ASKED, (MOST_HOSTS,))):
        yield host


def lowered(database: CrawlDatabase) -> Iterator[str]:
    """Yield hosts of URLs that wait until nothing better is left."""
    for (url,) in database.rows(_LOWERED, (MOST_HOSTS,)):
        yield host_of(url)


def met_listings(database: CrawlDatabase) -> dict[str, list[MetListing]]:
    """Return them by the page or index that names them, in the order in which they were met."""
    met, found = database.rows(_MET, (WANTED,)), defaultdict[str, list[MetListing]](list)
    keys = database.many([url_key(url) for _, url, *_ in met])
    queued = {key for (key,) in database.rows(_QUEUED.format(among=database.among), (keys,))}
    for kind, url, parent, of_page, of_index, path in met:
        index = None if path is None else ListingLease.of(bytes(path))
        lease = ListingLease(kind, 0, host_of(parent)) if index is None else index.deeper
        depth = (of_index or 0) if of_page is None else of_page + 1
        listing = Candidate(url, 1.0, depth, parent, lease.path())
        found[parent].append(MetListing(listing, lease, url_key(url) in queued))
    return found
