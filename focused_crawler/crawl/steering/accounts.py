"""Accounts that trap budgets keep: the pages of a pattern, a site or a domain, and whom a site repeats."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from focused_crawler.crawl.steering.url_kinds import behind_host
from focused_crawler.page.url import site_of

Pattern = int  # what an account is of: four times the hash of its name, and which of the kinds it is
MOST_ACCOUNTS = 50_000
"""So many patterns, sites and domains are remembered; those not met for longest begin anew when met again."""
MIRROR_PAGES = 5
"""So many pages of one other site, each at the same path, a site repeats before it can be a mirror."""
MIRROR_SHARE = 0.6
"""Such a share of its pages stands there, too; of others the twin may be yet to come. Of two such sites it is
that which came second more often."""
TWINS = 2
"""Two sites that have so many pages in common are one twin to a third: a site may have several mirrors, and
it is chance which of them had a page first."""
MIRROR_PAGES_A_GAIN = 3
"""And so many more for each relevant page that it alone has so far: a mirror's may have come first."""


@dataclass(slots=True)
class Account:
    """What pages of a pattern, a site or a domain have brought."""

    pages: int = 0
    has_gained: bool = False  # ever: a page of its own, or one that it led to
    dry: int = 0  # pages without gain, since the last one
    chained: int = 0  # of these, found on a page of the same pattern
    sites: int = 0  # of a domain, met since its last gain
    own: int = 0  # gains of a site that its twin has not repeated
    twin: str = ""  # site with the same pages: of several, one that makes up most (Boyer and Moore's vote)
    votes: int = 0  # pages shared with the twin, less those shared with others
    second: int = 0  # of those shared with the twin, came here second
    first: int = 0  # came here first
    changed: int = 0  # of those that came second, not word for word
    copied: int = 0  # pages of a site in a row that it had given before, word for word
    tried: int = 0  # pages recorded since it was left alone
    asked_as: Pattern | None = None  # pattern that led here by a redirect, the last one

    def charge(self, *, is_chained: bool) -> None:
        """Count a page, without gain so far."""
        self.pages += 1
        self.dry += 1
        self.chained += is_chained

    def open(self) -> None:
        """Take in a gain, its own or one that it led to."""
        self.has_gained = True
        self.dry = self.chained = self.sites = self.tried = 0

    def share(self, twin: str, *, is_second: bool, is_changed: bool) -> None:
        """Count a page that is at the same path of another site, and came here first or second."""
        if self.votes == 0:
            self.twin, self.second, self.first, self.changed = twin, 0, 0, 0
        if self.twin != twin:
            self.votes -= 1
            return
        self.votes += 1
        self.second += is_second
        self.changed += is_second and is_changed
        self.first += not is_second
        self.own = max(0, self.own - (not is_second))

    @property
    def enough(self) -> int:
        """Return how many pages a site has to repeat to be a mirror."""
        return MIRROR_PAGES + MIRROR_PAGES_A_GAIN * self.own

    @property
    def is_mirror(self) -> bool:
        """Tell whether a site repeats another."""
        is_second = self.second >= self.enough and self.second > self.first
        return is_second and self.votes >= MIRROR_SHARE * self.pages


ONCE = (Account(pages=1, dry=1), Account(pages=1, dry=1, sites=1))
"""Most hosts give one page, without gain: these are one object."""


class Twins:
    """Counts the pages that two sites have in common, each at the same path."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, int] = OrderedDict()

    def count(self, site: str, other: str) -> None:
        """Take note of such a page."""
        pair = _pair(site, other)
        self._pages[pair] = self._pages.pop(pair, 0) + 1
        if len(self._pages) > MOST_ACCOUNTS:
            self._pages.popitem(last=False)

    def are_one(self, site: str, other: str) -> bool:
        """Tell whether a third site that repeats both repeats one."""
        return self._pages.get(_pair(site, other), 0) >= TWINS


def twin_places(url: str, other: str) -> tuple[str, str] | None:
    """Return the sites of two pages at one path; if one is below folders, the site has them behind it.

    >>> twin_places("http://b.org/copy/x", "http://a.org/x")
    ('b.org/copy/', 'a.org')
    """
    site, twin, path, first = site_of(url), site_of(other), behind_host(url), behind_host(other)
    if site == twin:
        return None
    if path == first:
        return site, twin
    if path.endswith(f"/{first}"):
        return f"{site}/{path.removesuffix(first)}", twin
    return (site, f"{twin}/{first.removesuffix(path)}") if first.endswith(f"/{path}") else None


def _pair(site: str, other: str) -> int:
    return hash((min(site, other), max(site, other)))
