"""The contract of a frontier: a priority queue of URLs that knows hosts and survives anything.

Order of `take`: fewest tries, then highest priority, then the server asked least so far, then a fixed random
hash of the URL (Chakrabarti et al. 1999, section 3.2; never order of arrival, which would favour one page's
links).

A URL is in one state at a time (`focused_crawler.store.schema.State`):

    PENDING -> LEASED     take
    LEASED  -> DONE       done: its page is recorded
    LEASED  -> FAILED     failed for good
    LEASED  -> WAITING    failed or refused, to be tried again; -> PENDING when its time has come
    LEASED  -> PENDING    release, or the end of the lease: as if it had never been given
    LEASED, PENDING, WAITING -> DROPPED    its host has given all the pages it may give, or has refused too
                          often in a row; a later run, with other limits, may make it PENDING again
    PENDING -> DROPPED    it is the worst of more than `Rules.max_pending`; added again, it may come back.
                          Of those never tried only the latest stay known: an older one comes back as new
    DONE, FAILED -> PENDING    again: it was fetched, or tried, and is to be asked for once more

With `Rules.n_best` above 1 (N-best-first; Menczer, Pant and Srinivasan 2004) the best N of what may be taken
are chosen at a time, in that order, and given out one after the other; then, or when no host of theirs may be
asked, the next N are chosen. Chosen ones stay PENDING: a new run chooses anew.

What is added enters as PENDING, or as DROPPED where its host is done with. Only `again`
takes a URL out of DONE; a FAILED one may also become DONE, as the end of a redirect. The frontier writes and
never commits: who ends a lease commits its end together with the page's record, or with that of its failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

LONGEST_WAIT = 3600.0
"""Seconds that a host can make us wait at most between two requests, by whatever it answers."""

MAX_REFUSALS = 8
"""After so many refusals in a row (some two hours, by default) a host is left alone for the rest of a run."""


class Candidate(NamedTuple):
    """A link for the frontier."""

    url: str  # http or https, normalised by `focused_crawler.page.url.normalise`
    priority: float  # [0, 1]
    depth: int = 0  # links from a seed
    parent: str | None = None  # URL of the page it was found on
    path: bytes | None = None  # what the strategy stored on that page for the pages its links lead to


class Lease(NamedTuple):
    """A URL given out: nobody else gets it until `done`, `failed` or the end of the lease."""

    url: str
    priority: float
    depth: int
    parent: str | None
    tries: int  # how often it failed before
    path: bytes | None = None


class FrontierStats(NamedTuple):
    """Numbers of URLs by state, and of hosts."""

    pending: int
    leased: int
    done: int
    failed: int
    hosts: int
    waiting_hosts: int  # hosts with pending URLs that may not be asked yet
    known: int  # all URLs ever added; one that was dropped, forgotten and added again counts again
    dropped: int = 0
    is_held_back: bool = False  # what may be taken is not, since a much better URL is worth a wait


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a frontier obeys, besides the order."""

    delay: float = 0.0  # seconds from one take of a host to the next, where the host does not ask for more
    per_host: int | None = None  # leases a host may have at a time; None: any number
    host_pages: int = 0  # pages that may be fetched from one host, over all runs; 0: any number
    max_pending: int = 0  # URLs that may be pending after an add, the worst are dropped; 0: any number
    n_best: int = 1  # URLs chosen at a time, to be given out before anything newer is considered
    wait_for_best: float = 0.0  # share of the best pending priority that a URL needs to be given out; 0: none
    max_tries: int = 3  # how often a URL is tried
    retry_delay: float = 60.0  # seconds that the first refusal holds a host, doubled by each further in a row
    lease_seconds: float = 3600.0  # age at which a lease that nobody ended returns to pending
    seed: int = 0  # of the random order among equals


class Frontier(Protocol):
    """Every method costs O(log n) a URL. Times are seconds since the epoch, handed in by the caller."""

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch and return how many URLs were new and may be taken.

        A known URL that was not fetched keeps its highest priority (with parent and path of the page that
        gave it) and its least depth; one that is leased, done or failed is left as it is.
        """

    def again(self, links: Iterable[Candidate]) -> int:
        """Queue URLs that are done or failed once more, with no tries behind them; return how many now are.

        All other URLs stay as they are, and so do those of a host that is done with.
        """

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best `n` or fewer URLs whose hosts may be asked now, best first."""

    def done(self, url: str, final: str | None = None) -> None:
        """Never give `url` out again: its page was fetched, at `final` if redirects led there.

        The page counts for the host of `final`, once, and ends that host's row of refusals.
        """

    def failed(self, url: str, retry_at: float | None) -> None:
        """Give `url` out again from `retry_at` on, behind all with fewer tries; None: never again."""

    def refused(self, url: str, host: str, now: float, seconds: float | None = None) -> bool:
        """Hold `host`, which would not serve `url` now, and return whether `url` is queued again.

        For so many `seconds` (Retry-After), else for `retry_delay`, doubled by each refusal in a row. The
        URL goes behind all with fewer tries. Its last try counts only where the host serves other pages: what
        is merely held gives up no URL. A host that refuses `MAX_REFUSALS` times in a row is given up.
        """

    def redirected(self, url: str, host: str, now: float) -> float | None:
        """Return when the lease of `url` may go on at `host`, where a redirect leads; None: not at all.

        Now or before: the host counts as asked now. Later: ask again then. The lease begins anew, and counts
        for that host.
        """

    def is_elsewhere(self, host: str) -> bool:
        """Tell whether `host` is another worker's: a redirect there is handed over, as a link is."""
        return False

    def release(self, url: str) -> None:
        """Take a lease back as if it had never been given."""

    def expire(self, now: float) -> int:
        """Return to pending what has been out for too long, as `take` does; return how many that were."""

    def prolong(self, seconds: float) -> None:
        """Let all leases last so much longer: their holder could not work for so long.

        Nothing to do where others may have had its URLs meanwhile.
        """
        return

    def holds(self, url: str) -> bool:
        """Tell whether `url` is out, and still the caller's: whether it may be asked for now."""

    def is_known(self, url: str) -> bool:
        """Tell whether `url` is leased, done or failed: whether fetching it now would fetch it twice."""

    def asked(self, host: str, at: float) -> None:
        """Record that `host` was really asked then, later than its URL was taken (robots.txt went first).

        Its next URL keeps its distance from that time; a time before the last one changes nothing.
        """

    def has_more(self) -> bool:
        """Tell whether anything is pending, or may still come of what other processes have out."""

    def closed_hosts(self) -> list[tuple[str, str]]:
        """Return the hosts that were closed since the last call, each with the rule that did it.

        "host_limit": it has given all the pages it may give; "refusals": it refused too often in a row.
        """

    def pace(self, host: str, delay: float, *, at_least: bool = False) -> None:
        """Leave so many seconds between two URLs of `host`, an hour at most, from its last one on.

        `at_least`: no less than before. `Rules.delay` is obeyed in any case.
        """

    def next_ready_at(self) -> float | None:
        """Return the earliest time at which `take` may give something, None when nothing is pending or out.

        The last time that the caller gave if it may at once. Exact, unless a lease has to end first.
        """

    def is_ready(self, now: float) -> bool:
        """Tell whether any URL may be asked for now, also where others' are better."""
        ready_at = self.next_ready_at()
        return ready_at is not None and ready_at <= now

    def reprioritise(self, priorities: Mapping[str, float]) -> int:
        """Give pending URLs new priorities, higher or lower; return how many were pending.

        They keep parent and path.
        """

    def stats(self) -> FrontierStats:
        """Count URLs by state."""

    def bands(self, bands: int = 10) -> list[int]:
        """Return how many URLs are pending in each of so many equal bands of priority, lowest first.

        One next to the edge of a band may count for its neighbour.
        """

    def __len__(self) -> int:
        """Return the number of pending URLs (leased ones are not pending)."""

    def close(self) -> None:
        """Let go of files; leases return to pending."""


Info = Mapping[str, str | int | float]
"""A worker's report of itself, for the status of the fleet."""
