"""A crawl under way: its folder, database and frontier, what is fetched next, and its runs. Plain Python."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from focused_crawler.crawl import endings
from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.description import describe
from focused_crawler.crawl.host_delays import HostDelays
from focused_crawler.crawl.ledger import RequestLedger
from focused_crawler.crawl.measures import HostPages
from focused_crawler.crawl.ordering import FirstPages
from focused_crawler.crawl.pauses import Pauses
from focused_crawler.crawl.plan import MORE, CrawlPlan
from focused_crawler.crawl.recorder import CrawlRecorder
from focused_crawler.crawl.rescoring import Rescoring
from focused_crawler.crawl.steering.earlier import note_shares
from focused_crawler.crawl.steering.known import KnownPages
from focused_crawler.crawl.steering.lowered import LoweredTable
from focused_crawler.crawl.steering.maintenance import Maintenance
from focused_crawler.crawl.steering.revisit_store import RevisitStore
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steps import Steps
from focused_crawler.crawl.strategy_record import StrategyRecord
from focused_crawler.crawl.visit import Visit
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.formats import plural
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.feed import FEED, correct_feed
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, STOPPED
from focused_crawler.store.job_folder import choose_folder
from focused_crawler.store.judges import several
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.pages import PageStore
from focused_crawler.store.rows import FETCHES
from focused_crawler.store.run_file import RunFile


class Crawl:
    """The plan under way: opens what it works on, begins visits, counts pages, and ends runs.

    What it does otherwise where several processes share it is its coordinator's.
    """

    def __init__(self, plan: CrawlPlan, coordinator: Coordinator | None = None) -> None:
        """Open or go on with the crawl's folder; raises CrawlError."""
        self.plan = plan
        self.steps = Steps()
        self.is_ended = False
        self.has_old_lines = False  # the feed has, of pages that were judged anew
        self.run = describe(plan)
        self.is_polite = plan.config.web is None  # somebody is asked: a virtual web need not be waited for
        self.folder = choose_folder(plan.config.crawls, self.run)
        self.feed = self.folder / FEED
        self.coordinator = coordinator or Coordinator(plan)
        self.database = self._open_database()
        self.store = PageStore(self.database)
        self._must_keep_times = plan.config.host_delay > 0  # hosts are waited for, after a crash too
        self.run_file = RunFile(self.folder, self.run)
        self.rate, self.recall, steering = self.coordinator.read_back(self.database, self.store)
        self.is_resumed = self.rate.pages > 0
        try:
            self._strategy = StrategyRecord(plan.analyst, self.database, self.rate.pages, plan.analyst_anew)
            self._check_budget()
        except CrawlError:
            self.database.close()
            raise
        self.has_learnt_anew = self._strategy.is_anew
        self.frontier = self.coordinator.open_frontier(self.database)
        self.first = FirstPages(self.database, plan.start.keys)
        self._rescoring = Rescoring(
            plan.analyst,
            self.frontier,
            self.store.urls,
            self.first.keys,
            is_shared=self.coordinator.is_shared,
        )
        self.journal = self.coordinator.open_journal(
            self.database, self.steps, self._save_memory, self._learn_from_others
        )
        self.hosts = HostPages()  # of this process, in this run
        self._host_delays = HostDelays()
        self.ledger = RequestLedger(self.database)
        self._begin()
        if steering.shares is not None and not self.coordinator.is_shared:  # a fleet's order is by chance
            steering.shares.note = partial(note_shares, self.database)
        self.recorder = CrawlRecorder(
            self.journal,
            self.store,
            self.coordinator,
            self.run_id,
            info=self.run,
            learnt=self._strategy.pages,
        )
        self._known = KnownPages(plan.known)
        self.maintenance = self._open_maintenance()
        self.visits = Visits(self._visit_context(steering), Pauses())

    def _open_database(self) -> CrawlDatabase:
        """Return it, open; a folder that was made for one that cannot be opened is taken away again."""
        try:
            return self.coordinator.open_database(self.folder, self.run)
        except CrawlError:
            with suppress(OSError):  # there is something in it
                self.folder.rmdir()
            raise

    def _open_maintenance(self) -> Maintenance:
        return Maintenance(
            self.plan.config.revisit_share,
            RevisitStore(self.database, self.store),
            self.frontier,
            pages=self.rate.pages,
            run=self.run_id,
            started=self.coordinator.at_work_since(self.run_file.began),
            per_host=self.plan.config.rules().per_host,
            write=self.journal.write,
            workers=lambda: self.coordinator.workers,
            claims=lambda: self.coordinator.claims,
        )

    def _visit_context(self, steering: Steering) -> VisitContext:
        return VisitContext(
            self.frontier,
            steering,
            self.recorder,
            self.plan.config.rules(),
            LoweredTable(self.database, self.journal, partial(self.store.record_decision, run=self.run_id)),
            is_polite=self.is_polite,
            rescore=self.plan.analyst.order.rescore,
            rescoring=self._rescoring,
            first=self.first.keys,
            scope=self.plan.analyst.scope,
            maintenance=self.maintenance,
            known=self._known,
        )

    @property
    def fetches(self) -> int:
        """Return the number of pages, revisits, sitemaps and feeds, and of the spider's own pages."""
        counters = self.store.counters
        return self.rate.pages + sum(counters[name] for name in FETCHES if name != "pages")

    @property
    def fetched(self) -> str:
        """Return in words what `fetches` counts."""
        others = [(name, self.store.counters[name]) for name in FETCHES if name != "pages"]
        named = [(name.replace("_", " ").removesuffix("s"), number) for name, number in others if number]
        return ", ".join(plural(number, noun) for noun, number in [("page", self.rate.pages), *named])

    def spent(self) -> str | None:
        """Return why the crawl has to stop, None while it may go on."""
        return self.plan.budget.spent(self.fetches, self.rate.relevant, self.run_file.seconds)

    def has_room(self, aside: int = 0, own: int = 0) -> bool:
        """Tell whether one more URL may be in flight, by concurrency and by budget.

        `aside`: so many of those in flight wait for a host.
        `own`: so many requests of the spider's own are in flight.
        """
        return len(self.visits) - aside < self.plan.config.concurrency and self.has_budget(own)

    def has_budget(self, own: int) -> bool:
        """Tell whether the budget has one more page, when all in flight may be pages."""
        return self.plan.budget.has_room(self.fetches, len(self.visits) + own)

    def count_own(self) -> None:
        """Count a page that the spider asked for by itself, which only the budget knows."""
        self.journal.write(partial(self.store.count, own_pages=1))
        self.journal.lease_ended(is_alone=not len(self.visits), at_once=False)

    def next_visit(self, now: float) -> Visit | None:
        """Begin the visit of the best URL to fetch now; None when none is ready."""
        self.maintenance.queue(now, self.rate.pages, self.visits.out)
        visit = self.visits.take(now)
        if visit is None and not len(self.visits) and not len(self.frontier):  # what was left was not fetched
            self.maintenance.queue(now, self.rate.pages, self.visits.out)
            visit = self.visits.take(now)
        if visit is not None and self._must_keep_times:
            self.journal.keep_times()
        return visit

    def pace(self, host: str, scheme: str, delay: float) -> None:
        """Leave as many seconds between two URLs of a host as its robots.txt files ask for.

        `delay` is of the file of this scheme. After a crash, too: what the host asked for before holds until
        a second file, or the same one again, has been read.
        """
        delay, is_first = self._host_delays.record(host, scheme, delay)
        self.frontier.pace(host, delay, at_least=is_first)
        if delay > 0:
            self._must_keep_times = True
            self.journal.keep_times()

    def is_hit(self, item: PageItem) -> bool:
        """Tell whether a page counts as relevant: by ground truth if there is one, else by the classifier."""
        return bool(item.is_target) if self.plan.truth is not None else item.is_relevant

    def judge_target(self, visit: Visit, item: PageItem) -> None:
        """Say whether a page is a target that was not met before; None where no target is known."""
        if visit.revisit is not None and visit.is_again(item.url):
            item.is_target = visit.revisit.is_target
        elif self.recall is None:
            item.is_target = None
        elif self.coordinator.is_shared:
            item.is_target = self.recall.is_missing(item.url)
        else:
            item.is_target = self.recall.record(item.url)

    def count(self, visit: Visit, item: PageItem) -> bool:
        """Count a page into the harvest rate; return whether it is a further one."""
        if visit.is_again(item.url):
            return False
        self.hosts.record(host_of(item.url))
        if not self.coordinator.is_shared:
            self.rate.record(relevant=self.is_hit(item))
        return True

    def record(self, visit: Visit, item: PageItem, now: float) -> None:
        """Store the page of a visit and end it."""
        before = visit.record(item, now)
        if before is not None and self.plan.truth is None:
            self.rate.revise(before.page, was=before.is_relevant, relevant=item.is_relevant)

    def tick(self) -> None:
        """Write what waits, and take in what others did: called now and then where there are others."""
        self.coordinator.tick(len(self.visits))

    def failures(self) -> dict[str, int]:
        """Return how many URLs gave no page, by class, the most frequent first."""
        return CrawlHistory(self.database).failures_by_class()

    def end(self, reason: str, *, is_cut_off: bool = False) -> None:
        """Write down why the run ended and let go of the files; nothing, if that was done.

        Feed and run.json are left as the database is, also where the last pages could not be committed.
        `is_cut_off`: the loop has ended before, perhaps between a page and its line in the feed.
        """
        if self.is_ended:
            return
        self.is_ended, self.run.reason = True, reason
        try:
            if self.database.failure is not None:
                self._fall_back()
                return
            try:
                self._end_run(reason, must_write_feed=is_cut_off)
            except BaseException:
                with suppress(CrawlError):  # what came first is to be reported
                    self._fall_back()
                raise
            self.run.state = FINISHED if self._is_over(reason) else STOPPED  # by what the frontier holds
            self.write_run(sum(self.run.left) if self.coordinator.is_shared else None)
        finally:
            self._known.close()
            self.database.close()
            self.coordinator.release()

    def write_run(self, pending: int | None = None) -> None:
        """Bring run.json up to date; `pending`: where the database knows better than the frontier."""
        self.run_file.write(
            {
                "pages": self.rate.pages,
                "revisits": self.store.counters["revisits"],
                "relevant": self.rate.relevant,
                "harvest_rate": self.rate.value,
                "target_recall": None if self.recall is None else self.recall.value,
                "pending": len(self.frontier) if pending is None else pending,
            }
        )

    def _end_run(self, reason: str, *, must_write_feed: bool) -> None:
        self.journal.write(partial(self.store.end_run, self.run_id, reason))
        self.journal.write(partial(self._strategy.save, self._rescoring, self.rate.pages))
        self.visits.context.steering.finish()
        self.journal.write(self.ledger.write)
        self.coordinator.finish(self.run)
        # With revisits it may have such a page twice.
        must_write_feed |= self.coordinator.is_shared or self.maintenance.done > 0 or self.has_old_lines
        if self.coordinator.is_last and must_write_feed:
            self._write_feed()

    def _fall_back(self) -> None:
        """Bring totals and feed back to the last commit, as far as the database can still be read."""
        self.run.state, pending = STOPPED, None
        if not self.coordinator.is_shared:  # else the totals are what was read back
            with suppress(CrawlError), read_crawl(self.folder) as database:
                self.store, history = PageStore(database), CrawlHistory(database)
                self.rate, self.recall, _ = Coordinator(self.plan).read_back(database, self.store)
                if self.run.has_frontier:
                    pending = sum(band.urls for band in history.frontier_bands(1))
                correct_feed(self.feed, history.pages())
        self.write_run(pending)

    def _is_over(self, reason: str) -> bool:
        if reason == "finished":
            return not len(self.frontier) and not len(self.visits)
        return not endings.goes_on(reason)

    def _check_budget(self) -> None:
        """Refuse to go on with a crawl that has had all it may spend, and was brought to its end.

        Who comes when other workers have spent it ends at once.
        """
        spent = self.spent()
        if self.coordinator.is_shared or spent is None or not self.run_file.was_finished:
            return
        raise CrawlError(
            f"{self.folder} has {self.fetched}, and its budget is spent; "
            f"give more (as in -a {MORE[spent]}), or begin another with -a job=NAME"
        )

    def _begin(self) -> None:
        if not self.coordinator.is_shared:  # else who ends last writes it
            self._write_feed()
        self.last_order = orders.last_before(self.database, self.plan.began)
        self.journal.write(self._begin_run)
        self.journal.commit()
        began = self.run_file.began
        others = CrawlHistory(self.database).seconds(began) if self.coordinator.is_shared else None
        self.run_file.by_database(self.store.began(), others)
        self.write_run()

    def _write_feed(self) -> None:
        correct_feed(self.feed, CrawlHistory(self.database).pages())

    def _begin_run(self) -> None:
        run = self.run
        self.run_id = self.store.begin_run(
            run.settings, run.versions, self.coordinator.worker, run.acts_as, run.judge
        )
        if self.plan.truth is None:
            run.judged_by = several(CrawlHistory(self.database).judge(), run.judge)
        self.coordinator.begin_run(self.run_id)
        self.record_categories()

    def record_categories(self) -> None:
        """Store the categories of the taxonomy that pages are judged by, if one is."""
        if (taxonomy := self.plan.analyst.taxonomy) is not None:
            self.store.record_categories(taxonomy.leaves())

    def _learn_from_others(self) -> None:
        self.first.read()
        self._rescoring.learn_from_others(self._strategy.pages, self.run_id)

    def _save_memory(self) -> None:
        self._strategy.save_if_due(self._rescoring, self.rate.pages)
