from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from twisted.python.failure import Failure as TwistedFailure

from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.failure import Failure
from focused_crawler.edge import meta
from focused_crawler.edge.extensions.component import crawl_of
from focused_crawler.edge.failures import NoPage
from focused_crawler.edge.own import PASSES_BY, is_own, make_own
from focused_crawler.edge.scheduler import FocusedScheduler
from focused_crawler.frontier.base import Candidate
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.item import PageItem
from tests.wired import wired

A, B, C = (f"http://{name}.example/" for name in "abc")


@pytest.fixture
def crawler(tmp_path: Path) -> Iterator[Crawler]:
    in_flight = {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    with wired(tmp_path, **in_flight, DOWNLOAD_DELAY=0, FOCUSED_RETRY_DELAY=0) as crawler:
        yield crawler


@pytest.fixture
def crawl(crawler: Crawler) -> Crawl:
    return crawl_of(crawler)


@pytest.fixture
def scheduler(crawler: Crawler) -> FocusedScheduler:
    return opened(crawler)


def opened(crawler: Crawler) -> FocusedScheduler:
    """Return the scheduler as an engine has it."""
    scheduler = FocusedScheduler.from_crawler(crawler)
    scheduler.open(crawler._create_spider("bees"))
    return scheduler


def downloading(crawler: Crawler) -> FocusedScheduler:
    """Return the scheduler beside a downloader that has asked no host yet."""
    downloader = SimpleNamespace(slots={}, get_slot_key=lambda request: request.url)
    crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]
    return opened(crawler)


def handed_over(url: str, priority: float = 0.5) -> Request:
    """Return a request by which a spider hands a URL over to the frontier."""
    return Request(url, meta={meta.PRIORITY: priority})


def given_out(scheduler: FocusedScheduler) -> Request:
    request = scheduler.next_request()
    assert request is not None
    return request


def test_a_request_tells_all_about_its_lease(scheduler: FocusedScheduler) -> None:
    """In meta, as scalars: whatever ends it can end the lease."""
    scheduler._frontier.add([Candidate(A, 0.7, 3, B, b"\xff")])
    request = given_out(scheduler)
    assert request.url == A
    assert request.meta == PASSES_BY | {
        meta.LEASE: A, meta.PRIORITY: 0.7, meta.DEPTH: 3, meta.TRIES: 0, meta.PARENT: B, meta.PATH: b"\xff",
    }  # fmt: skip


def test_the_best_leaves_first(scheduler: FocusedScheduler) -> None:
    """However it came in: as a link, or as a URL that the spider hands over."""
    scheduler._frontier.add([Candidate(A, 0.6)])
    scheduler.enqueue_request(handed_over(B, 0.9))
    scheduler.enqueue_request(handed_over(C, 0.1))
    assert len(scheduler) == 3
    assert [given_out(scheduler).url for _ in range(2)] == [B, A]


def test_no_more_are_given_out_than_may_be_in_flight(scheduler: FocusedScheduler, crawl: Crawl) -> None:
    """So what a page links to is queued before another URL is chosen."""
    scheduler._frontier.add([Candidate(url, 0.5) for url in (A, B, C)])
    first = given_out(scheduler)
    given_out(scheduler)
    assert scheduler.next_request() is None
    assert scheduler.has_pending_requests()
    crawl.visits.of(first.url).fail(Failure("http_404", retry=False), time.time())
    assert scheduler.next_request() is not None


def test_a_frontier_that_fails_ends_the_crawl(
    scheduler: FocusedScheduler, crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one line, also where the engine only asks whether there is more: as a fleet's worker that slept."""

    def fail() -> bool:
        raise CrawlError("this worker was stopped for so long that others have its hosts")

    ends: list[str] = []
    monkeypatch.setattr(scheduler._session, "close", ends.append)
    monkeypatch.setattr(crawl.frontier, "has_more", fail)
    assert scheduler.has_pending_requests()
    assert len(ends) == 1
    assert "others have its hosts" in str(scheduler._session.failure)


def test_what_was_never_asked_costs_no_try(scheduler: FocusedScheduler, crawl: Crawl) -> None:
    """A lease that was lost before its page was asked for: other workers, or we, are as far as before."""
    scheduler._frontier.add([Candidate(A, 0.5)])
    lost = Failure("lease_lost", retry=True, is_untried=True)
    for _ in range(crawl.plan.config.max_tries + 1):
        request = given_out(scheduler)
        assert (request.url, request.meta[meta.TRIES]) == (A, 0)
        assert crawl.visits.of(A).fail(lost, time.time())
    assert crawl.failures() == {}


def test_a_known_url_is_refused(scheduler: FocusedScheduler, crawler: Crawler) -> None:
    """Scrapy is told so, and the stats count it."""
    assert scheduler.enqueue_request(handed_over(A))
    assert not scheduler.enqueue_request(handed_over(A))
    assert not scheduler.enqueue_request(handed_over("ftp://a.example/"))
    assert crawler.stats.get_value("focused/scheduler/enqueued") == 1
    assert crawler.stats.get_value("focused/scheduler/refused") == 2


def callback(response: object) -> None:
    """A user's own."""


@pytest.mark.parametrize(
    "request_",
    [
        Request(B, method="POST", body=b"q=bees"),
        Request(B, callback=callback),
        Request(B, errback=callback),
        Request(B, cookies={"a": "b"}),
        Request(B, cb_kwargs={"a": "b"}),
        Request(B, headers={"a": "b"}),
        Request(B, flags=["a"]),
        Request(B, meta={"a": "b"}),
        Request(B),
    ],
    ids=["POST", "callback", "errback", "cookies", "cb_kwargs", "headers", "flags", "meta", "plain"],
)
def test_a_request_of_the_spiders_own_goes_first(request_: Request, scheduler: FocusedScheduler) -> None:
    """A frontier holds URLs; a request is more, and stays the object it is."""
    scheduler._frontier.add([Candidate(A, 1.0)])
    assert scheduler.enqueue_request(request_)
    assert given_out(scheduler) is request_


def test_requests_of_the_spiders_own_have_scrapys_rules(
    scheduler: FocusedScheduler, crawler: Crawler
) -> None:
    """One asked for before is refused; the highest priority is first, and of equals the latest."""
    requests = [Request(A), Request(B, priority=5), Request(C, priority=-5), Request(f"{A}2")]
    assert all(map(scheduler.enqueue_request, requests))
    assert not scheduler.enqueue_request(Request(A))
    assert scheduler.enqueue_request(Request(A, dont_filter=True))
    assert (len(scheduler), scheduler.has_pending_requests()) == (5, True)
    assert [given_out(scheduler).url for _ in range(5)] == [B, A, f"{A}2", A, C]
    assert scheduler.next_request() is None
    assert crawler.stats.get_value("dupefilter/filtered") == 1


def test_what_a_callback_makes_of_a_visit_is_the_spiders_own(scheduler: FocusedScheduler) -> None:
    """A copy of its request, and one that takes all of its meta: else it would pass for a redirect of it."""
    scheduler._frontier.add([Candidate(A, 0.9, 2, B, b"path")])
    visit = given_out(scheduler)
    for request in (visit.replace(dont_filter=True), Request(C, meta=visit.meta | {"mine": 1})):
        make_own(request, visit)
        assert (set(request.meta) - {"mine"}, request.errback) == (set(), None)
        assert is_own(request)
        assert scheduler.enqueue_request(request)
        assert given_out(scheduler) is request
    assert visit.meta[meta.LEASE] == A


def test_a_redirect_stays_part_of_its_lease(scheduler: FocusedScheduler, crawl: Crawl) -> None:
    """It goes first, and the lease lasts."""
    scheduler._frontier.add([Candidate(A, 0.9), Candidate(B, 0.8)])
    request = given_out(scheduler)
    assert scheduler.enqueue_request(request.replace(url=C))
    assert given_out(scheduler).url == C
    assert crawl.visits.is_out(A)


@pytest.mark.parametrize(
    ("target", "reason"), [(B, "redirect_to_known"), ("http://user@c.example/", "redirect_refused")]
)
def test_a_redirect_that_is_not_followed_ends_its_lease(
    target: str, reason: str, scheduler: FocusedScheduler, crawl: Crawl
) -> None:
    """To a page that is, or was, another's to fetch; to what cannot be crawled."""
    scheduler._frontier.add([Candidate(A, 0.9), Candidate(B, 0.8)])
    request, _ = given_out(scheduler), given_out(scheduler)
    assert not scheduler.enqueue_request(request.replace(url=target))
    assert not crawl.visits.is_out(A)
    assert crawl.failures() == {reason: 1}


def test_a_redirect_to_another_spelling_of_itself_is_followed(scheduler: FocusedScheduler) -> None:
    """From http to https, or to www."""
    scheduler._frontier.add([Candidate(A, 0.9)])
    request = given_out(scheduler)
    assert scheduler.enqueue_request(request.replace(url="https://www.a.example"))


@pytest.mark.parametrize(
    ("target", "is_there"), [(C, False), ("https://www.a.example", True)], ids=["elsewhere", "there"]
)
def test_a_revisit_asks_for_what_is_new(target: str, is_there: bool, tmp_path: Path) -> None:
    """By the page's tag and date, which mean nothing to another page that it leads to."""
    with wired(tmp_path, DOWNLOAD_DELAY=0, FOCUSED_REVISIT_SHARE=1) as crawler:
        crawl, scheduler = crawl_of(crawler), opened(crawler)
        crawl.frontier.done(A)
        facts = {"relevance": 0.5, "is_relevant": True, "etag": '"1"', "last_modified": "then"}
        crawl.store.record_page(PageItem(url=A, fetched_at=1.0, **facts))
        request = given_out(scheduler)
        assert (request.url, request.meta[meta.LEASE]) == (A, A)
        assert request.headers.to_unicode_dict() == {"If-None-Match": '"1"', "If-Modified-Since": "then"}
        assert scheduler.enqueue_request(request.replace(url=target))
        assert bool(given_out(scheduler).headers) == is_there


def test_what_is_asked_for_again_is_not_answered_by_the_cache(tmp_path: Path) -> None:
    """HTTPCACHE_ENABLED: it has the page as it was, and the error that is to be tried again."""
    with wired(tmp_path, DOWNLOAD_DELAY=0, FOCUSED_REVISIT_SHARE=0.1) as crawler:
        crawl, scheduler = crawl_of(crawler), opened(crawler)
        crawl.frontier.done(A)
        crawl.store.record_page(PageItem(url=A, fetched_at=1.0, relevance=0.5, is_relevant=True))
        crawl.frontier.add([Candidate(B, 0.9)])
        asked = []
        while len(asked) < 3:
            request = given_out(scheduler)
            asked.append((request.url, request.meta.get("dont_cache", False)))
            visit = crawl.visits.of(request.url)
            visit.fail(Failure("http_500", retry=request.url == B), time.time() - 3600)
        assert asked == [(A, True), (B, False), (B, True)]


def test_revisits_go_on_where_what_is_new_is_not_to_be_fetched(tmp_path: Path) -> None:
    """As a sitemap that an earlier run had queued, where this one reads none: the crawl is not at its end."""
    with wired(tmp_path, DOWNLOAD_DELAY=0, FOCUSED_REVISIT_SHARE=0.1) as crawler:
        crawl, scheduler = crawl_of(crawler), opened(crawler)
        for url in (A, B):
            crawl.frontier.done(url)
            crawl.store.record_page(PageItem(url=url, fetched_at=1.0, relevance=0.5, is_relevant=True))
        crawl.frontier.add([Candidate(f"{C}sitemap.xml", 0.5, 1, C, b"\0listing sitemap 0 c.example")])
        asked = []
        while (request := scheduler.next_request()) is not None:
            asked.append(request.url)
            crawl.visits.of(request.url).respond(304, request.url, time.time())
        assert sorted(asked) == [A, B]


def test_an_error_ends_the_lease(scheduler: FocusedScheduler, crawl: Crawl) -> None:
    """What may pass is queued again, behind all others; the last try is counted as a failure."""
    scheduler._frontier.add([Candidate(A, 0.9)])
    for tries, pending in ((0, 1), (1, 1), (2, 0)):
        request = given_out(scheduler)
        assert request.meta[meta.TRIES] == tries
        failure = TwistedFailure(NoPage(Failure("http_500", retry=True)))
        failure.request = request
        assert request.errback(failure) == []
        assert len(scheduler) == pending
    assert crawl.failures() == {"http_500": 1}


class Clock:
    """Stands in for the module `time`: its time goes on only where a test lets it."""

    def __init__(self) -> None:
        self.now = time.time()

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The scheduler's; so it does not matter how long a step of a test takes."""
    clock = Clock()
    monkeypatch.setattr("focused_crawler.edge.scheduler.time", clock)
    return clock


@pytest.fixture
def paced(tmp_path: Path) -> Iterator[Crawler]:
    """One request in flight, a twentieth of a second between two to a host."""
    with wired(tmp_path, DOWNLOAD_DELAY=0.05, CONCURRENT_REQUESTS=1, FOCUSED_LEASE_SECONDS=1) as crawler:
        yield crawler


@pytest.mark.asyncio
async def test_a_redirect_waits_for_its_host_and_holds_up_nobody(paced: Crawler, clock: Clock) -> None:
    """Until its host may be asked it is not in flight; then it goes before all that is pending."""
    scheduler = opened(paced)
    scheduler._frontier.add([Candidate(A, 0.9)])
    request = given_out(scheduler)
    assert scheduler.enqueue_request(request.replace(url=f"{A}moved"))
    assert scheduler.next_request() is None
    assert (len(scheduler), scheduler.has_pending_requests()) == (1, True)
    scheduler._frontier.add([Candidate(B, 0.8), Candidate(f"{A}2", 1.0)])
    assert given_out(scheduler).url == B
    clock.now += 0.04
    assert scheduler.next_request() is None
    clock.now += 0.02
    assert given_out(scheduler).url == f"{A}moved"
    scheduler.close("finished")


def test_a_lost_lease_does_not_stop_the_crawl(paced: Crawler, clock: Clock) -> None:
    """When it has lasted for too long its URL is given out again, even if nothing else may be in flight."""
    scheduler = opened(paced)
    crawl_of(paced).visits.pauses = None  # it would take the clock's leap for a pause
    scheduler._frontier.add([Candidate(A, 0.9), Candidate(B, 0.1)])
    assert given_out(scheduler).url == A
    assert scheduler.next_request() is None
    clock.now += 1.01
    assert given_out(scheduler).url == A
    scheduler.close("finished")


class Wishes:
    """A robots.txt that asks for a delay."""

    def __init__(self, delay: float | None) -> None:
        self.delay = delay

    def crawl_delay(self, user_agent: str) -> float | None:
        return self.delay


@pytest.mark.parametrize("wish", [None, -1.0, 0.0, float("nan")])
def test_a_site_without_a_wish_is_asked_as_all_others(wish: float | None, paced: Crawler) -> None:
    """Nor is one with a strange wish."""
    scheduler = opened(paced)
    scheduler.robots_parsed(Wishes(wish), Request(A))  # type: ignore[arg-type]
    scheduler._frontier.add([Candidate(A, 0.9), Candidate(f"{A}2", 0.9)])
    request = given_out(scheduler)
    crawl_of(paced).visits.of(request.url).fail(Failure("http_404", retry=False), time.time())
    time.sleep(0.06)
    assert scheduler.next_request() is not None


def check_pace(crawler: Crawler, scheduler: FocusedScheduler, clock: Clock, host: str, delay: float) -> None:
    """Two URLs of a host are given out with so many seconds between them."""
    for url in (f"http://{host}/{clock.now}", f"https://{host}/{clock.now}/next"):
        scheduler._frontier.add([Candidate(url, 0.9)])
    clock.now += 100.0
    request = given_out(scheduler)
    crawl_of(crawler).visits.of(request.url).fail(Failure("http_404", retry=False), clock.now)
    clock.now += delay - 0.01
    assert scheduler.next_request() is None
    clock.now += 0.02
    request = given_out(scheduler)
    crawl_of(crawler).visits.of(request.url).fail(Failure("http_404", retry=False), clock.now)


S = A.replace("http:", "https:")
PORT = "a.example:8080"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("read", "host", "delay"),
    [
        ([(S, 10.0), (A, None)], "a.example", 10.0),
        ([(A, None), (S, 10.0)], "a.example", 10.0),
        ([(A, 10.0), (S, 3.0)], "a.example", 10.0),
        ([(S, 10.0), (A, 3.0), (S, None)], "a.example", 3.0),
        ([(S, 10.0), (A, None), (S, None)], "a.example", 0.05),
        ([(A, 10.0), (A, None)], "a.example", 0.05),
        ([(S, 10.0), (f"http://{PORT}/", None)], PORT, 0.05),
        ([(f"https://{PORT}/", 10.0), (f"http://{PORT}/", None)], PORT, 10.0),
        ([(f"https://{PORT}/", 10.0), (A, None)], "a.example", 0.05),
    ],
)
async def test_a_host_is_asked_as_slowly_as_one_of_its_files_asks_for(
    read: list[tuple[str, float | None]], host: str, delay: float, paced: Crawler, clock: Clock
) -> None:
    """It has a robots.txt for http and one for https; what one asked for before counts no more."""
    scheduler = downloading(paced)
    for url, wish in read:
        scheduler.robots_parsed(Wishes(wish), Request(url))  # type: ignore[arg-type]
    check_pace(paced, scheduler, clock, host, delay)
    scheduler.close("finished")


@pytest.mark.asyncio
async def test_a_file_does_not_take_back_what_another_one_asked_for_in_an_earlier_run(
    tmp_path: Path, clock: Clock
) -> None:
    """Nobody knows which of them it was, until both have been read; or one twice, a day later."""
    settings = {"DOWNLOAD_DELAY": 0.05, "FOCUSED_CRAWLS": str(tmp_path / "crawls"), "FOCUSED_JOB": "1"}
    runs = [[(S, 10.0)], [(A, None)], [(A, None), (S, None)]], [10.0, 10.0, 0.05]
    for number, (read, delay) in enumerate(zip(*runs, strict=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with wired(folder, **settings) as crawler:
            scheduler = downloading(crawler)
            for url, wish in read:
                scheduler.robots_parsed(Wishes(wish), Request(url))  # type: ignore[arg-type]
            check_pace(crawler, scheduler, clock, "a.example", delay)
            scheduler.close("finished")
            crawl_of(crawler).end("shutdown")


def test_a_virtual_web_has_nobody_to_be_polite_to(tmp_path: Path, demo_web: Path) -> None:
    """No delay is kept there, whatever its robots.txt says, and a refusal is tried again at once."""
    with wired(tmp_path, FOCUSED_WEB=str(demo_web), CONCURRENT_REQUESTS_PER_DOMAIN=2) as crawler:
        scheduler, crawl = opened(crawler), crawl_of(crawler)
        scheduler.robots_parsed(Wishes(100.0), Request(A))  # type: ignore[arg-type]
        scheduler._frontier.add([Candidate(A, 0.9), Candidate(f"{A}2", 0.8)])
        request = given_out(scheduler)
        refused = Failure("http_429", retry=True, refused_by="a.example")
        assert crawl.visits.of(request.url).fail(refused, time.time())
        assert [given_out(scheduler).url for _ in range(2)] == [f"{A}2", A]
