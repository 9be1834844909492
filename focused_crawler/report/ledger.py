"""A politeness ledger: how each host was asked, and what it asked for."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from focused_crawler.page.url import host_of
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo

MOST_HOSTS = 1000
"""Rows of a ledger: of those asked most."""

_ASKED = """
SELECT p.host, p.requests, p.refusals, p.shortest_gap, p.longest_pause, coalesce(h.delay, 0)
FROM politeness AS p LEFT JOIN hosts AS h ON h.name = p.host ORDER BY p.requests DESC, p.host LIMIT ?
"""
_TOTALS = "SELECT count(*), coalesce(sum(requests), 0), coalesce(sum(refusals), 0) FROM politeness"
_FORBIDDEN = """
SELECT urls.url FROM decisions JOIN urls ON urls.id = decisions.url
WHERE decision = 'failed' AND rule IN ('robots', 'robots_unreachable')
"""
_CLOSED = "SELECT DISTINCT host FROM decisions WHERE decision = 'closed' AND rule = 'refusals'"


LATE_SECONDS = 0.1


class HostLedger(NamedTuple):
    """How a host was asked. Its name is hostile until escaped; times are in seconds."""

    host: str
    requests: int  # that went out, robots.txt and redirects included
    refusals: int  # 429, 503 and answers with Retry-After
    shortest_gap: float | None  # between two requests; None: it was asked once
    longest_pause: float | None  # from a refusal to the next request
    asks: float  # delay of its robots.txt; 0: none
    delay: float  # that the crawl kept
    forbidden: int  # URLs that its robots.txt forbids
    is_closed: bool  # it refused so often that it was left alone

    @property
    def is_kept(self) -> bool:
        """Tell whether no request came before its time: a busy process sends some a moment late."""
        return self.shortest_gap is None or self.shortest_gap >= self.delay - LATE_SECONDS


class Ledger(NamedTuple):
    """All hosts, those asked most first."""

    hosts: tuple[HostLedger, ...] = ()
    total: int = 0  # hosts
    requests: int = 0
    refusals: int = 0
    forbidden: int = 0


def read_ledger(database: CrawlDatabase, run: RunInfo) -> Ledger:
    """Return what the database has of it; empty of a crawl of a virtual web, or of before there was one."""
    rows = database.rows(_ASKED, (MOST_HOSTS,))
    if not rows:
        return Ledger()
    ours = float(run.settings.get("DOWNLOAD_DELAY") or 0.0)
    forbidden = Counter(host_of(url) for (url,) in database.rows(_FORBIDDEN))
    closed = {host for (host,) in database.rows(_CLOSED)}
    hosts = tuple(
        HostLedger(
            host, requests, refusals, gap, pause, asks, max(ours, asks), forbidden[host], host in closed
        )
        for host, requests, refusals, gap, pause, asks in rows
    )
    ((total, requests, refusals),) = database.rows(_TOTALS)
    return Ledger(hosts, int(total), int(requests), int(refusals), forbidden.total())
