"""What all visits of a crawl have in common: what they work on, and what is no rule of a single lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focused_crawler.crawl.failure import Failure
from focused_crawler.crawl.link_order import Rescore
from focused_crawler.crawl.recorder import Recorder
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.canonical import CANONICAL
from focused_crawler.crawl.steering.known import EarlierPage, KnownPages
from focused_crawler.crawl.steering.listings import WANTED, Listings
from focused_crawler.crawl.steering.lowered import LoweredInMemory, LoweredUrls
from focused_crawler.crawl.steering.maintenance import Maintenance
from focused_crawler.crawl.steering.steering import JudgedPage, Steering
from focused_crawler.crawl.steering.terms import FetchedPage
from focused_crawler.frontier.base import Candidate, Frontier, Rules
from focused_crawler.page.url import url_key
from focused_crawler.store.item import PageItem
from focused_crawler.topic.scope import EVERYWHERE, Scope


class Ending(NamedTuple):
    """How a visit ended without a new page."""

    failure: Failure  # or `UNCHANGED`, `KNOWN`, `LISTED`
    is_retried: bool
    is_revisit: bool
    is_listing: bool


@dataclass(eq=False, slots=True)
class VisitContext:
    """What a visit is handed beside its lease."""

    frontier: Frontier
    steering: Steering
    recorder: Recorder
    rules: Rules
    lowered: LoweredUrls = field(default_factory=LoweredInMemory)
    is_polite: bool = True  # somebody is asked, and may have to be waited for
    rescore: Rescore | None = None  # None: links keep their highest scores
    rescoring: Rescoring | None = None  # of any links, after each page
    first: set[int] = field(default_factory=set)
    """Keys of pages that are not scored again: start pages, those that were ordered or raised."""
    scope: Scope = EVERYWHERE
    maintenance: Maintenance | None = None
    known: KnownPages | None = None
    listener: Callable[[Ending], None] | None = None  # of visits that end without a new page
    traps: Counter[str] = field(default_factory=Counter)
    """Rule of a budget -> URLs that it put off or refused."""

    @property
    def revisits(self) -> Maintenance:
        """Return what writes down revisits: there are none without it."""
        assert self.maintenance is not None
        return self.maintenance

    @property
    def listings(self) -> Listings:
        """Return what decides which sitemaps and feeds are fetched: without it, none is."""
        assert self.steering.listings is not None
        return self.steering.listings

    def is_recorded(self, url: str) -> bool:
        """Tell whether the page of a URL is recorded, and may be queued for all that."""
        return self.maintenance is not None and self.maintenance.known(url) is not None

    def known_links(self, page: EarlierPage) -> list[ScoredLink]:
        """Return the links that an earlier crawl saw on a page, as it scored them."""
        assert self.known is not None
        return [
            ScoredLink(link, text, block, None if self.scope.outside(link) else score)
            for link, text, block, score in self.known.links(page)
        ]

    def hold(self, links: Sequence[Candidate], held: Mapping[str, float] | None) -> dict[str, float]:
        """Return links that may have to be scored again once their page is recorded; each counts once."""
        found = dict(held or {})
        for link in links:
            if url_key(link.url) not in self.first:
                found[link.url] = max(link.priority, found.get(link.url, 0.0))
        return found

    def score_again(self, held: Mapping[str, float], *, is_new: bool) -> None:
        """Hand new priorities of a page's links to the frontier, in the transaction that ends its visit."""
        if self.rescore is not None:
            again = self.recorder.holds(held, is_new=is_new)
            scores = self.rescore(again)
            self.frontier.reprioritise({link.url: score for link, score in zip(again, scores, strict=True)})

    def steer(self, item: PageItem, judged: JudgedPage | None) -> None:
        """Let a page that has just been stored steer the crawl: queue what it raises, and listings."""
        canonical = "" if judged is None else judged.named.canonical
        if canonical and (decision := self.steering.name(item.url, canonical, item.checksum or "")):
            self.recorder.decision(decision, CANONICAL, url=item.url, detail=canonical)
        for raised in self.steering.recorded(judged, FetchedPage.of(item)):
            url = raised.candidate.url
            if not self.scope.outside(url) and not self.scope.is_too_deep(raised.candidate.depth - 1):
                self.frontier.add([raised.candidate])
                self.first.add(url_key(url))
                self.recorder.decision("raised", "hub", url=url, detail=raised.hub)
        if self.steering.listings is not None:
            self.note_listings(item.url)
            if wanted := self.steering.wanted_listings():
                self.frontier.add(wanted)

    def note_listings(self, by: str) -> None:
        """Write down the sitemaps and feeds that were met, for a run that goes on."""
        for kind, url in self.listings.met:
            self.recorder.decision(WANTED, kind, url=by, detail=url)
        self.listings.met.clear()

    def note_closed_hosts(self) -> None:
        """Write down the hosts that nothing more is asked of."""
        for host, rule in self.frontier.closed_hosts():
            self.recorder.decision("closed", rule, host=host)
            if self.maintenance is not None:
                self.maintenance.closed(host)
