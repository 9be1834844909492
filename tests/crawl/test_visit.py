"""The rules of a lease, on a real frontier and a real database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from focused_crawler.crawl.failure import LATE, Failure, failure_of_status
from focused_crawler.crawl.pauses import Pauses
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.domains import FOR_A_DOMAIN, FREE, SHARE
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.crawl.steering.steering import JudgedPage, Steering
from focused_crawler.crawl.steering.terms import FetchedPage
from focused_crawler.crawl.steering.traps import PROBED, Budgets
from focused_crawler.crawl.visit import Queued, Visit
from focused_crawler.crawl.visit_context import Ending, VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.store.item import PageItem
from focused_crawler.topic.scope import Scope

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
RULES = Rules(delay=0.0, per_host=8, max_tries=3, retry_delay=60.0)


class Bench:
    """Visits without a crawl around them, and what they reported."""

    def __init__(self, records: SimulatedRecords, *urls: str, **options: bool | Scope) -> None:
        self.frontier = MemoryFrontier(RULES)
        settings = replace(NO_STEERING, near_duplicates=True, trap_budgets=True)
        steering = Steering(settings, records.original, SketchesInMemory(), records.database)
        self.context = VisitContext(self.frontier, steering, records, RULES, **options)  # type: ignore[arg-type]
        self.visits = Visits(self.context)
        self.endings: list[Ending] = []
        self.context.listener = self.endings.append
        self.add(*urls)

    def add(self, *urls: str) -> None:
        self.frontier.add(Candidate(url, 1 - n / 100) for n, url in enumerate(urls))

    def take(self, now: float = 0.0) -> Visit:
        visit = self.visits.take(now)
        assert visit is not None
        return visit


@pytest.fixture
def records() -> Iterator[SimulatedRecords]:
    with SimulatedRecords(is_distilled=True) as records:
        yield records


def page(visit: Visit, url: str = "", **facts: object) -> PageItem:
    values = {"relevance": 0.9, "is_relevant": True, "fetched_at": 1.0, "checksum": url or visit.url}
    return PageItem(url=url or visit.url, requested_url=visit.url, **(values | facts))  # type: ignore[arg-type]


def recorded(records: SimulatedRecords) -> list[str]:
    assert records.database is not None
    return [url for (url,) in records.database.rows("SELECT url FROM pages ORDER BY position")]


def test_a_page_ends_its_visit(records: SimulatedRecords) -> None:
    """Its links are queued, it is stored, and its URL is never given out again."""
    bench = Bench(records, A)
    visit = bench.take()
    assert bench.visits.is_out(A)
    assert visit.respond(200, A, 0.0) is None
    assert visit.links(A, [ScoredLink(B, "b", 0, 0.5), ScoredLink(C, "c", 0, None)], depth=0) == Queued(1, 0)
    assert visit.record(page(visit), 0.0) is None
    assert (visit.is_over, len(bench.visits), bench.endings) == (True, 0, [])
    assert recorded(records) == [A]
    assert bench.take().url == B
    assert bench.visits.take(0.0) is None


@pytest.mark.parametrize("depth", [1, 2])
def test_links_beyond_the_depth_limit_are_stored_and_not_queued(
    records: SimulatedRecords, depth: int
) -> None:
    """None says so: 0 would mean that all were known."""
    bench = Bench(records, A, scope=Scope(depth=2))
    queued = bench.take().links(A, [ScoredLink(B, "b", 0, 0.5)], depth)
    assert (queued, len(bench.frontier)) == ((Queued(1, 0), 1) if depth < 2 else (None, 0))
    assert records.database is not None
    assert records.database.rows("SELECT count(*) FROM links") == [(1,)]


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (404, Failure("http_404", retry=False)),
        (500, Failure("http_500", retry=True)),
        (429, Failure("http_429", True, 7.0, "a.example")),
        (304, Failure("http_304", retry=False)),
        (202, Failure("http_202", retry=False)),
    ],
)
def test_an_answer_without_a_page(records: SimulatedRecords, status: int, failure: Failure) -> None:
    """Is told by its status, and ends no visit by itself: whoever asked does."""
    visit = Bench(records, A).take()
    assert visit.respond(status, A, 0.0, retry_after=7.0 if status == 429 else None) == failure
    assert not visit.is_over


@pytest.mark.parametrize("status", [200, 201, 203, 206])
def test_what_browsers_show_as_a_page_is_one(records: SimulatedRecords, status: int) -> None:
    """The page of a proxy that changed it (203) was a failure."""
    assert Bench(records, A).take().respond(status, A, 0.0) is None


def test_what_is_no_html_is_no_page(records: SimulatedRecords) -> None:
    """Whatever its status says."""
    assert Bench(records, A).take().respond(200, A, 0.0, is_html=False) == Failure("not_html", retry=False)


def test_a_host_refuses_with_a_wish_as_well() -> None:
    """A 500 with Retry-After speaks for the host; a 404 does not."""
    assert failure_of_status(500, "a.example", 3.0) == Failure("http_500", True, 3.0, "a.example")
    assert failure_of_status(404, "a.example", 3.0) == Failure("http_404", retry=False)


def test_one_page_is_one_visits(records: SimulatedRecords) -> None:
    """Two redirects to one page while both are out; and one to a page that was fetched before."""
    bench = Bench(records, A, B)
    first, second = bench.take(), bench.take()
    assert first.respond(200, C, 0.0) is None
    assert second.respond(200, C, 0.0) == Failure("redirect_to_known", retry=False, detail=C)
    first.record(page(first, C), 0.0)
    assert second.respond(200, C, 0.0) == Failure("redirect_to_known", retry=False, detail=C)
    assert second.respond(200, B, 0.0) is None


@pytest.mark.parametrize(
    ("target", "reason"), [(B, "redirect_to_known"), ("http://user@c.example/", "redirect_refused")]
)
def test_a_redirect_that_is_not_followed(records: SimulatedRecords, target: str, reason: str) -> None:
    """Ends the visit, and is reported."""
    bench = Bench(records, A, B)
    visit, _ = bench.take(), bench.take()
    assert visit.redirect(target, 0.0) is None
    assert visit.is_over
    assert [ending.failure.reason for ending in bench.endings] == [reason]


def test_a_redirect_to_the_host_of_another_worker_is_handed_over(
    records: SimulatedRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a link of the same worth; the visit ends without a page, and that is no failure."""
    bench = Bench(records, A)
    visit = bench.take()
    monkeypatch.setattr(bench.frontier, "is_elsewhere", lambda host: host == "b.example")
    assert visit.redirect(f"{B}found", 0.0) is None
    assert (visit.is_over, len(bench.visits), bench.endings) == (True, 0, [])
    assert records.database is not None
    assert records.database.rows("SELECT count(*) FROM failures") == [(0,)]
    (lease,) = bench.frontier.take(2, 0.0)
    assert (lease.url, lease.priority, lease.depth) == (f"{B}found", visit.lease.priority, visit.lease.depth)


@pytest.mark.parametrize(
    ("parent", "target", "is_followed"),
    [(None, C, True), (A, C, False), (A, "https://www.b.example/x", True)],
    ids=["a start page's", "a link's, outside", "a link's, inside"],
)
def test_a_link_leads_nowhere_outside_the_scope(
    records: SimulatedRecords, parent: str | None, target: str, is_followed: bool
) -> None:
    """By a redirect neither; a start page may lie, and lead, anywhere."""
    bench = Bench(records, scope=Scope(hosts=("b.example",)))
    bench.frontier.add([Candidate(B, 1.0, int(parent is not None), parent)])
    visit = bench.take()
    assert (visit.redirect(target, 0.0) is not None) is is_followed
    assert [ending.failure for ending in bench.endings] == (
        [] if is_followed else [Failure("out_of_scope", retry=False, detail=target)]
    )


def test_a_redirect_to_another_spelling_is_followed(records: SimulatedRecords) -> None:
    """It is the same page."""
    visit = Bench(records, A).take()
    assert visit.redirect("https://www.a.example", 5.0) is not None
    assert not visit.is_over


@pytest.mark.parametrize("is_polite", [True, False])
def test_a_url_is_tried_three_times(records: SimulatedRecords, is_polite: bool) -> None:
    """After a wait that doubles, where somebody is asked; at once on a recorded web."""
    bench, now = Bench(records, A, is_polite=is_polite), 0.0
    waits = []
    for _ in range(RULES.max_tries - 1):
        assert bench.take(now).fail(Failure("timeout", retry=True), now)
        ready_at = bench.frontier.next_ready_at()
        waits.append((ready_at or 0.0) - now if is_polite else 0.0)
        now = max(now, ready_at or 0.0)
    assert waits == ([60.0, 120.0] if is_polite else [0.0, 0.0])
    assert not bench.take(now).fail(Failure("timeout", retry=True), now)
    assert bench.visits.take(1e9) is None
    assert [ending.is_retried for ending in bench.endings] == [True, True, False]


def test_what_was_not_asked_costs_no_try(records: SimulatedRecords) -> None:
    """However often it comes back."""
    bench = Bench(records, A)
    for _ in range(10):
        visit = bench.take()
        assert visit.lease.tries == 0
        assert visit.fail(Failure("lease_lost", retry=True, is_untried=True), 0.0)


def test_a_visit_ends_once(records: SimulatedRecords) -> None:
    """A failure behind its end changes nothing and is not reported."""
    bench = Bench(records, A)
    visit = bench.take()
    visit.record(page(visit), 0.0)
    assert not visit.fail(Failure("timeout", retry=True), 0.0)
    assert bench.endings == []
    assert bench.visits.take(1e9) is None


def test_an_answer_to_a_lost_visit_is_recorded(records: SimulatedRecords) -> None:
    """Its lease has expired, and its page is as good as any."""
    bench = Bench(records, A)
    bench.take()
    bench.visits.expire(RULES.lease_seconds + 1)
    assert not bench.visits.is_out(A)
    late = bench.visits.of(A)
    assert late.respond(200, A, 0.0) is None
    late.record(page(late), 0.0)
    assert recorded(records) == [A]
    assert not late.fail(Failure("timeout", retry=True), 0.0)


def test_a_page_that_comes_twice(records: SimulatedRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lease had expired, and it was asked for again: the first answer is the page's, the other late."""
    monkeypatch.setattr(records, "has", lambda url: url in recorded(records))
    bench = Bench(records, A)
    bench.take()
    bench.visits.expire(RULES.lease_seconds + 1)
    second = bench.take(RULES.lease_seconds + 1)
    assert bench.visits.of(A) is second  # so the first answer is its, too
    assert second.respond(200, A, 0.0) is None
    assert second.respond(200, A, 0.0) is LATE
    assert not second.fail(LATE, 0.0)
    assert not second.is_over
    item = page(second)
    assert not second.is_late(item)
    second.record(item, 0.0)
    assert second.is_late(item)
    late = bench.visits.of(A)
    assert late.is_late(page(late))
    assert late.respond(200, A, 0.0) is LATE
    assert (bench.endings, recorded(records)) == ([], [A])


def test_a_pause_ends_no_lease(records: SimulatedRecords) -> None:
    """However long it was; what is left of the lease is as long as before."""
    bench, ticks = Bench(records, A), iter([0.0, 10.0, 20.0, 20.0 + RULES.lease_seconds])
    bench.visits.pauses = Pauses(lambda: next(ticks))
    bench.visits.expire(0.0)
    bench.take(0.0)
    for now in (86_400.0, 86_410.0):
        bench.visits.expire(now)
        assert bench.visits.is_out(A)
    bench.visits.pauses = None
    bench.visits.expire(86_400.0 + RULES.lease_seconds)
    assert not bench.visits.is_out(A)


def test_traps_come_last(records: SimulatedRecords) -> None:
    """What is no trap comes next; then they are fetched, if they may be, each put off once at most."""
    bench, days = Bench(records), [f"{A}calendar/{day}" for day in range(Budgets().chain + 4)]
    for before, day in zip([None, *days], days[: Budgets().chain + 1], strict=False):
        bench.frontier.add([Candidate(day, 1.0, parent=before)])
        visit = bench.take()
        visit.record(page(visit, is_relevant=False, parent=before), 0.0)
    further = [Candidate(day, 1 - n / 100, parent=days[-1]) for n, day in enumerate(days)]
    bench.frontier.add([*further, Candidate(B, 0.1)])
    other = bench.take()
    assert other.url == B
    assert bench.context.traps == {"trap_pattern": 3}
    assert bench.visits.take(0.0) is None  # what is out may lead to something better
    bench.frontier.add(further)
    bench.frontier.reprioritise(dict.fromkeys(days, 1.0))
    assert other.links(B, [ScoredLink(C, "c", 0, 0.01)], depth=0) == Queued(1, 0)
    other.record(page(other), 0.0)
    last = bench.take()
    assert last.url == C
    last.record(page(last), 0.0)
    assert [bench.take().url for _ in range(3)] == days[-3:]
    assert (bench.visits.take(0.0), bench.context.traps.total()) == (None, 3)


@pytest.mark.parametrize("first", [f"{A}cal/", f"{B}goto/"], ids=["a link to it", "a redirect to it"])
@pytest.mark.parametrize("is_certain", [False, True])
def test_a_probe_is_read_behind_redirects(records: SimulatedRecords, first: str, is_certain: bool) -> None:
    """However many its site sends before the page: then a gain opens what was left alone, as anywhere."""
    bench, days = Bench(records, C), [f"{A}cal/{day}" for day in range(100_000)]
    bench.take()  # while it is out, nothing comes back that was lowered
    for day in days[: Budgets().endless if is_certain else Budgets().pattern]:
        bench.context.steering.seen(FetchedPage(day, None, is_gain=False))
    visit, target, refuses = None, "", bench.context.steering.refuses
    tried = next(day for day in days[Budgets().endless :] if refuses(day).is_probe)
    refused = [day for day in days[Budgets().endless :] if not refuses(day).is_probe][: PROBED - 1]
    for day in [*refused, tried]:
        assert visit is None or visit.is_over
        target = day.removeprefix(A)
        bench.add(day.replace(f"{A}cal/", first))
        if (visit := bench.visits.take(0.0)) is not None and visit.url != day:
            visit.redirect(day, 0.0)
    assert visit is not None
    assert bench.context.traps.total() == PROBED - 1
    is_followed = visit.redirect(f"https://a.example/{target}", 0.0) is not None
    assert (is_followed, visit.is_over) == (not is_certain, is_certain)
    if is_certain:
        return
    final = f"https://www.a.example/{target}"
    assert visit.redirect(final, 0.0) is not None
    assert visit.respond(200, final, 0.0) is None
    visit.record(page(visit, final), 0.0)
    assert refuses(refused[-1]) is None
    bench.add(days[-1])
    assert bench.take().url == days[-1]


@pytest.mark.parametrize("has_page", [True, False])
def test_a_host_that_waited_is_asked_once(records: SimulatedRecords, *, has_page: bool) -> None:
    """Its domain brought something, and a link queued what was lowered: then it comes back no more."""
    *hosts, waits = [f"http://h{number}.farm.example/" for number in range(FREE + FOR_A_DOMAIN + 1)]
    bench, link = Bench(records, A), [ScoredLink(waits, "w", 0, 0.5)]
    start = bench.take()
    start.links(A, [ScoredLink(url, "h", 0, 0.5) for url in hosts], depth=0)
    for _ in hosts:
        bench.take().fail(Failure("http_404", retry=False), 0.0)
    assert start.links(A, link, depth=0) == Queued(0, 1)
    bench.context.steering.seen(FetchedPage(hosts[0], None, is_gain=True))
    assert start.links(A, link, depth=0) == Queued(1, 0)
    start.record(page(start), 0.0)
    visit = bench.take()
    assert visit.url == waits
    if has_page:
        visit.record(page(visit), 0.0)
    else:
        visit.fail(Failure("http_404", retry=False), 0.0)
    assert not bench.visits.has_more()
    assert bench.visits.take(0.0) is None


def test_a_redirect_to_a_new_host_of_a_domain_that_floods(records: SimulatedRecords) -> None:
    """Nor does one of its hosts lead around its share: the URL comes last, and is fetched then."""
    bench, farm = Bench(records), [f"http://h{number}.farm.example/" for number in range(FREE)]
    start = f"{farm[0]}go"
    bench.frontier.add([*(Candidate(url, 0.9, 1, A) for url in farm), Candidate(start, 0.1, 1, A)])
    for _ in farm:
        bench.take().fail(Failure("http_404", retry=False), 0.0)
    visit = bench.take()
    assert visit.url == start
    assert visit.redirect(f"{farm[1]}x", 0.0) is not None
    assert visit.redirect("http://new.farm.example/", 0.0) is None
    assert (visit.is_over, bench.context.traps) == (True, {SHARE: 1})
    visit = bench.take()
    assert visit.url == start
    assert visit.redirect("http://new.farm.example/", 0.0) is not None


def test_a_lost_visit_tries_no_trap(records: SimulatedRecords) -> None:
    """Its answer comes late, a redirect into a trap: nobody ends such a visit."""
    bench = Bench(records)
    days = [f"{A}cal/{day}" for day in range(100_000)]
    for day in days[: Budgets().pattern]:
        bench.context.steering.seen(FetchedPage(day, None, is_gain=False))
    refuses = bench.context.steering.refuses
    tried, *others = [day for day in days[Budgets().pattern :] if (found := refuses(day)) and found.is_probe]
    bench.add(B)
    lost = bench.take()
    bench.visits.expire(1e9)
    bench.visits.of(lost.url).redirect(tried, 1e9)
    assert all(refuses(day).is_probe for day in others)


def test_what_is_certainly_a_trap_is_given_up(records: SimulatedRecords) -> None:
    """Nobody asks for it, whatever else is left."""
    bench = Bench(records)
    for number in range(Budgets().endless):
        bench.context.steering.seen(FetchedPage(f"{A}calendar/{number}", None, is_gain=False))
    bench.add(*(f"{A}calendar/{number}" for number in range(5000, 5020)))
    assert bench.visits.take(0.0) is None
    assert (bench.context.traps, bench.visits.has_more()) == ({"trap_pattern": 20}, False)
    assert bench.frontier.stats().failed == 20


def test_a_copy_is_marked_before_it_is_stored(records: SimulatedRecords) -> None:
    """Word by word, by its checksum; the first one stays what it is."""
    bench = Bench(records, A, B)
    first, second = bench.take(), bench.take()
    item = page(first, checksum="same")
    first.judged = JudgedPage(b"")
    first.compare(item)
    first.record(item, 0.0)
    copy = page(second, checksum="same")
    second.compare(copy)
    assert (item.duplicate_of, item.is_relevant) == (None, True)
    assert (copy.duplicate_of, copy.likeness, copy.is_relevant) == (A, 1.0, False)


def test_nothing_is_known_of_a_visit_that_is_over(records: SimulatedRecords) -> None:
    """What judged a page goes with its visit: a dropped page leaves nothing behind."""
    bench = Bench(records, A)
    visit = bench.take()
    visit.judged = JudgedPage(b"", is_missing=True)
    visit.fail(Failure("item_lost", retry=False), 0.0)
    assert bench.visits.of(A).judged is None
