"""Trap budgets: kinds of URLs, sites and domains are left alone once they bring no more relevant pages.

A budget is of pages without gain in a row: each gain fills it up again. So what counts is the margin, not
what was found once, and no trap takes more than its budget, however long it is.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from focused_crawler.page.url import host_of, site_of

if TYPE_CHECKING:
    from tldextract import TLDExtract

PATTERN, SITE, DOMAIN, MIRROR = "trap_pattern", "trap_site", "trap_domain", "trap_mirror"
MOST_ACCOUNTS = 50_000
"""So many patterns, sites and domains are remembered; those not met for longest begin anew when met again."""
MIRROR_PAGES = 5
"""So many of a site's pages stand on other sites, too, before it can be a mirror."""
MIRROR_SHARE = 0.8
"""And such a share of its pages. Of two sites with the same pages it is that which came second more often."""

_LONGEST = 200  # characters of a pattern
_VARIABLE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{8,}|\d+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Budgets:
    """Pages in a row without gain."""

    chain: int = 10  # of a pattern, of those found on a page of the same pattern: as in a calendar
    pattern: int = 50
    site: int = 300
    domain: int = 600  # on `domain_sites` new sites or more: of many that are large and honest some are dry
    domain_sites: int = 50


class Visit(NamedTuple):
    """A fetched page, as far as budgets go."""

    url: str  # where it was found
    parent: str | None
    is_gain: bool  # relevant by the crawler's own classifier, and no copy
    copy_of: str | None = None  # URL of the page that it says again


class Closed(NamedTuple):
    """What is left alone."""

    rule: str
    name: str  # pattern, site or domain
    pages: int  # that it gave, or what is remembered of them


@dataclass(slots=True)
class _Account:
    pages: int = 0
    dry: int = 0  # without gain, since the last one
    chained: int = 0  # of these, found on a page of the same pattern
    sites: int = 0  # of a domain, met since its last gain
    copies: int = 0  # pages that came first on another site
    copied: int = 0  # times that a page of it came again on another site


class TrapBudgets:
    """Knows what each fetched page brought. The same visits in the same order make the same budgets."""

    def __init__(self, budgets: Budgets | None = None) -> None:
        domain_of("example.org")  # its list is read now, not while the first page waits
        self._budgets = budgets or Budgets()
        self._accounts: OrderedDict[tuple[str, str], _Account] = OrderedDict()

    def record(self, visit: Visit) -> None:
        """Count a fetched page; a gain is its parent's too: a page that leads to relevant ones is no trap."""
        own = _places(visit.url)
        if own[1] not in self._accounts:
            self._account(own[2]).sites += 1
        of_parent = () if visit.parent is None else _places(visit.parent)
        for place in own:
            account = self._account(place)
            account.pages += 1
            account.dry += 1
            account.chained += place in of_parent
        if visit.copy_of is not None and site_of(visit.copy_of) != site_of(visit.url):
            self._account(own[1]).copies += 1
            self._account((SITE, site_of(visit.copy_of))).copied += 1
        if visit.is_gain:
            for place in (*own, *of_parent):
                account = self._account(place)
                account.dry = account.chained = account.sites = 0

    def refuses(self, url: str) -> str | None:
        """Return the rule by which a URL is not to be fetched, None if it may be."""
        for place in _places(url):
            account = self._accounts.get(place)
            rule = None if account is None else self._rule(place[0], account)
            if rule is not None:
                return rule
        return None

    def closed(self) -> list[Closed]:
        """Return what is left alone now."""
        rules = (
            (self._rule(place[0], account), place[1], account.pages)
            for place, account in self._accounts.items()
        )
        return [Closed(rule, name, pages) for rule, name, pages in rules if rule is not None]

    def _rule(self, kind: str, account: _Account) -> str | None:
        budgets = self._budgets
        if kind == PATTERN:
            return PATTERN if account.chained >= budgets.chain or account.dry >= budgets.pattern else None
        if kind == DOMAIN:
            is_dry = account.dry >= budgets.domain and account.sites >= budgets.domain_sites
            return DOMAIN if is_dry else None
        if _is_mirror(account):
            return MIRROR
        return SITE if account.dry >= budgets.site else None

    def _account(self, place: tuple[str, str]) -> _Account:
        account = self._accounts.get(place)
        if account is None:
            account = self._accounts[place] = _Account()
            if len(self._accounts) > MOST_ACCOUNTS:
                self._accounts.popitem(last=False)
        else:
            self._accounts.move_to_end(place)
        return account


def pattern_of(url: str) -> str:
    """Return what URLs of one kind have in common: site, path without numbers, names of query parameters.

    Parts that come again are left out, so that a path which repeats itself is one kind at any length.

    >>> pattern_of("http://www.example.org/2024/05/17/diary-3.html?page=2&sort=asc")
    'example.org/#/diary-#.html?page&sort'
    """
    rest = url.partition("://")[2].partition("/")[2]
    path, _, query = rest.partition("?")
    parts = dict.fromkeys(_VARIABLE.sub("#", part) for part in path.split("/"))
    names = dict.fromkeys(_VARIABLE.sub("#", pair.partition("=")[0]) for pair in query.split("&"))
    pattern = f"{site_of(url)}/{'/'.join(parts)}"
    return (f"{pattern}?{'&'.join(names)}" if query else pattern)[:_LONGEST]


def _is_mirror(account: _Account) -> bool:
    shared = account.copies + account.copied
    return account.copies > account.copied and shared >= max(MIRROR_PAGES, MIRROR_SHARE * account.pages)


@lru_cache(maxsize=4096)
def domain_of(host: str) -> str:
    """Return the domain that somebody registered: all its subdomains may be one owner's.

    >>> domain_of("a17.cheap.co.uk:8080")
    'cheap.co.uk'
    >>> domain_of("jane.github.io")
    'jane.github.io'
    """
    name = host if host.startswith("[") else host.partition(":")[0]
    return _suffixes()(name).top_domain_under_public_suffix or name


@cache
def _suffixes() -> TLDExtract:
    """Return the list that comes with the library: no network, no cache; jane.github.io is a domain."""
    from tldextract import TLDExtract  # noqa: PLC0415 - it brings requests along, which takes a moment to load

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def _places(url: str) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
    """Return the accounts of a URL: its pattern's, its site's and its domain's."""
    site = site_of(url)
    return (PATTERN, pattern_of(url)), (SITE, site), (DOMAIN, domain_of(host_of(url)))
