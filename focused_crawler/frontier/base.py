"""The contract of a frontier: a priority queue of URLs that knows hosts and survives anything.

Order of `take`: fewest tries, then highest priority, then the server asked least so far, then a fixed random
hash of the URL (Chakrabarti et al. 1999, section 3.2; never order of arrival, which would favour one page's
links).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol


class Candidate(NamedTuple):
    """A link offered to the frontier."""

    url: str  # http or https, normalised by `focused_crawler.page.url.normalise`
    priority: float  # [0, 1]
    depth: int = 0  # links from a seed
    parent: str | None = None  # URL of the page it was found on


class Lease(NamedTuple):
    """A URL given out: nobody else gets it until `done`, `failed` or the end of the lease."""

    url: str
    priority: float
    depth: int
    parent: str | None
    tries: int  # how often it failed before


class FrontierStats(NamedTuple):
    """Numbers of URLs by state, and of hosts."""

    pending: int
    leased: int
    done: int
    failed: int
    hosts: int
    waiting_hosts: int  # hosts with pending URLs that may not be asked yet
    known: int  # all URLs ever added


class Frontier(Protocol):
    """Every method costs O(log n) a URL. Times are seconds since the epoch, handed in by the caller."""

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch and return how many URLs were new.

        A known URL that was not fetched keeps its highest priority (with the parent that gave it) and its
        least depth; one that is leased, done or failed is left as it is.
        """

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best `n` or fewer URLs whose hosts may be asked now, best first."""

    def done(self, url: str) -> None:
        """Never give `url` out again (also one that was never added: the end of a redirect)."""

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on, behind all with fewer tries; None: never again."""

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed: whether fetching it now would fetch it twice."""

    def hold(self, host: str, until: float) -> None:
        """Ask `host` nothing before `until`."""

    def next_ready_at(self) -> float | None:
        """Return the earliest time at which a pending URL may be taken, None when nothing is pending.

        The time of the last take if one may be taken at once.
        """

    def reprioritise(self, urls: Iterable[str], priority: float) -> int:
        """Give pending URLs a new priority, higher or lower; return how many were pending."""

    def stats(self) -> FrontierStats:
        """Count URLs by state."""

    def __len__(self) -> int:
        """Return the number of pending URLs (leased ones are not pending)."""

    def close(self) -> None:
        """Let go of files; leases return to pending."""
