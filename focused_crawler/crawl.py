"""A crawl under way: its folder, frontier and database, and the one way a page is recorded. Plain Python."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

from focused_crawler.analysis import ScoredLink, candidates
from focused_crawler.crawl_parts import describe, known_targets, open_frontier, recall_memory, steer
from focused_crawler.errors import CrawlError
from focused_crawler.frontier.base import Frontier, Lease
from focused_crawler.items import PageItem
from focused_crawler.journal import Journal
from focused_crawler.metrics.harvest import HarvestRate
from focused_crawler.page.url import normalise, url_key
from focused_crawler.plan import CrawlPlan
from focused_crawler.steering.copies import Copy
from focused_crawler.steering.known import KnownPages
from focused_crawler.steering.maintenance import Maintenance
from focused_crawler.steering.revisit_store import RevisitStore, Validators, conditions
from focused_crawler.steering.steering import candidate
from focused_crawler.steering.traps import Visit
from focused_crawler.steering.url_words import refused
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, rewrite_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import FINISHED, STOPPED, choose_folder, read_run, write_run
from focused_crawler.store.links import LinkRows
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageRecord, PageStore
from focused_crawler.telemetry.steps import Steps

INTERRUPTIONS = frozenset({"shutdown", "cancelled", "start_error", "memusage_exceeded", "storage_failed"})
"""Close reasons after which the same command goes on."""

GONE = frozenset({"http_404", "http_410", "redirect_to_known"})
"""Failures by which a page that was there is no more: it leads elsewhere, or nowhere."""

MOST_REFUSED = 100
"""So many traps are dropped at a time: more would keep what has arrived waiting."""


class Failure(NamedTuple):
    """Why a URL gave no page."""

    reason: str  # a short class: robots, http_404, timeout, ...
    retry: bool
    retry_after: float | None = None  # seconds the host asked us to wait
    refused_by: str | None = None  # the host that would not serve us now: by 429, by 503 or with Retry-After
    detail: str = ""  # what belongs to the reason: a URL


class Crawl:
    """The only writer of what a page leaves behind.

    Links go into the frontier before their page is recorded; the page, the end of its lease and the rows of
    its links are committed together, with those of other pages where many end at once. So after a crash a
    page is wholly there, or will be fetched again.
    """

    worker: str | None = None
    """Name of the process, where several share the crawl."""

    def __init__(self, plan: CrawlPlan) -> None:
        """Open or go on with the crawl's folder; raises CrawlError."""
        self.plan = plan
        self.steps = Steps()
        self.run = describe(plan)
        self.folder = choose_folder(plan.config.crawls, self.run)
        self.database = self._open_database()
        self.store = PageStore(self.database)
        self.traps = 0  # URLs that this run would not fetch
        self._must_keep_times = plan.config.host_delay > 0  # hosts are waited for, after a crash too
        self._in_flight: dict[str, int | None] = {}  # leased URL -> identity of the page it turned out to be
        self._earlier = read_run(self.folder)
        self._run_started, self._run_began = time.time(), time.monotonic()
        self._read_back()
        self.is_resumed = self.rate.pages > 0
        self._memory = recall_memory(plan.analyst, self.database, self.rate.pages)
        self._check_budget()
        self.frontier, self.journal = self._open_frontier()
        self._begin()
        self.known = KnownPages(plan.known)
        self.maintenance = Maintenance(
            plan.config.revisit_share,
            RevisitStore(self.database, self.store),
            self.frontier,
            pages=self.rate.pages,
            run=self.run_id,
            started=self._run_started,
        )

    def _open_database(self) -> CrawlDatabase:
        return open_crawl_database(self.folder, self.plan.config.database, self.run)

    def _open_frontier(self) -> tuple[Frontier, Journal]:
        frontier = open_frontier(self.plan.config, self.database)
        return frontier, Journal(self.database, self.steps, self._keep_memory)

    def _read_back(self) -> None:
        """Take in what the runs before have recorded."""
        plan = self.plan
        self.rate = HarvestRate.from_outcomes(self.store.outcomes(by_target=plan.truth is not None))
        self.recall = known_targets(plan, self.store)
        self.steering = steer(plan.config.steering, self.database, self.store)

    @property
    def feed(self) -> Path:
        """Return the path of the crawl's feed."""
        return self.folder / FEED

    @property
    def seconds(self) -> float:
        """Return the time spent crawling, over all runs."""
        earlier = self._earlier.seconds if self._earlier else 0.0
        return earlier + time.monotonic() - self._run_began

    @property
    def judged_before(self) -> str:
        """Return what judged pages in the run before; empty if it is the same now, or nobody knows."""
        earlier = self._earlier.judge if self._earlier else ""
        return earlier if earlier != self.run.judge else ""

    @property
    def fetches(self) -> int:
        """Return the number of pages and of revisits, over all runs."""
        return self.rate.pages + self.store.counters["revisits"]

    @property
    def in_flight(self) -> int:
        """Return the number of leases that have not ended."""
        return len(self._in_flight)

    def spent(self) -> str | None:
        """Return why the crawl has to stop, None while it may go on."""
        return self.plan.budget.spent(self.fetches, self.rate.relevant, self.seconds)

    def has_room(self, aside: int = 0) -> bool:
        """Tell whether one more URL may be in flight, by concurrency and by budget.

        `aside`: so many of those in flight wait for a host; in strict order all others wait with them.
        """
        config, in_flight = self.plan.config, len(self._in_flight)
        active = in_flight if config.strict_order else in_flight - aside
        return active < config.concurrency and self.plan.budget.has_room(self.fetches, in_flight)

    def expire_leases(self, now: float) -> None:
        """Forget those in flight that have been out for too long: somebody lost them."""
        if self.frontier.expire(now):
            out = self._in_flight.items()
            self._in_flight = {url: key for url, key in out if self.frontier.is_known(url)}

    def next_lease(self, now: float) -> Lease | None:
        """Return the best URL to fetch now, None when none is ready."""
        self.maintenance.queue(now, self.rate.pages, len(self._in_flight))
        lease = self._take(now)
        if lease is not None and self._must_keep_times:
            self.journal.keep_times()
        return lease

    def _take(self, now: float) -> Lease | None:
        """Lease the best URL that is no trap; after many traps in a row others have their turn first."""
        for _ in range(MOST_REFUSED):
            leases = self.frontier.take(1, now)
            if not leases:
                return None
            url = leases[0].url
            self._in_flight[url] = None
            self.maintenance.lease(url)
            refusal = self.steering.refuses(url)
            if refusal is None or self.maintenance.page(url) is not None:
                return leases[0]
            self.traps += 1
            self.frontier.release(url)  # its host was not asked
            self.fail(url, Failure(refusal.rule, retry=False, detail=refusal.name))
        return None

    def conditions(self, lease: str, url: str) -> Mapping[str, str]:
        """Return the headers by which a lease is to ask for a URL: what of it need not be sent."""
        page = self.maintenance.page(lease)
        if page is None:
            return self.known.conditions(lease, url)
        return conditions(page) if page.is_at(url) else {}

    def claim(self, lease: str, url: str) -> bool:
        """Say that a lease led to the page at `url`; False when that page is another's, or was fetched."""
        final = normalise(url) or lease
        key = url_key(final)
        if key in self._in_flight.values():
            return False
        if key != url_key(lease) and (self.frontier.is_known(final) or self.maintenance.knows(final)):
            return False
        self._in_flight[lease] = key
        return True

    def compare(self, item: PageItem) -> None:
        """Say of which page, recorded before, a page is a copy; it is no further relevant page then."""
        copy = self.steering.compare(item.requested_url, item.url, item.checksum)
        if copy is not None and not self.is_revisit(item):
            mark_copy(item, copy)

    def is_hit(self, item: PageItem) -> bool:
        """Tell whether a page counts as relevant: by ground truth if there is one, else by the classifier."""
        return bool(item.is_target) if self.plan.truth is not None else item.is_relevant

    def tick(self) -> None:
        """Write what waits, and take in what others did: called now and then where there are others."""

    def meets_target(self, item: PageItem) -> bool | None:
        """Count a page into target recall; True: a target met for the first time, None: none is known."""
        return None if self.recall is None else self.recall.record(item.url)

    def count(self, item: PageItem) -> None:
        """Count a page into the harvest rate."""
        self.rate.record(relevant=self.is_hit(item))

    def record_links(self, source: str, links: Sequence[ScoredLink]) -> None:
        """Keep the links of a page with their anchors and scores, followed or not."""
        self.journal.write(partial(self.store.write_links, LinkRows.of(source, [link[:4] for link in links])))

    def is_revisit(self, item: PageItem) -> bool:
        """Tell whether a page was recorded before, so that it is no further one."""
        page = self.maintenance.page(item.requested_url)
        return page is not None and page.is_at(item.url)

    def unchanged(self, lease: str, validators: Validators, links: int | None = None) -> None:
        """End the lease of a revisit that found the old text; `links`: how many there are, if it was sent."""
        self.maintenance.unchanged(lease, time.time(), validators, links)
        self.frontier.done(lease)
        self._end_lease(lease)

    def skip_known(self, lease: str, url: str, depth: int) -> None:
        """End the lease of a page that an earlier crawl has, and queue the links that it saw there."""
        words, found = self.plan.config.skipped_words, self.known.links(lease)
        links = [
            ScoredLink(*link) if not refused(link.url, words) else ScoredLink(*link[:3], None)
            for link in found
        ]
        self.record_links(url, links)
        if not self.plan.analyst.is_too_deep(depth):
            self.frontier.add(candidates(links, depth + 1, url))
        self.frontier.done(lease, url)
        self.journal.write(partial(self.store.count, known=1))
        for known in dict.fromkeys((lease, url)):
            self.decide("skipped", "known", url=known, detail="" if known == url else url)
        self._end_lease(lease)

    def record(self, item: PageItem) -> None:
        """Keep a page and end its lease."""
        if self.is_revisit(item):
            self._record_again(item)
            return
        if self.maintenance.page(item.requested_url) is not None:
            self.maintenance.missed(item.requested_url, time.time(), is_gone=True)
        self.frontier.done(item.requested_url, item.url)
        if self.steering.is_missing(item.requested_url):
            self.decide("discounted", "soft_404", url=item.requested_url)
        self.journal.write(partial(self._keep_page, item))
        self._end_lease(item.requested_url)

    def _keep_page(self, item: PageItem) -> bool:
        """Record a page; return False, and nothing is kept, if a process that died had recorded it."""
        if not self.store.record_page(self._page(item)):
            return False
        visit = Visit(
            item.url, item.parent, item.is_relevant, item.duplicate_of, _other(item.requested_url, item.url)
        )
        for raised in self.steering.recorded(item.requested_url, visit):
            if not refused(raised.url, self.plan.config.skipped_words):
                self.frontier.add([candidate(raised)])
                self.decide("raised", "hub", url=raised.url, detail=raised.hub)
        return True

    def _page(self, item: PageItem) -> PageRecord:
        return PageRecord(run=self.run_id, text=item.text, **asdict(item))

    def _record_again(self, item: PageItem) -> None:
        if self.maintenance.is_unchanged(item.requested_url, item.checksum):
            self.unchanged(item.requested_url, Validators(item.etag, item.last_modified), item.links)
            return
        before = self.maintenance.changed(item.requested_url, time.time(), self._page(item))
        self.steering.changed(item.requested_url, item.url)
        if self.plan.truth is None:
            self.rate.revise(was=before.is_relevant, relevant=item.is_relevant)
        self.frontier.done(item.requested_url, item.url)
        self._end_lease(item.requested_url)

    def is_out(self, url: str) -> bool:
        """Tell whether a lease has not ended yet."""
        return url in self._in_flight

    def fail(self, url: str, failure: Failure, tries: int = 0) -> bool:
        """End a lease that gave no page; return whether the URL is queued again."""
        config, now = self.plan.config, time.time()
        if failure.refused_by is not None and self.is_polite:
            retry = self.frontier.refused(url, failure.refused_by, now, failure.retry_after)
        else:
            retry = failure.retry and tries + 1 < config.max_tries
            wait = config.retry_delay * 2**tries if self.is_polite else 0.0
            self.frontier.failed(url, now + wait if retry else None)
        decision = self._try_again(url) if retry else self._give_up(url, failure.reason)
        self.decide(decision, failure.reason, url=url, detail=failure.detail)
        self._end_lease(url, at_once=failure.refused_by is not None)
        return retry

    def _try_again(self, url: str) -> str:
        self.maintenance.forget(url)
        return "retry"

    def _give_up(self, url: str, reason: str) -> str:
        """Write down that a URL gave no page, or gives none any more; return which it is."""
        if self.maintenance.page(url) is None:
            self.journal.write(partial(self._keep_failure, url, reason))
            return "failed"
        is_gone = reason in GONE
        if is_gone:
            self.frontier.done(url)  # it was answered, and a page of it is recorded
        self.maintenance.missed(url, time.time(), is_gone=is_gone)
        return "gone" if is_gone else "failed"

    def _keep_failure(self, url: str, reason: str) -> None:
        self.store.record_failure(url, reason, self.run_id)

    def decide(self, decision: str, rule: str, **about: str) -> None:
        """Keep what was decided: see `PageStore.record_decision`."""
        self.journal.write(lambda: self.store.record_decision(decision, rule, run=self.run_id, **about))

    def pace(self, host: str, delay: float) -> None:
        """Leave as many seconds between two URLs of a host as it asks for, after a crash as well."""
        self.frontier.pace(host, delay)
        if delay > 0:
            self._must_keep_times = True
            self.journal.keep_times()

    def failures(self) -> dict[str, int]:
        """Return how many URLs gave no page, by class, the most frequent first."""
        return CrawlHistory(self.database).failures_by_class()

    def end(self, reason: str) -> None:
        """Write down why the run ended and let go of the files."""
        self.run.state = FINISHED if self._is_over(reason) else STOPPED
        self.run.reason = reason
        try:
            if self.database.failure is None:
                self._end_run(reason)
            self.write_run()
        finally:
            self.known.close()
            self.database.close()

    def _end_run(self, reason: str) -> None:
        self.journal.write(lambda: self.store.end_run(self.run_id, reason))
        self.journal.write(lambda: self._memory.keep(self.rate.pages))
        self.steering.finish()
        self.frontier.close()
        self.journal.commit()
        if self.maintenance.done:  # the feed may have such a page twice
            rewrite_feed(self.feed, CrawlHistory(self.database).pages())

    def _is_over(self, reason: str) -> bool:
        if reason == "finished":
            return not len(self.frontier) and not self._in_flight
        return self.database.failure is None and reason not in INTERRUPTIONS

    def write_run(self) -> None:
        """Bring run.json up to date."""
        self.run.ended = time.time()
        self.run.seconds = self.seconds
        self.run.totals = {
            "pages": self.rate.pages,
            "revisits": self.store.counters["revisits"],
            "relevant": self.rate.relevant,
            "harvest_rate": self.rate.value,
            "target_recall": None if self.recall is None else self.recall.value,
            "pending": len(self.frontier),
        }
        write_run(self.folder, self.run)

    def _check_budget(self) -> None:
        """Refuse to go on with a crawl that has had all it may spend, and was brought to its end."""
        if self.spent() is None or self._earlier is None or self._earlier.state != FINISHED:
            return
        self.database.close()
        raise CrawlError(
            f"{self.folder} has {self.rate.pages} pages, and its budget is spent; "
            "give more (as in -a pages=2000), or begin another with -a job=NAME"
        )

    def _begin(self) -> None:
        self._begin_feed()
        self.run.started = self._earlier.started if self._earlier else self._run_started
        self.journal.write(self._begin_run)
        self.journal.commit()
        self.write_run()

    def _begin_feed(self) -> None:
        rewrite_feed(self.feed, CrawlHistory(self.database).pages())

    def _begin_run(self) -> None:
        self.run_id = self.store.begin_run(self.run.settings, self.run.versions, self.worker)
        if (taxonomy := self.plan.analyst.taxonomy) is not None:
            self.store.record_categories(taxonomy.leaves())

    def _keep_memory(self) -> None:
        self._memory.keep_if_due(self.rate.pages)

    @property
    def is_last(self) -> bool:
        """Tell whether a crawl that has ended has nobody else at work, so that it may be written up."""
        return True

    @property
    def is_polite(self) -> bool:
        """Tell whether anybody is asked: a virtual web need not be waited for."""
        return self.plan.config.web is None

    def _end_lease(self, url: str, *, at_once: bool = False) -> None:
        self._in_flight.pop(url, None)
        self.journal.write(partial(self.steering.forget, url))
        self.known.forget(url)
        for host, rule in self.frontier.closed_hosts():
            self.decide("closed", rule, host=host)
        self.journal.lease_ended(is_last=at_once or not self._in_flight)


def mark_copy(item: PageItem, copy: Copy) -> None:
    """Say of which page a page is a copy: it is no further relevant page then."""
    item.duplicate_of, item.likeness = copy
    item.is_relevant = False


def _other(url: str, than: str) -> str | None:
    return None if url == than else url
