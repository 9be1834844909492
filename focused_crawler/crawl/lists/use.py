"""What the lists of a topic bring into a crawl (start pages, priors of sites), and what it adds to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.counts import CrawlCount, count_crawl, identity_of
from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.steering.url_kinds import domain_of
from focused_crawler.page.url import normalise, site_of, url_key
from focused_crawler.store.job import FINISHED, RunInfo, read_run
from focused_crawler.topic.scope import EVERYWHERE, Scope
from focused_crawler.topic.topic import Topic


def lists_for(config: CrawlConfig, topic: Topic) -> Lists | None:
    """Open the lists of a crawl's topic, without the crawl's own numbers; None where it goes by no lists.

    A named job that goes on may have been counted; by its own numbers it would become another crawl. Raises
    TopicError for lists that cannot be read, CrawlError for a job that cannot.
    """
    path = lists_path(topic, config.models)
    if not config.uses_lists or not path.exists():
        return None
    run = read_run(config.crawls / topic.name / config.job) if config.job else None
    return Lists(path, read_only=True, without="" if run is None else identity_of(run))


MOST_SITES = 100
MOST_HUBS = 50
"""Start pages of a kind at most: all of them are fetched before any link, so a crawl of a thousand pages must
not be spent on them."""
HUBS_A_SITE = 2
DOMAIN_SHARE = 0.1
"""Of the start pages of a kind, at least one, those of one registered domain: all may be one owner's."""


def seeds_of(lists: Lists, scope: Scope = EVERYWHERE) -> list[str]:
    """Return the entries of kept sites, those with most relevant pages first, then the hubs, the same way.

    What is banned is left out, and hubs on a banned site with it; so is what lies outside the scope.
    A domain has its share at most. A site that a person added, where nothing was fetched yet, is entered at
    its root.
    """
    sites, hubs = lists.sites(), lists.hubs()
    chosen: dict[int, str] = {}
    banned = {site.site for site in sites if site.mark == "banned"}
    banned_keys = {url_key(hub.url) for hub in hubs if hub.mark == "banned"}
    entries = [site.entry or f"https://{site.site}/" for site in sites if site.is_kept]
    of_domain: Counter[str] = Counter()
    for entry in entries:
        is_out = scope.outside(entry) or is_banned(site_of(entry), banned)
        is_open = not is_out and url_key(entry) not in banned_keys
        if len(chosen) < MOST_SITES and is_open and _has_room(of_domain, entry, MOST_SITES):
            chosen[url_key(entry)] = entry
    used: Counter[str] = Counter()
    of_domain.clear()
    for hub in [hub for hub in hubs if hub.is_kept and not scope.outside(hub.url)]:
        host = site_of(hub.url)
        is_new = url_key(hub.url) not in chosen
        if not is_banned(host, banned) and is_new and used[host] < HUBS_A_SITE:
            if used.total() >= MOST_HUBS:
                break
            if _has_room(of_domain, hub.url, MOST_HUBS):
                used[host] += 1
                chosen[url_key(hub.url)] = hub.url
    return list(chosen.values())


def is_banned(site: str, banned: Collection[str]) -> bool:
    """Tell whether a site is banned by its own name, or lies below one that is.

    >>> is_banned("a.b.example.org:8080", {"b.example.org"}), is_banned("example.org", {"b.example.org"})
    (True, False)
    """
    name = site.partition(":")[0]
    while name and name not in banned:
        name = name.partition(".")[2]
    return bool(name) or site in banned


def _has_room(of_domain: Counter[str], url: str, most: int) -> bool:
    """Count a start page for its domain, unless that has its share of so many."""
    domain = domain_of(site_of(url))
    of_domain[domain] += 1
    return of_domain[domain] <= max(1, int(DOMAIN_SHARE * most))


LISTED_PRIORITY = 0.99
"""Of start pages from the lists: after the user's own (1), before what links bring."""


@dataclass(frozen=True, slots=True)
class StartPages:
    """URLs that a crawl begins with."""

    own: tuple[str, ...]  # the topic's, or those of the seed set
    listed: tuple[str, ...] = ()  # out of the lists, none of which is among the others

    @property
    def keys(self) -> frozenset[int]:
        """Return what they are known by."""
        return frozenset(url_key(normalise(url) or url) for url in (*self.own, *self.listed))


def start_pages(config: CrawlConfig, topic: Topic) -> StartPages:
    """Return what a crawl starts from; TopicError if there is nothing, else what `lists_for` raises."""
    listed: list[str] = []
    if (lists := lists_for(config, topic)) is not None:
        with lists:
            listed = seeds_of(lists, config.scope(topic.scope))
    has_own = config.seed_set or topic.seeds or not listed
    own = topic.seeds_of(config.seed_set or None) if has_own else ()
    known = StartPages(own).keys
    return StartPages(own, tuple(url for url in listed if url_key(url) not in known))


MOST_PRIOR_SITES = 10_000
STRENGTH = 10.0
"""So many pages does the share over all sites count for on each of them: alpha + beta of a Beta prior."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Share of relevant pages of each site, and its weight.

    A site's share is the mean of a Beta distribution, (relevant + STRENGTH * base) / (pages + STRENGTH), with
    `base` the share over all sites: a site of two pages is hardly known. Unknown sites have `base`, so that
    they come after good sites and before bad ones. Sites that a person banned have 0, and all below them.
    """

    weight: float  # of a site's share, [0, 1]
    base: float
    shares: Mapping[str, float]
    banned: frozenset[str] = frozenset()

    @classmethod
    def of(cls, lists: Lists, weight: float) -> Self:
        """Read the sites of the lists. `weight`: [0, 1]."""
        sites = lists.sites()[:MOST_PRIOR_SITES]
        pages, relevant = sum(site.pages for site in sites), sum(site.relevant for site in sites)
        base = (relevant + 1) / (pages + 2)
        shares = {site.site: (site.relevant + STRENGTH * base) / (site.pages + STRENGTH) for site in sites}
        return cls(weight, base, shares, frozenset(site.site for site in sites if site.mark == "banned"))

    def __bool__(self) -> bool:
        """Tell whether any site is known."""
        return bool(self.shares)

    def share(self, url: str) -> float:
        """Return the share of relevant pages to be expected of the site of a normalised URL, [0, 1]."""
        site = site_of(url)
        if self.banned and is_banned(site, self.banned):
            return 0.0
        return self.shares.get(site, self.base)

    def apply(self, urls: Sequence[str], scores: Sequence[float | None]) -> list[float | None]:
        """Return (1 - weight) * score + weight * share of each URL; None (do not follow) stays None."""
        rest = 1.0 - self.weight
        return [
            None if score is None else min(1.0, rest * score + self.weight * self.share(url))
            for url, score in zip(urls, scores, strict=True)
        ]


def load_priors(config: CrawlConfig, topic: Topic) -> Priors | None:
    """Return the priors of a crawl; None where lists or their weight are off, or nothing is listed.

    The crawl's own numbers are left out. Raises what `lists_for` does.
    """
    lists = lists_for(config, topic) if config.list_prior else None
    if lists is None:
        return None
    with lists:
        return Priors.of(lists, config.list_prior) or None


def update_lists(topic: Topic, models: Path | None, crawl: Path) -> CrawlCount:
    """Count the crawl in a folder into the lists of its topic; one that was counted before is counted anew.

    Raises TopicError where the lists cannot be written, CrawlError where the crawl cannot be read.
    """
    found = count_crawl(crawl, topic.name)
    with Lists(lists_path(topic, models)) as lists:
        lists.count(found)
    return found


def count_ended(topic: Topic, config: CrawlConfig, crawl: Path, run: RunInfo) -> None:
    """Count a crawl into the lists of its topic if it goes by them, is over and has pages.

    Raises as `update_lists` does.
    """
    if config.uses_lists and run.state == FINISHED and run.totals.get("pages"):
        update_lists(topic, config.models, crawl)
