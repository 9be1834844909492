"""Sitemaps and feeds: which are fetched, and when. They are leases of the frontier, as pages are.

A host's sitemaps are wanted once it has shown relevant pages: those that its robots.txt names, else the one
at the usual place. A feed is, once a relevant page names it. Each costs a fetch, and shows pages that are as
relevant as its host's are in the mean: so it waits until what the crawl finds by links is much less than
that, or nothing is left. They take a bounded share of what is fetched, and each host a bounded number.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Self

from focused_crawler.crawl.steering.terms import FetchedPage
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.listing import FEED, SITEMAP, SiteListing
from focused_crawler.page.model import Focus, Named
from focused_crawler.page.url import host_of, site_of

LISTINGS = ("all", "sitemaps", "feeds", "off")
"""Which of them are fetched."""

SHARE, FIRST = 0.05, 3
"""Of what is fetched at most this share are listings, and so many more: the first few come early."""
WORTH, RECENT = 0.5, 50.0
"""A listing is fetched when the share of relevant pages among recent ones is below this part of its host."""
DOUBT = 2
"""Pages without gain that are added to those of a host: of one that has shown little, little is known."""
MOST_SITEMAPS, MOST_FEEDS = 10, 2
"""Of one host."""
WANTED = "wanted"
"""Decision by which each that is met is written down: its kind, and what page or index names it."""
DEEPEST = 2
"""An index may name sitemaps or, against the protocol, another index: no further."""
GAINS_FOR_A_GUESS = 10
"""Relevant pages of a host from which on the usual place is asked: most hosts have nothing there."""
USUAL_PLACE = "/sitemap.xml"
GOOD_FOCUS = 0.5
"""Mean R(d) of a host's pages from which on they are rather in a good category of the taxonomy."""
MOST_HOSTS, MOST_WAITING = 20_000, 1_000

_MARK = b"\0listing "


class ListingLease(NamedTuple):
    """What a lease carries in the place of a strategy's note where a listing is to be fetched."""

    kind: str  # sitemap or feed
    level: int  # 0; of a sitemap that an index named, one more than that
    host: str  # whose pages it was asked for

    def path(self) -> bytes:
        """Return it as the frontier stores it."""
        return _MARK + f"{self.kind} {self.level} {self.host}".encode()

    @property
    def deeper(self) -> Self:
        """Return what the lease of a sitemap carries that this one, an index, names."""
        return self._replace(level=self.level + 1)

    @classmethod
    def of(cls, path: bytes) -> Self | None:
        """Return what a lease carries; None: it is a page's."""
        if not path.startswith(_MARK):
            return None
        kind, level, host = path[len(_MARK) :].decode().split(" ")
        return cls(kind, int(level), host)


class MetListing(NamedTuple):
    """A sitemap or feed that an earlier run has met."""

    candidate: Candidate
    lease: ListingLease
    is_queued: bool  # it was to be fetched, and perhaps was


class _Account:
    """What a host has shown."""

    __slots__ = ("feeds", "focus", "gains", "is_asked", "pages", "relevance", "sitemaps")

    def __init__(self) -> None:
        self.pages = self.gains = self.sitemaps = 0
        self.relevance = self.focus = 0.0
        self.feeds: list[str] = []
        self.is_asked = False

    @property
    def worth(self) -> float:
        """Return which share of its pages is relevant, about."""
        return self.gains / (self.pages + DOUBT)


class Listings:
    """Decides what is fetched. The same pages in the same order ask for the same."""

    def __init__(self, which: str) -> None:
        self._has_sitemaps = which in ("all", "sitemaps")
        self._has_feeds = which in ("all", "feeds")
        self._accounts: OrderedDict[str, _Account] = OrderedDict()
        self._named: OrderedDict[str, tuple[str, ...]] = OrderedDict()  # host -> sitemaps, by robots.txt
        self.named_by: Callable[[str], Sequence[str]] = self._by_robots
        """Returns the sitemaps that the robots.txt of a page's host names; it was read before the page."""
        self.waiting: list[tuple[float, int, _Account, Candidate]] = []  # heap
        self._recent = 1.0  # share of relevant pages among those fetched last
        self._number = self._pages = 0
        self.asked = 0  # over all runs
        self.met: list[tuple[str, str]] = []  # kind and URL of what is not written down yet
        self.earlier: dict[str, list[MetListing]] = {}  # page or index -> those of an earlier run

    def name(self, host: str, sitemaps: Sequence[str]) -> None:
        """Take in what the robots.txt of a host names."""
        if sitemaps:
            self._named[host] = tuple(sitemaps)
            self._named.move_to_end(host)
            if len(self._named) > MOST_HOSTS:
                self._named.popitem(last=False)

    def record(self, page: FetchedPage, named: Named | None = None, *, is_new: bool = True) -> None:
        """Count a fetched page; a new one that is relevant may ask for its host's sitemaps and its feeds."""
        host = host_of(page.url)
        account = self._accounts.get(host) or self._account(host)
        self._pages += 1
        account.pages += 1
        account.relevance += page.relevance
        account.focus += page.focus
        self._recent += (page.is_gain - self._recent) / RECENT
        account.gains += page.is_gain
        if not is_new:
            self._restore(page.url)
        if not page.is_gain or not is_new:
            return
        depth = page.depth + 1
        if self._has_feeds and named is not None:
            for feed in named.feeds:
                if feed in account.feeds or len(account.feeds) >= MOST_FEEDS:
                    continue
                account.feeds.append(feed)
                self._wait(account, ListingLease(FEED, 0, host_of(page.url)), feed, depth, page.url)
        if self._has_sitemaps and not account.is_asked:
            self._ask_sitemaps(account, page, depth)

    def take(self, *, is_last: bool = False) -> list[Candidate]:
        """Return what may be fetched now, by the share, and where the best host has more to offer than links.

        `is_last`: nothing else is left, so that it is the best one.
        """
        if not self.waiting:
            return []
        is_worth = self._recent < WORTH * self.waiting[0][2].worth
        if not is_last and (not is_worth or self.asked >= FIRST + SHARE * self._pages):
            return []
        self.asked += 1
        return [heappop(self.waiting)[-1]]

    def listed(self, lease: ListingLease, listing: SiteListing, url: str, depth: int) -> int:
        """Take in an index; return how many of its sitemaps will be fetched."""
        account, before = self._account(lease.host), self._number
        if lease.level + 1 < DEEPEST:
            for entry in listing.entries[:MOST_SITEMAPS]:
                if account.sitemaps < MOST_SITEMAPS and is_own(entry.url, lease, url):
                    account.sitemaps += 1
                    self._wait(account, lease.deeper, entry.url, depth, url)
        return self._number - before

    def restore(self) -> None:
        """Take in the rest of what an earlier run met, by its indexes, now that its pages are counted."""
        for by in list(self.earlier):
            self._restore(by)

    def _restore(self, by: str) -> None:
        for listing, lease, is_queued in self.earlier.pop(by, ()):
            account = self._account(lease.host)
            if lease.kind == FEED:
                account.feeds.append(listing.url)
            else:
                account.sitemaps += 1
                account.is_asked |= not lease.level
            if is_queued:
                self.asked += 1
            elif self._has_feeds if lease.kind == FEED else self._has_sitemaps:
                self._push(account, listing)

    def relevance(self, lease: ListingLease) -> float:
        """Return the mean relevance of the host that a listing was asked for."""
        account = self._account(lease.host)
        return account.relevance / account.pages if account.pages else 0.0

    def focus(self, lease: ListingLease) -> Focus:
        """Return where that host stands in a taxonomy by the mean R(d) of its pages."""
        account = self._account(lease.host)
        mean = account.focus / account.pages if account.pages else 0.0
        return Focus(mean, "", mean >= GOOD_FOCUS)

    def _account(self, host: str) -> _Account:
        """Return the account of a host; of too many, those met first begin anew."""
        account = self._accounts.get(host)
        if account is None:
            account = self._accounts[host] = _Account()
            if len(self._accounts) > MOST_HOSTS:
                self._accounts.popitem(last=False)
        return account

    def _ask_sitemaps(self, account: _Account, page: FetchedPage, depth: int) -> None:
        root = f"{page.url.partition(':')[0]}://{host_of(page.url)}"
        named = self.named_by(root)
        if not named and account.gains < GAINS_FOR_A_GUESS:
            return
        account.is_asked = True
        for sitemap in named or (f"{root}{USUAL_PLACE}",):
            account.sitemaps += 1
            self._wait(account, ListingLease(SITEMAP, 0, host_of(page.url)), sitemap, depth, page.url)

    def _wait(self, account: _Account, lease: ListingLease, url: str, depth: int, parent: str) -> None:
        if len(self.waiting) < MOST_WAITING:
            self.met.append((lease.kind, url))
            self._push(account, Candidate(url, 1.0, depth, parent, lease.path()))

    def _push(self, account: _Account, listing: Candidate) -> None:
        self._number += 1
        heappush(self.waiting, (-account.worth, self._number, account, listing))

    def _by_robots(self, root: str) -> Sequence[str]:
        return self._named.get(host_of(f"{root}/"), ())


def is_own(url: str, lease: ListingLease, listing: str) -> bool:
    """Tell whether a sitemap may list a URL: of its own site, or of the one whose robots.txt names it."""
    return site_of(url) in {site_of(f"http://{lease.host}/"), site_of(listing)}
