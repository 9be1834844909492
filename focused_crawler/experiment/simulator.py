"""A crawl without Scrapy's engine: the same pages in the same order as `scrapy crawl` at concurrency 1.

Frontier, analysis and strategy are those of a real crawl; pages come analysed, and nobody is asked: there is
no robots.txt, and time passes only where the frontier's rules make a crawl wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from focused_crawler.crawl.analysis import Analysis, Analyst, candidates, checksum
from focused_crawler.crawl.steering.copies import Copy, SketchesInMemory
from focused_crawler.crawl.steering.steering import Judged, Steering, candidate
from focused_crawler.crawl.steering.traps import Visit
from focused_crawler.crawl.steering.url_kinds import refused
from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.page.model import Page
from focused_crawler.page.url import host_of, normalise, site_of, url_key
from focused_crawler.safety.content import RETRIED_STATUSES
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.analysed.web import MAX_HOPS, AnalysedWeb


class Records:
    """Pages and their links to other sites, in a crawl's database that is thrown away in the end."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        folder = self._stack.enter_context(TemporaryDirectory())
        self.database = self._stack.enter_context(CrawlDatabase(Path(folder) / "crawl.db"))
        self._store = PageStore(self.database)

    def record(self, visit: Visit, analysis: Analysis) -> None:
        """Keep a page as a crawl would, as far as a distillation can see."""
        url = visit.url
        site = site_of(url)
        links = [link[:4] for link in analysis.scored or () if site_of(link.url) != site]
        self._store.record_links(url, links)
        self._store.record_page(
            PageItem(
                url=url,
                requested_url=visit.requested or url,
                depth=analysis.depth,
                relevance=analysis.relevance,
                is_relevant=visit.is_gain,
                duplicate_of=visit.copy_of,
                fetched_at=0.0,
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


PAGES_SPENT = "pages_budget"
FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Simulation:
    """What a simulated crawl came to."""

    visits: list[int]  # page numbers in the order of fetching
    urls: list[str]  # of these pages, as a crawl records them
    reason: str  # why it ended: `PAGES_SPENT`, or `FINISHED` when nothing was left to fetch


def simulate(
    analyst: Analyst,
    web: AnalysedWeb,
    seeds: Sequence[str],
    pages: int,
    rules: Rules,
    *,
    relevance: dict[int, float] | None = None,
) -> Simulation:
    """Crawl up to so many pages of a web from its seeds.

    The analyst's strategy learns as it goes: each simulation needs a new one. `relevance` holds what the
    analyst's model says of pages by number, from earlier simulations with that model, and takes in what is
    found out in this one. ValueError if the analyst reads pages in another way than `web` was read.
    """
    _check(analyst, web)
    known = {} if relevance is None else relevance
    with Records() if analyst.config.steering.hub_trigger else nullcontext() as records:
        crawl = _Crawl(analyst, web, rules, known, records)
        crawl.run(seeds, pages)
    urls = [web.urls[number] for number in crawl.visits]
    return Simulation(crawl.visits, urls, PAGES_SPENT if len(urls) >= pages else FINISHED)


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
        records: Records | None,
    ) -> None:
        self._analyst = analyst
        self._web = web
        self._rules = rules
        self._relevance = relevance
        self._frontier = MemoryFrontier(rules)
        self._records = records
        self._first: dict[str, str] = {}  # checksum -> URL of the first page with it
        self._steering = Steering(
            analyst.config.steering,
            self._first.get,
            SketchesInMemory(),
            records.database if records else None,
        )
        self._now = 0.0
        self.visits: list[int] = []

    def run(self, seeds: Sequence[str], pages: int) -> None:
        """Fetch until the pages are spent or none is left; the first seed leaves before the others come."""
        first, *others = [url for seed in seeds if (url := normalise(seed)) is not None] or [""]
        self._frontier.add([Candidate(first, 1.0)] if first else [])
        while len(self.visits) < pages and (lease := self._next()) is not None:
            self._frontier.add(Candidate(seed, 1.0) for seed in others)
            others = []
            self._fetch(lease)

    def _next(self) -> Lease | None:
        """Return the best URL that is no trap, after a wait if need be."""
        lease = self._take()
        while lease is not None and self._steering.refuses(lease.url):
            self._frontier.release(lease.url)  # its host was not asked
            self._frontier.failed(lease.url, None)
            lease = self._take()
        return lease

    def _take(self) -> Lease | None:
        while not (leases := self._frontier.take(1, self._now)):
            ready_at = self._frontier.next_ready_at()
            if ready_at is None:
                return None
            self._now = ready_at
        return leases[0]

    def _fetch(self, lease: Lease) -> None:
        """Follow a lease to its page, or to its failure, as middlewares and scheduler do."""
        url = lease.url
        for hops in range(MAX_HOPS + 1):
            page, location, status, _ = self._web.answer(url)
            is_last = hops == MAX_HOPS
            if page is not None and (location is None or is_last):
                self._visit(lease, page)
                return
            if location is None:
                self._fail(lease, is_retried=status in RETRIED_STATUSES)
                return
            if is_last or not self._goes_on(lease, location):
                break
            url = location
        self._fail(lease)

    def _goes_on(self, lease: Lease, location: str) -> bool:
        """Tell whether a redirect may be followed: not to what is somebody else's, or is done with."""
        target = normalise(location) or location
        if self._is_taken(lease, target) or self._steering.refuses(target):
            return False
        ready_at = self._frontier.redirected(lease.url, host_of(target), self._now)
        while ready_at is not None and ready_at > self._now:
            self._now = ready_at
            ready_at = self._frontier.redirected(lease.url, host_of(target), self._now)
        return ready_at is not None

    def _is_taken(self, lease: Lease, url: str) -> bool:
        return url_key(url) != url_key(lease.url) and self._frontier.is_known(url)

    def _fail(self, lease: Lease, *, is_retried: bool = False) -> None:
        again = is_retried and lease.tries + 1 < self._rules.max_tries
        self._frontier.failed(lease.url, self._now if again else None)

    def _visit(self, lease: Lease, number: int) -> None:
        """Judge a page, queue its links and end its lease."""
        url = self._web.urls[number]
        if url != lease.url and self._is_taken(lease, normalise(url) or lease.url):
            self._fail(lease)
            return
        analysis = self._analysis(lease, number)
        scored = self._analyst.score(analysis)
        if not self._analyst.is_too_deep(analysis.depth):
            self._frontier.add(candidates(scored, lease.depth + 1, url))
        copy = self._copy(lease, url, analysis)
        is_gain = analysis.is_relevant and copy is None
        visit = Visit(url, lease.parent, is_gain, copy and copy.url, None if url == lease.url else lease.url)
        if self._records is not None:
            self._records.record(visit, analysis)
        self._frontier.done(lease.url, url)
        self.visits.append(number)
        words, raised = self._analyst.config.skipped_words, self._steering.recorded(lease.url, visit)
        self._frontier.add(candidate(one) for one in raised if not refused(one.url, words))

    def _copy(self, lease: Lease, url: str, analysis: Analysis) -> Copy | None:
        """Find out of what a page is a copy, if that makes a difference to the order of fetching."""
        steering = self._analyst.config.steering
        if not (steering.trap_budgets or steering.hub_trigger):
            return None
        page = analysis.page
        fingerprint = checksum(page.text)
        self._steering.judged(lease.url, Judged(self._analyst.sketch(page)))
        copy = self._steering.compare(lease.url, url, fingerprint)
        if copy is None and fingerprint:
            self._first[fingerprint] = url
        return copy

    def _analysis(self, lease: Lease, number: int) -> Analysis:
        page = self._web.page(number)
        page.depth, page.path = lease.depth, lease.path
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
