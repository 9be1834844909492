"""A crawl without Scrapy's engine: the same pages in the same order as `scrapy crawl` at concurrency 1.

Visits, frontier, analysis and strategy are those of a real crawl; pages come analysed, and nobody is asked:
there is no robots.txt, and time passes only where the frontier's rules or answers make a crawl wait.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import NamedTuple

from focused_crawler.crawl.analysis import Analysis, Analyst, checksum
from focused_crawler.crawl.failure import Failure
from focused_crawler.crawl.listing_visit import listing_parts
from focused_crawler.crawl.lists.use import StartPages
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.steering import JudgedPage, Steering
from focused_crawler.crawl.visit import Visit
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.measures import FINISHED, PAGES_SPENT
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.page.listing import ROBOTS, SiteListing
from focused_crawler.page.model import Page
from focused_crawler.page.url import normalise
from focused_crawler.safety.aside import finished
from focused_crawler.store.item import PageItem
from focused_crawler.virtualweb.analysed.web import MAX_HOPS, AnalysedWeb

_REDIRECTS = Failure("redirects", retry=False)
_NO_LISTING = Failure("no_listing", retry=False)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a simulated crawl came to."""

    visits: list[int]  # page numbers in the order of fetching
    urls: list[str]  # of these pages, as a crawl records them
    reason: str  # why it ended: `PAGES_SPENT`, or `FINISHED` when nothing was left to fetch
    listings: list[int]  # of each sitemap or feed that was read, how many pages were fetched before it
    seconds: float  # that it would have taken
    requests: int  # redirects not counted


class Flight(NamedTuple):
    """How many URLs are in flight at a time, and how long an answer takes."""

    urls: int = 1
    latency: float = 0.0  # seconds, the median of a log-normal distribution


_LATENCY_SIGMA = 0.5


def simulate(
    analyst: Analyst,
    web: AnalysedWeb,
    seeds: Sequence[str],
    pages: int,
    rules: Rules,
    *,
    relevance: dict[int, float] | None = None,
    flight: Flight | None = None,
) -> Simulation:
    """Crawl up to so many pages of a web from its seeds; sitemaps and feeds count as pages.

    One URL is in flight at a time, and answered at once, without a `flight`. A redirect that has to wait for
    its host holds up all that is in flight, so that `seconds` are rather too many.
    The analyst's strategy learns as it goes: each simulation needs a new one. `relevance` holds what the
    analyst's model says of pages by number, from earlier simulations with that model, and takes in what is
    found out in this one. ValueError if the analyst reads pages in another way than `web` was read.
    """
    _check(analyst, web)
    known = {} if relevance is None else relevance
    with SimulatedRecords(is_distilled=analyst.config.steering.hub_trigger > 0) as records:
        starts = StartPages(tuple(seeds)).keys
        crawl = _Crawl(analyst, web, rules, known, records, starts=starts, flight=flight or Flight())
        crawl.run(seeds, pages)
    urls = [web.urls[number] for number in crawl.visits]
    is_spent = len(urls) + len(crawl.listings) >= pages
    reason = PAGES_SPENT if is_spent else FINISHED
    return Simulation(crawl.visits, urls, reason, crawl.listings, crawl.now, crawl.requests)


def _check(analyst: Analyst, web: AnalysedWeb) -> None:
    config = analyst.config
    reading = replace(
        web.reading,
        language=analyst.analyzer.language,
        block_alpha=config.block_alpha,
        block_min_words=config.block_min_words,
        context_words=config.context_words,
    )
    if reading != web.reading:
        raise ValueError(f"the web was read by {web.reading}; open it for {reading}")


class _Crawl:
    def __init__(
        self,
        analyst: Analyst,
        web: AnalysedWeb,
        rules: Rules,
        relevance: dict[int, float],
        records: SimulatedRecords,
        *,
        starts: frozenset[int],
        flight: Flight,
    ) -> None:
        """`starts`: keys of the start pages."""
        self._analyst = analyst
        self._web = web
        self._relevance = relevance
        self._frontier = MemoryFrontier(rules)
        settings = analyst.config.steering
        steering = Steering(settings, records.original, SketchesInMemory(), records.database)
        # else copies change no order
        self._compares = settings.trap_budgets or settings.hub_trigger > 0 or steering.listings is not None
        first = set(starts)
        context = VisitContext(
            self._frontier,
            steering,
            records,
            rules,
            is_polite=False,
            rescore=analyst.order.rescore,
            first=first,
            rescoring=Rescoring(analyst, self._frontier, self._frontier.urls, first),
            scope=analyst.scope,
        )
        self._visits = Visits(context)
        self._flight = flight
        self._latencies = random.Random(rules.seed)
        self._out: list[tuple[float, int, Visit]] = []  # heap, by when the answer comes
        self.requests = 0
        self.now = 0.0
        self.visits: list[int] = []
        self.listings: list[int] = []
        if steering.listings is not None:
            steering.listings.named_by = self._sitemaps

    def _sitemaps(self, root: str) -> list[str]:
        robots = self._web.listing(f"{root}/robots.txt")
        return [] if robots is None or robots.kind != ROBOTS else [entry.url for entry in robots.entries]

    def run(self, seeds: Sequence[str], pages: int) -> None:
        """Fetch until the pages are spent or none is left; the first seed leaves before the others come."""
        first, *others = [url for seed in seeds if (url := normalise(seed)) is not None] or [""]
        self._frontier.add([Candidate(first, 1.0)] if first else [])
        if pages and self._begin():
            self._frontier.add(Candidate(seed, 1.0) for seed in others)
        while (visit := self._next(pages)) is not None:
            self._fetch(visit)

    def _begin(self) -> bool:
        """Begin the visit of the best URL; return whether there is one now."""
        visit = self._visits.take(self.now)
        if visit is None:
            return False
        self.requests += 1
        takes = self._flight.latency * self._latencies.lognormvariate(0.0, _LATENCY_SIGMA)
        heappush(self._out, (self.now + takes, self.requests, visit))
        return True

    def _next(self, pages: int) -> Visit | None:
        """Begin as many visits as may be in flight, and wait for the first answer; None: there is no more."""
        while True:
            fetched = len(self.visits) + len(self.listings)
            has_room = len(self._out) < self._flight.urls and fetched + len(self._out) < pages
            if has_room and self._begin():
                continue
            answer_at = self._out[0][0] if self._out else math.inf
            ready_at = self._visits.next_ready_at(self.now) if has_room else None
            if ready_at is not None and ready_at < answer_at:
                self.now = max(self.now, ready_at)
            elif self._out:
                self.now = max(self.now, answer_at)
                return heappop(self._out)[-1]
            else:
                return None

    def _fetch(self, visit: Visit) -> None:
        """Follow a visit to its page, or to its failure, as middlewares and scheduler do."""
        url = visit.url
        for hops in range(MAX_HOPS + 1):
            page, location, status, _ = self._web.answer(url)
            is_last = hops == MAX_HOPS
            if visit.listing is not None and (listing := self._web.listing(url)) is not None:
                self._list(visit, listing, url)
                return
            if page is not None and (location is None or is_last or normalise(location) == normalise(url)):
                if visit.listing is None:
                    self._read(visit, page)
                else:
                    visit.fail(_NO_LISTING, self.now)
                return
            if location is None:
                failure = visit.respond(status, url, self.now, is_html=False)
                visit.fail(failure or _REDIRECTS, self.now)
                return
            if not is_last and not self._goes_on(visit, location):
                return
            url = location
        visit.fail(_REDIRECTS, self.now)

    def _list(self, visit: Visit, listing: SiteListing, url: str) -> None:
        """Queue what a sitemap or feed lists, and end its visit."""
        failure = visit.respond(200, url, self.now)
        if failure is not None:
            visit.fail(failure, self.now)
            return
        self.listings.append(len(self.visits))
        finished(listing_parts(visit, self._analyst, listing, url, self.now))

    def _goes_on(self, visit: Visit, location: str) -> bool:
        """Follow a redirect, after a wait if need be; return whether the visit goes on."""
        ready_at = visit.redirect(location, self.now)
        while ready_at is not None and ready_at > self.now:
            self.now = ready_at
            ready_at = visit.go_on(location, self.now)
        return ready_at is not None

    def _read(self, visit: Visit, number: int) -> None:
        """Judge a page, queue its links and end its visit."""
        url = self._web.urls[number]
        failure = visit.respond(200, url, self.now)
        if failure is not None:
            visit.fail(failure, self.now)
            return
        lease, analysis = visit.lease, self._analysis(visit.lease, number)
        visit.links(url, self._analyst.score(analysis), analysis.depth)
        visit.learnt = analysis.learnt
        item = PageItem(
            url=url,
            requested_url=lease.url,
            parent=lease.parent,
            depth=analysis.depth,
            title="",
            relevance=analysis.relevance,
            is_relevant=analysis.is_relevant,
            links=analysis.links or 0,
            status=200,
            size=0,
            fetched_at=0.0,
            log_rd=None if analysis.page.focus is None else analysis.page.focus.log_rd,
            by_content=analysis.page.by_content,
            checksum=checksum(analysis.page.text) if self._compares else "",
        )
        if self._compares:
            visit.judged = JudgedPage(self._analyst.sketch(analysis.page), named=analysis.page.named)
            visit.compare(item)
        self.visits.append(number)
        visit.record(item, self.now)

    def _analysis(self, lease: Lease, number: int) -> Analysis:
        page = self._web.page(number)
        page.depth, page.path, page.asked = lease.depth, lease.path, lease.url
        relevance = self._known(page, number)
        self._analyst.judge(page, relevance)
        return Analysis(page.title, "", relevance, page.is_relevant, lease.depth, page, links=len(page.links))

    def _known(self, page: Page, number: int) -> float:
        """Return how relevant a page is; remembered, unless it depends on the way that led to it."""
        if self._analyst.model.reads_path:
            return self._analyst.model.classifier.relevance(page)
        if number not in self._relevance:
            self._relevance[number] = self._analyst.model.classifier.relevance(page)
        return self._relevance[number]
