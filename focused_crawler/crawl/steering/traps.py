"""Trap budgets: kinds of URLs, sites and domains come last once they bring no more relevant pages.

A budget is of pages without gain in a row: each gain fills it up again. So what counts is the margin, not
what was found once, and no trap takes much more than its budget while there is anything better, however long
it is. Of what comes last a URL is tried now and then, more and more rarely, so that a wrong verdict is undone
by the first gain: which one, its key and that of the crawl's first page say, so that a crawl that was killed
tries the same, and no trap can know. What is certain is left alone for good: a copy word for word, a pattern
without end, a site that repeats itself.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from focused_crawler.crawl.steering.accounts import MOST_ACCOUNTS, ONCE, Account, Pattern, Twins, twin_places
from focused_crawler.crawl.steering.echoes import Echoes
from focused_crawler.crawl.steering.terms import FetchedPage, Refusal
from focused_crawler.crawl.steering.url_kinds import domain_of, pattern_of
from focused_crawler.page.url import host_of, site_of, url_key

PATTERN, SITE, DOMAIN, MIRROR = "trap_pattern", "trap_site", "trap_domain", "trap_mirror"
QUERY = "trap_query"
_RULES = (PATTERN, SITE, DOMAIN, PATTERN)
_PATH = 3  # of `_RULES`: all patterns of one path that differ in the names of their queries
PROBED = 25
"""One URL in 25 of what is left alone is tried, after that one in 50, then in 75: were it always one in 25, a
trap whose pages have a hundred links each would never end."""
CHAIN_PROBED = 100
COPIES_PROBED = 400
"""So of chains and of copies: those are told by few pages, and traps are mostly one of them. A mirror's page
that is tried before the one that it repeats is a gain, and opens the mirror."""

_PASSED_OVER = 8  # accounts of what is left alone, before one is forgotten


@dataclass(frozen=True, slots=True)
class Budgets:
    """Pages in a row without gain."""

    chain: int = 10  # of what never had one, found on pages of the same: of a calendar, a shop's filters
    pattern: int = 50
    site: int = 300
    domain: int = 600  # on `domain_sites` new sites or more: of many that are large and honest some are dry
    domain_sites: int = 50
    mirror: int = 50
    """Pages that a mirror repeats word for word, with no relevant one of its own, before nothing more of it
    is fetched at all. Until then it comes last: its copier may have been found first."""
    endless: int = 1000
    """Of a pattern that never had one, or of a site that repeats itself word for word: nothing more is
    fetched of it at all."""


class TrapBudgets:
    """Knows what each fetched page brought. The same visits in the same order make the same budgets."""

    def __init__(self, budgets: Budgets | None = None) -> None:
        domain_of("example.org")  # its list is read now, not while the first page waits
        self._budgets = budgets or Budgets()
        self._accounts: OrderedDict[Pattern, Account] = OrderedDict()
        self._echoes = Echoes()
        self._twins = Twins()
        self._trying: Counter[str] = Counter()  # visits under way of what is left alone, by its name
        self._salt = 0  # key of the first page: keys alone are the same in all crawls

    def record(self, page: FetchedPage) -> None:
        """Count a fetched page; a gain is its parent's too: a page that leads to relevant ones is no trap."""
        self._salt = self._salt or url_key(page.url)
        if not page.is_gain:
            self._count_try(page)
        own = _patterns(page.url)
        asked = own[0] if page.requested is None else _patterns(page.requested)[0]
        of_parent = () if page.parent is None else _patterns(page.parent)
        if own[1] not in self._accounts:
            self._account(own[2]).sites += 1
            self._account(own[1])
        if asked != own[0]:
            self._account(own[0]).asked_as = asked
        charged = dict.fromkeys((own[0], asked) if _is_old_news(page) else (*own, asked))
        for pattern in charged:
            of_kind = pattern if pattern % 4 == _PATH else own[0]
            self._account(pattern).charge(is_chained=of_kind in of_parent or asked in of_parent)
        self._echoes.count(page.url, page.copy_of)
        self._count_copy(page, own[1])
        if page.copy_of is not None and (places := twin_places(page.url, page.copy_of)) is not None:
            self._share_page(*places, is_changed=page.likeness != 1.0)
        if page.is_gain:
            self._gain(charged, of_parent)
        else:
            self._share(charged)

    def _share_page(self, place: str, twin: str, *, is_changed: bool) -> None:
        """Count a page of a site that its twin had first; mirrors of one site are all the same twin."""
        self._twins.count(place, twin)
        for one, other in ((place, twin), (twin, place)):
            site, mark, folder = one.partition("/")
            account = self._account(_of_site(site))
            met = account.twin if self._twins.are_one(account.twin, other) else f"{other}{mark}{folder}"
            account.share(met, is_second=one == place, is_changed=is_changed)

    def _count_try(self, page: FetchedPage) -> None:
        """Count a page without gain of what is left alone, by the URL that was asked for or where it led."""
        found = None if page.requested is None else self._left_alone(page.requested)
        if (found := found or self._left_alone(page.url)) is not None:
            self._account(found[0]).tried += 1

    def _count_copy(self, page: FetchedPage, site: Pattern) -> None:
        """Count a page that its site gave before, and led to: some answer any URL with their home page."""
        is_own = page.copy_of is not None and site_of(page.copy_of) == site_of(page.url)
        if is_own and page.likeness == 1.0 and not _is_old_news(page):
            self._account(site).copied += 1
        elif (account := self._accounts.get(site)) is not None and account.copied:
            account.copied = 0

    def refuses(self, url: str) -> Refusal | None:
        """Return why a URL is not to be fetched now, None if it may be; asking changes nothing.

        A site that has ever brought a gain is a place of its own in its domain.
        """
        found = self._left_alone(url)
        if found is None:
            return None
        pattern, rule = found
        account, name = self._accounts.get(pattern, ONCE[0]), _names(url)[pattern % 4]
        times = 1 + account.tried + self._trying[name]
        step = times * self._step(rule, account)
        is_probe = hash((self._salt, url_key(url))) % step == 0
        return Refusal(rule, name, self._is_certain(rule, account), is_probe)

    def begin_probe(self, refusal: Refusal) -> None:
        """Take in that what is left alone is being tried: meanwhile others are so more rarely."""
        self._trying[refusal.name] += 1

    def end_probe(self, refusal: Refusal) -> None:
        """Take in that such a visit is over; its page, if there was one, is recorded."""
        self._trying[refusal.name] -= 1
        self._trying += Counter()  # without those at 0

    def _left_alone(self, url: str) -> tuple[Pattern, str] | None:
        """Return what a URL belongs to that comes last, and by which rule; None: nothing."""
        has_gained = False
        for number, pattern in enumerate(_patterns(url)):
            account = self._accounts.get(pattern)
            rule = None if account is None else self._rule(pattern, account)
            if rule is None and not number and (heard := self._echoes.heard(url)) is not None:
                return (_patterns(url)[2] if heard.is_of_host else pattern), QUERY
            if account is None or rule is None or (rule == DOMAIN and has_gained):
                has_gained = account is not None and account.has_gained
                continue
            return pattern, rule
        return None

    def _is_certain(self, rule: str, account: Account) -> bool:
        if rule == PATTERN:
            return not account.has_gained and account.dry >= self._budgets.endless
        if rule == SITE:
            return account.copied >= self._budgets.endless
        is_bare = not account.changed and not account.own
        return rule == MIRROR and is_bare and account.second >= self._budgets.mirror

    def _gain(self, own: Iterable[Pattern], of_parent: Iterable[Pattern]) -> None:
        for pattern in own:
            account = self._account(pattern)
            if account.is_mirror:
                account.second = account.enough  # three copies more: what it gained may be repeated, too
            account.own += 1
            account.open()
        for pattern in of_parent:
            account = self._account(pattern)
            asked_as = () if account.asked_as is None else (self._account(account.asked_as),)
            for leading in (account, *asked_as):
                leading.open()

    def _rule(self, pattern: Pattern, account: Account) -> str | None:
        budgets, kind = self._budgets, _RULES[pattern % 4]
        if kind == PATTERN:
            is_dry = account.dry >= budgets.pattern and pattern % 4 != _PATH
            return PATTERN if is_dry or self._is_chain(account) else None
        if kind == DOMAIN:
            is_dry = account.dry >= budgets.domain and account.sites >= budgets.domain_sites
            return DOMAIN if is_dry else None
        if account.is_mirror:
            return MIRROR
        return SITE if account.dry >= budgets.site else None

    def _step(self, rule: str, account: Account) -> int:
        if rule in {QUERY, MIRROR}:
            return COPIES_PROBED
        return CHAIN_PROBED if rule == PATTERN and self._is_chain(account) else PROBED

    def _is_chain(self, account: Account) -> bool:
        return account.chained >= self._budgets.chain and not account.has_gained

    def _account(self, pattern: Pattern) -> Account:
        """Return the account of a pattern as one that may change."""
        account = self._accounts.get(pattern)
        if account is None:
            if len(self._accounts) >= MOST_ACCOUNTS:
                self._forget_one()
            account = self._accounts[pattern] = Account()
            return account
        self._accounts.move_to_end(pattern)
        if account is ONCE[0] or account is ONCE[1]:
            account = self._accounts[pattern] = replace(account)
        return account

    def _share(self, patterns: Iterable[Pattern]) -> None:
        """Let accounts of one page without gain be one object: most hosts give no more."""
        for pattern in patterns:
            account = self._accounts[pattern]
            if account.pages == 1 and account in ONCE:
                self._accounts[pattern] = ONCE[ONCE.index(account)]

    def _forget_one(self) -> None:
        """Forget what was not met for longest, and what is left alone only where there is much of it."""
        oldest = list(islice(self._accounts, _PASSED_OVER))
        for pattern in oldest:
            if self._rule(pattern, self._accounts[pattern]) is None:
                del self._accounts[pattern]
                return
            self._accounts.move_to_end(pattern)
        del self._accounts[oldest[0]]


def _is_old_news(page: FetchedPage) -> bool:
    """Tell whether a page is one that its site gave before, and the site itself did not lead there.

    Others can make up as many addresses of a good page as they like.
    """
    if page.copy_of is None or site_of(page.copy_of) != site_of(page.url):
        return False
    return page.parent is None or site_of(page.parent) != site_of(page.url)


@lru_cache(maxsize=2048)
def _patterns(url: str) -> tuple[Pattern, ...]:
    """Return the accounts of a URL: its pattern's, its site's, its domain's; its path's if it has a query."""
    return tuple(4 * hash(name) + kind for kind, name in enumerate(_names(url)))


def _names(url: str) -> tuple[str, ...]:
    pattern, site = pattern_of(url), site_of(url)
    path, mark, _ = pattern.partition("?")
    names = pattern, site, domain_of(host_of(url))
    return (*names, path + mark) if mark else names


def _of_site(name: str) -> Pattern:
    return 4 * hash(name) + 1
