"""A crawl under way: its folder, database and frontier, what is fetched next, and its runs. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from focused_crawler.crawl.crawl_parts import describe, known_targets, open_frontier, recall_memory, steer
from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.measures import HarvestRate
from focused_crawler.crawl.page_recorder import Failure, PageRecorder
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.steering.known import KnownPages
from focused_crawler.crawl.steering.maintenance import Maintenance
from focused_crawler.crawl.steering.revisit_store import RevisitStore, conditions
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Frontier, Lease
from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, rewrite_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, INTERRUPTIONS, STOPPED, RunFile, choose_folder
from focused_crawler.store.opening import open_crawl_database
from focused_crawler.store.pages import PageStore

MOST_REFUSED = 100
"""So many traps are dropped at a time: more would keep what has arrived waiting."""


class Crawl:
    """Hands out leases, and holds what those have in common who deal with one; its recorder ends them."""

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
        self.run_file = RunFile(self.folder, self.run)
        self._read_back()
        self.is_resumed = self.rate.pages > 0
        self._memory = recall_memory(plan.analyst, self.database, self.rate.pages)
        self._check_budget()
        self.frontier, self.journal, self.recorder = self._open_frontier()
        self._begin()
        self.known = KnownPages(plan.known)
        self.maintenance = Maintenance(
            plan.config.revisit_share,
            RevisitStore(self.database, self.store),
            self.frontier,
            pages=self.rate.pages,
            run=self.run_id,
            started=self.run_file.began,
        )

    def _open_database(self) -> CrawlDatabase:
        return open_crawl_database(self.folder, self.plan.config.database, self.run)

    def _open_frontier(self) -> tuple[Frontier, Journal, PageRecorder]:
        """Return the frontier, and what writes: when, and what."""
        frontier = open_frontier(self.plan.config, self.database)
        return frontier, Journal(self.database, self.steps, self._keep_memory), PageRecorder(self)

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
    def fetches(self) -> int:
        """Return the number of pages and of revisits, over all runs."""
        return self.rate.pages + self.store.counters["revisits"]

    @property
    def in_flight(self) -> int:
        """Return the number of leases that have not ended."""
        return len(self._in_flight)

    def spent(self) -> str | None:
        """Return why the crawl has to stop, None while it may go on."""
        return self.plan.budget.spent(self.fetches, self.rate.relevant, self.run_file.seconds)

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
            self.recorder.fail(url, Failure(refusal.rule, retry=False, detail=refusal.name))
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

    def is_revisit(self, item: PageItem) -> bool:
        """Tell whether a page was recorded before, so that it is no further one."""
        page = self.maintenance.page(item.requested_url)
        return page is not None and page.is_at(item.url)

    def is_out(self, url: str) -> bool:
        """Tell whether a lease has not ended yet."""
        return url in self._in_flight

    def end_lease(self, url: str, *, at_once: bool = False) -> None:
        """Let go of a lease, once what came of it is told to frontier and journal; `at_once`: commit that."""
        self._in_flight.pop(url, None)
        self.journal.write(partial(self.steering.forget, url))
        self.known.forget(url)
        for host, rule in self.frontier.closed_hosts():
            self.recorder.decide("closed", rule, host=host)
        self.journal.lease_ended(is_last=at_once or not self._in_flight)

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
        self.run.reason = reason
        try:
            if self.database.failure is None:
                self._end_run(reason)
            self.run.state = FINISHED if self._is_over(reason) else STOPPED  # by what the frontier keeps
            self.write_run()
        finally:
            self.known.close()
            self.database.close()

    def _end_run(self, reason: str) -> None:
        self.journal.write(lambda: self.store.end_run(self.run_id, reason))
        self.journal.write(lambda: self._memory.save(self.rate.pages))
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
        self.run_file.write(
            {
                "pages": self.rate.pages,
                "revisits": self.store.counters["revisits"],
                "relevant": self.rate.relevant,
                "harvest_rate": self.rate.value,
                "target_recall": None if self.recall is None else self.recall.value,
                "pending": len(self.frontier),
            }
        )

    def _check_budget(self) -> None:
        """Refuse to go on with a crawl that has had all it may spend, and was brought to its end."""
        if self.spent() is None or not self.run_file.was_finished:
            return
        self.database.close()
        raise CrawlError(
            f"{self.folder} has {self.rate.pages} pages, and its budget is spent; "
            "give more (as in -a pages=2000), or begin another with -a job=NAME"
        )

    def _begin(self) -> None:
        self._begin_feed()
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
        self._memory.save_if_due(self.rate.pages)

    @property
    def is_last(self) -> bool:
        """Tell whether a crawl that has ended has nobody else at work, so that it may be written up."""
        return True

    @property
    def is_polite(self) -> bool:
        """Tell whether anybody is asked: a virtual web need not be waited for."""
        return self.plan.config.web is None
