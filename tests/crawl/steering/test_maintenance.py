from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from focused_crawler.crawl.failure import Failure
from focused_crawler.crawl.steering import maintenance as maintenance_module
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.crawl.steering.maintenance import LOOK_AGAIN, REST, Maintenance, at_once
from focused_crawler.crawl.steering.revisit_store import KnownPage, RevisitStore, Validators
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import host_of
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

START = 1e6
OLD = [f"http://old{number % 5}.org/{number}" for number in range(50)]


@dataclass
class Out:
    """What is under way."""

    url: str
    revisit: KnownPage | None


class Run:
    """A crawl of fifty pages that goes on, without a web: every lease is a page, or as it was."""

    def __init__(self, path: Path, *, max_pending: int = 0) -> None:
        self.database = CrawlDatabase(path)
        self.rules = Rules(max_pending=max_pending)
        self.claims = 0  # of hosts
        self.write: Callable[[Callable[[], object]], object] = at_once
        self.open(0.0)
        for number, url in enumerate(OLD):
            self.frontier.done(url)
            self.record(url, fetched_at=float(number))

    def open(self, share: float, started: float = START, per_host: int | None = None) -> None:
        """Begin a run."""
        self.pages = PageStore(self.database)
        self.frontier = SqlFrontier(self.database, self.rules)
        self.work(share, started, per_host)

    def work(
        self, share: float, started: float = START, per_host: int | None = None, workers: int | None = None
    ) -> None:
        """Let a worker come to what is under way."""
        store = RevisitStore(self.database, self.pages)
        recorded = self.pages.counters["pages"]
        self.maintenance = Maintenance(
            share,
            store,
            self.frontier,
            pages=recorded,
            run=1,
            started=started,
            per_host=per_host,
            workers=lambda: workers,
            claims=lambda: self.claims,
            write=self.write,
        )

    def record(self, url: str, fetched_at: float) -> None:
        page = PageItem(url=url, fetched_at=fetched_at, relevance=0.5, is_relevant=True, checksum=url)
        self.pages.record_page(page)

    def take(self, now: float, in_flight: Sequence[Out] = ()) -> Out | None:
        """Begin what is best."""
        self.maintenance.queue(now, self.pages.counters["pages"], in_flight)
        leases = self.frontier.take(1, now)
        return Out(leases[0].url, self.maintenance.begin(leases[0].url)) if leases else None

    def end(self, out: Out, now: float) -> None:
        """Let it be a page, or as it was."""
        if out.revisit is None:
            self.record(out.url, now)
        else:
            self.maintenance.unchanged(out.revisit, now, Validators())
        self.frontier.done(out.url)

    def step(self, now: float) -> str:
        """Fetch what is best: "again", "new", or nothing."""
        out = self.take(now)
        if out is None:
            return ""
        self.end(out, now)
        return "new" if out.revisit is None else "again"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "crawl.db")
    yield run
    run.database.close()


def new(n: int) -> list[Candidate]:
    return [Candidate(f"http://new.org/{number}", 0.9) for number in range(n)]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9, 1.0])
def test_the_share_is_kept_at_every_moment(run: Run, share: float) -> None:
    """Never more than one page off."""
    run.open(share)
    run.frontier.add(new(100))
    again = 0
    for fetched in range(1, 41):
        again += run.step(START + fetched) == "again"
        assert abs(again - share * fetched) < 1 + 1e-9


def test_what_is_in_flight_counts(run: Run) -> None:
    """Of what is out, half are revisits; where only new pages are, five hosts are asked again at once."""
    run.open(0.5)
    run.frontier.add(new(100))
    out: list[Out] = []
    for number in range(1, 21):
        taken = run.take(START, out)
        assert taken is not None
        out.append(taken)
        assert abs(sum(visit.revisit is not None for visit in out) - number / 2) <= 0.5
    run.maintenance.queue(START, len(OLD), [Out(f"http://new.org/{number}", None) for number in range(30)])
    leases = run.frontier.take(20, START)
    assert sum(run.maintenance.known(lease.url) is not None for lease in leases) == 5


def test_a_host_that_may_not_be_asked_keeps_nobody_waiting(run: Run) -> None:
    """A host is asked every tenth second, and the best pages lie on two: the share comes from the others."""
    run.database.execute("UPDATE pages SET relevance = 1 WHERE host IN ('old0.org', 'old1.org')")
    run.rules = Rules(delay=10.0, per_host=1)
    run.open(0.5, per_host=1)
    run.frontier.add(Candidate(f"http://new{number}.org/", 0.9) for number in range(60))
    out: list[Out] = []
    again = 0
    for number in range(1, 61):
        now = START + 2 * number
        while (taken := run.take(now, out)) is None:
            now += 1
        again += taken.revisit is not None
        assert abs(again - number / 2) <= 4
        out.append(taken)
        if len(out) == 4:
            run.end(out.pop(0), now)
    assert 25 <= run.maintenance.done <= 30


def test_without_a_share_nothing_is_asked_again(run: Run) -> None:
    """And nobody is asked whether a page is known."""
    run.open(0.0)
    run.frontier.add(new(3))
    assert [run.step(START) for _ in range(4)] == ["new", "new", "new", ""]


def test_where_nothing_is_new_all_is_asked_again_once(run: Run) -> None:
    """Whatever the share; then the crawl is at its end."""
    run.open(0.1)
    assert [run.step(START + n) for n in range(len(OLD))] == ["again"] * len(OLD)
    assert run.step(START + LOOK_AGAIN) == ""
    assert run.maintenance.outcomes == {"unchanged": len(OLD)}


@pytest.mark.parametrize("delay", [0.0, 10.0])
def test_where_nothing_is_new_all_hosts_are_asked_again_at_a_time(run: Run, delay: float) -> None:
    """What is to be tried again later, in this run or since an earlier one, holds up no other page."""
    run.rules = Rules(delay=delay, per_host=1)
    run.open(0.1, per_host=1)
    out: list[Out] = []
    while (taken := run.take(START, out)) is not None:
        out.append(taken)
    assert {host_of(visit.url) for visit in out} == {host_of(url) for url in OLD[:5]}
    failed = out.pop()
    assert failed.revisit is not None
    run.frontier.failed(failed.url, START + 1000)
    run.maintenance.retried(failed.revisit)
    while out:
        run.end(out.pop(), START + 1)
    assert [run.step(START + 20), run.step(START + 20)] == ["again"] * 2
    run.database.commit()
    run.open(0.1, started=START + 30, per_host=1)
    assert [run.step(START + 40), run.step(START + 40)] == ["again"] * 2


def test_what_waits_of_a_host_that_is_closed_is_no_revisit_any_more(run: Run) -> None:
    """Another answer closes it while its page waits to be tried again: what is new counts as new."""
    run.rules = Rules(delay=10.0, per_host=1, host_pages=11)
    run.open(0.1, per_host=1)
    run.maintenance.queue(START, len(OLD), [])
    with SimulatedRecords(is_distilled=True) as records:
        steering = Steering(NO_STEERING, records.original, SketchesInMemory(), records.database)
        context = VisitContext(run.frontier, steering, records, run.rules, maintenance=run.maintenance)
        visits = Visits(context)
        again = visits.take(START)
        assert again is not None
        assert again.revisit is not None
        assert again.fail(Failure("timeout", retry=True), START)
        host = host_of(again.url)
        run.frontier.add([Candidate(f"http://{host}/new", 0.9)])
        last = visits.take(START + 10)
        assert last is not None
        page = PageItem(
            url=last.url, requested_url=last.url, fetched_at=START, relevance=0.5, is_relevant=True
        )
        last.record(page, START + 10)
        assert run.frontier.stats().dropped == 1
        run.frontier.add(new(2))
        assert visits.take(START + 20) is not None
    run.maintenance.queue(START + 21, len(OLD) + 1, [again])
    assert len(run.frontier) == 1  # new, and has to wait for its host


def test_what_others_had_queued_is_none_of_this_worker(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes later hears never of its end: what is new here counts as new."""
    run.rules = Rules(delay=10.0, per_host=1)
    run.open(0.1, per_host=1)
    theirs = run.take(START)
    assert theirs is not None
    run.work(0.1, per_host=1, workers=2)
    monkeypatch.setattr(run.frontier, "is_elsewhere", lambda host: host == host_of(theirs.url), raising=False)
    again = run.take(START)
    assert again is not None
    assert again.revisit is not None
    run.frontier.add(new(2))
    assert len(run.frontier.take(1, START)) == 1
    run.maintenance.queue(START + 1, len(OLD) + 1, [again])
    assert len(run.frontier) == 1  # new, and has to wait for its host


def test_a_long_run_comes_back_after_a_day(run: Run) -> None:
    """A page that was looked at in this run has its rest."""
    run.open(0.1)
    while run.step(START + 1):
        pass
    assert run.step(START + REST - 10) == ""
    assert run.step(START + REST + LOOK_AGAIN) == "again"


def test_what_was_queued_is_a_revisit_in_the_next_run(run: Run) -> None:
    """Also in one without a share of its own; and a redirect that ends there ends at a known page."""
    run.open(1.0)
    run.maintenance.queue(START, len(OLD), [Out(f"http://new.org/{number}", None) for number in range(4)])
    run.open(0.0, started=START + 1)
    queued = [url for url in OLD if not run.frontier.is_known(url)]
    assert len(queued) == 5
    assert all(map(run.maintenance.known, queued))
    assert [run.step(START + 2) for _ in range(6)] == ["again"] * 5 + [""]


def test_what_was_dropped_is_a_revisit_when_it_comes_back(tmp_path: Path) -> None:
    """A page that had to make room in the frontier and is offered again is no new page."""
    run = Run(tmp_path / "crawl.db", max_pending=5)
    run.frontier.again([Candidate(url, 0.1) for url in OLD[:5]])
    run.frontier.add(new(5))
    assert run.frontier.stats().dropped == 5
    run.open(0.0)
    while run.step(START) == "new":
        pass
    run.frontier.add([Candidate(url, 0.5) for url in OLD[:5]])
    assert [run.step(START) for _ in range(6)] == ["again"] * 5 + [""]
    run.database.close()


def test_a_page_is_visited_once_though_its_visit_is_written_later(run: Run) -> None:
    """As in a fleet, whose workers write a few visits together."""
    written: list[Callable[[], object]] = []
    run.write = written.append
    run.open(1.0)
    assert [run.step(START + n) for n in range(len(OLD))] == ["again"] * len(OLD)
    assert run.step(START + LOOK_AGAIN) == ""
    for write in written:
        write()
    assert run.step(START + 3 * LOOK_AGAIN) == ""
    assert run.step(START + REST + 4 * LOOK_AGAIN) == "again"


def test_hosts_that_come_from_another_worker_are_revisited_at_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that comes to others has no hosts at first, and gets its share a moment later."""
    run.open(1.0)
    monkeypatch.setattr(run.frontier, "is_elsewhere", lambda _: not run.claims, raising=False)
    assert run.step(START) == ""
    run.claims = 1
    assert run.step(START + 1) == "again"


def test_hosts_that_go_to_another_worker_are_left_to_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have visited their pages already, though they were chosen here."""
    run.open(1.0)
    assert run.step(START) == "again"
    monkeypatch.setattr(run.frontier, "is_elsewhere", lambda host: host == "old1.org", raising=False)
    assert [run.step(START + n) for n in range(1, 41)] == ["again"] * 39 + [""]


def test_pages_are_chosen_anew_as_they_are_used_up(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few at a time; those that are queued or were looked at come no more."""
    monkeypatch.setattr(maintenance_module, "FEWEST", 4)
    run.open(1.0)
    assert [run.step(START + n) for n in range(len(OLD) + 1)] == ["again"] * len(OLD) + [""]


def test_the_page_that_waited_longest_comes_first(run: Run) -> None:
    """Where all else is equal."""
    run.open(1.0)
    for _ in range(3):
        run.step(START)
    looked_at = run.database.rows("SELECT page FROM revisits ORDER BY id")
    assert looked_at == [(1,), (2,), (3,)]


def test_a_clock_that_was_ahead_keeps_no_page_from_its_revisits(run: Run) -> None:
    """What was fetched by it comes once, as all else does."""
    run.database.execute("UPDATE pages SET fetched_at = fetched_at + ?", (START + REST,))
    run.open(1.0)
    assert [run.step(START + n) for n in range(len(OLD) + 1)] == ["again"] * len(OLD) + [""]


def test_what_a_sitemap_says_has_changed_comes_first(run: Run) -> None:
    """Once; not what changed before its last visit, nor what is dated in the future, nor without a share."""
    changed, before, future = OLD[7], OLD[9], OLD[11]
    run.open(0.0)
    run.maintenance.announce(changed, START - 1, START)
    run.open(1.0)
    for url, at in (
        (before, 9.0),
        (future, START + 1),
        (changed, START - 1),
        ("http://new.org/1", START - 1),
    ):
        run.maintenance.announce(url, at, START)
    asked = []
    for second in range(3):
        out = run.take(START + second)
        assert out is not None
        run.end(out, START + second)
        asked.append(out.url)
    assert asked[0] == changed
    assert asked.count(changed) == 1


def test_what_was_chosen_and_is_visited_otherwise_comes_once(run: Run) -> None:
    """A sitemap names it, or another worker had queued it, after it was chosen."""
    run.open(1.0)
    assert run.step(START) == "again"
    run.maintenance.announce(OLD[7], START - 1, START)
    run.frontier.again([Candidate(OLD[8], 1.0)])
    assert [run.step(START + n) for n in range(1, len(OLD) + 1)] == ["again"] * (len(OLD) - 1) + [""]


def test_a_visit_that_failed_has_seen_nothing(run: Run) -> None:
    """What a sitemap says has changed before it is revisited first, in a later run, too."""
    changed, times = OLD[7], (START + 1, START + 2)
    run.open(1.0)
    page = run.maintenance.known(changed)
    assert page is not None
    run.maintenance.missed(page, times[1], is_gone=False)
    run.open(1.0, started=START + 3)
    assert run.maintenance.known(changed) == page
    run.maintenance.announce(changed, times[0], START + 3)
    out = run.take(START + 3)
    assert out is not None
    assert out.url == changed
    run.end(out, START + 3)
    again = run.maintenance.known(changed)
    assert again is not None
    assert again.seen_at == START + 3


def test_sitemaps_that_were_read_are_read_again_by_a_run_that_revisits(run: Run) -> None:
    """What they say of changes is old; a run without revisits has no use for that."""
    sitemap = Candidate("http://old0.org/sitemap.xml", 1.0, 1, OLD[0], b"\0listing sitemap 0 old0.org")
    run.frontier.add([sitemap])
    (lease,) = run.frontier.take(1, START)
    run.frontier.done(lease.url)
    run.database.commit()
    run.pages.record_decision("listed", "sitemap", url=lease.url)
    for share in (0.0, 1.0, 1.0):
        run.open(share)
        asked = []
        while (out := run.take(START + 10)) is not None and len(asked) < 60:
            asked.append(out.url)
            run.frontier.done(out.url)
        assert asked.count(sitemap.url) == (share > 0), asked
