"""Workers of one crawl that begin at the same time, come later, or find it changed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analyst, Way
from focused_crawler.crawl.changes import add_pages
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.lists.counts import identity_of
from focused_crawler.crawl.model_preview import rejudged
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.copies import sketch
from focused_crawler.crawl.steering.listings import ListingLease
from focused_crawler.crawl.steering.steering import JudgedPage
from focused_crawler.fleet.coordinator import FleetCoordinator
from focused_crawler.frontier.base import Candidate, Frontier
from focused_crawler.frontier.partitioned.partition import host_number
from focused_crawler.page.model import Named
from focused_crawler.page.url import url_key
from focused_crawler.store import orders
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import change_crawl
from tests.crawls.site import write_topic
from tests.fleet.recorded import new_job
from tests.postgresql import Server
from tests.project import until


class Overtaken(FleetCoordinator):
    """While it opens the crawl, another worker opens it, begins and ends."""

    other: RunInfo

    def open_frontier(self, database: CrawlDatabase) -> Frontier:
        other = Crawl(self._plan, FleetCoordinator(self._plan))
        other.end("shutdown")
        self.other = other.run
        return super().open_frontier(database)


@pytest.fixture
def plan(tmp_path: Path, postgresql: Server) -> CrawlPlan:
    settings = {
        "TOPIC": str(write_topic(tmp_path, "bees", "http://a.example/")),
        "CRAWLS": str(tmp_path / "crawls"),
        "FRONTIER": "postgresql",
        "DATABASE": postgresql.address,
        "JOB": new_job(),
        "STRATEGY": "lpe",
    }
    named = Settings({f"FOCUSED_{name}": value for name, value in settings.items()})
    return CrawlPlan.make(CrawlConfig.from_settings(named))


def test_they_are_one_crawl(plan: CrawlPlan) -> None:
    """Neither has found the other's run.json; lists of sites know a crawl by when it began."""
    coordinator = Overtaken(plan)
    crawl = Crawl(plan, coordinator)
    crawl.end("shutdown")
    assert identity_of(run_of(crawl.folder)) == identity_of(coordinator.other)


def test_so_is_who_comes_from_another_machine(plan: CrawlPlan) -> None:
    """Its folder has a run.json of its own."""
    first = Crawl(plan, FleetCoordinator(plan))
    first.end("shutdown")
    (first.folder / "run.json").unlink()
    second = Crawl(plan, FleetCoordinator(plan))
    second.end("shutdown")
    assert identity_of(second.run) == identity_of(first.run)


def test_time_is_that_of_all_of_them(plan: CrawlPlan) -> None:
    """Who comes later, or to another machine, has what is left of the crawl's minutes, not all of them."""
    first = Crawl(plan, FleetCoordinator(plan))
    first.end("shutdown")
    (first.folder / "run.json").unlink()
    second = Crawl(plan, FleetCoordinator(plan))
    with second.database.locked_transaction():
        second.database.execute("UPDATE runs SET started = started - 3000 WHERE id = ?", (first.run_id,))
    third = Crawl(plan, FleetCoordinator(plan))
    assert 3000 < third.run_file.seconds < 3500
    for one in (second, third):
        one.end("shutdown")
    assert 3000 < run_of(first.folder).seconds < 3500


def test_who_comes_later_leaves_what_the_first_has_revisited(plan: CrawlPlan) -> None:
    """That was in the same run of the fleet; what was visited in a run that has ended may come again."""
    ended = Crawl(plan, FleetCoordinator(plan))
    ended.end("shutdown")
    first = Crawl(plan, FleetCoordinator(plan))
    with first.database.locked_transaction():
        for crawl, seconds in ((ended, 9000), (first, 3000)):
            earlier = "UPDATE runs SET started = started - ? WHERE id = ?"
            first.database.execute(earlier, (seconds, crawl.run_id))
    second = Crawl(plan, FleetCoordinator(plan))
    assert second.maintenance._started == pytest.approx(first.run_file.began - 3000, abs=60)
    for one in (first, second):
        one.end("shutdown")


def test_what_is_left_is_that_of_all_of_them(plan: CrawlPlan) -> None:
    """Who ends may have heard last of the others a moment ago: the database is asked."""
    one, other = (Crawl(plan, FleetCoordinator(plan)) for _ in range(2))
    one.frontier.add([Candidate(f"http://b.example/{number}", 0.5) for number in range(7)])
    one.tick()
    other.end("shutdown")
    run = run_of(one.folder)
    assert run.totals["pending"] == sum(run.left) == 7
    one.end("shutdown")


def test_all_know_what_was_ordered(plan: CrawlPlan) -> None:
    """Whoever carries it out: the hosts may be another's, whose order would score them again."""
    url = "http://b.example/ordered"
    one, other = (Crawl(plan, FleetCoordinator(plan)) for _ in range(2))
    orders.give(one.folder, orders.ADD, json.dumps([url]))
    add_pages(one, [url])
    other.tick()
    assert one.visits.context.first == other.visits.context.first == plan.start.keys | {url_key(url)}
    for worker in (one, other):
        worker.end("shutdown")


def test_who_is_told_to_stop_while_it_loads_its_model_stops(plan: CrawlPlan) -> None:
    """As those do that work already; who comes when they have stopped does not."""
    first = Crawl(plan, FleetCoordinator(plan))
    loaded = CrawlPlan.make(plan.config)
    orders.give(first.folder, orders.STOP)
    second = Crawl(loaded, FleetCoordinator(loaded))
    assert orders.newer(second.database, orders.STOP, second.last_order) is not None
    first.journal.write(partial(orders.all_carried_out, first.database, orders.STOP, "its workers stop"))
    for worker in (first, second):
        worker.end("told_to_stop")
    later = CrawlPlan.make(plan.config)
    third = Crawl(later, FleetCoordinator(later))
    assert orders.newer(third.database, orders.STOP, third.last_order) is None
    third.end("shutdown")


def test_a_new_model_leaves_hosts_where_they_belong(plan: CrawlPlan) -> None:
    """Links that are followed only by it may lead to hosts that nobody has queued anything of."""
    crawl = Crawl(plan, FleetCoordinator(plan))
    hosts = [f"new{number}.example" for number in range(8)]
    analyst, url = plan.analyst, "http://a.example/"
    links = "".join(f"<a href=http://{host}/>bees honey hive</a> " for host in hosts)
    body = f"<title>bees</title><p>{'Bees keep honey in the hive. ' * 20}</p><p>{links}</p>".encode()
    found = analyst.classify(body, url, None, Way(0))
    analyst.partition(found)
    crawl.frontier.add([Candidate(url, 1.0)])
    crawl.journal.commit()
    visit = crawl.next_visit(time.time())
    assert visit is not None
    visit.respond(200, url, time.time())
    visit.links(url, [ScoredLink(f"http://{host}/", "bees honey hive", 0, None) for host in hosts], 0)
    facts = {"checksum": found.checksum, "text": found.text, "relevance": 0.1, "is_relevant": False}
    crawl.record(visit, PageItem(url=url, fetched_at=time.time(), **facts), time.time())
    crawl.tick()
    crawl.end("shutdown")
    with change_crawl(crawl.folder) as database:
        rejudged(run_of(crawl.folder), database, Analyst.make(plan.config, plan.topic))
        database.commit()
        known = dict(database.rows("SELECT name, id FROM hosts"))
    assert set(hosts) < set(known)
    assert all(number == host_number(name) for name, number in known.items())


def test_what_others_find_changed_counts_here_too(plan: CrawlPlan) -> None:
    """A page that is no longer relevant is none of the relevant ones that a budget is spent on."""
    url, now = "http://a.example/", time.time()
    first = Crawl(plan, FleetCoordinator(plan))
    first.frontier.add([Candidate(url, 1.0)])
    first.journal.commit()
    _record(first, url, now, is_relevant=True)
    first.end("shutdown")
    again = replace(plan, config=replace(plan.config, revisit_share=1.0))
    one, other = (Crawl(again, FleetCoordinator(again)) for _ in range(2))
    for worker in (one, other):
        worker.tick()
    assert (one.rate.relevant, other.rate.relevant) == (1, 1)
    owner = other if one.frontier.is_elsewhere("a.example") else one
    _record(owner, url, now + 1, is_relevant=False)
    for worker in (one, other):
        worker.tick()
        assert (worker.rate.pages, worker.rate.relevant, worker.rate.value) == (1, 0, 0.0)
    for worker in (one, other):
        worker.end("shutdown")
        assert run_of(worker.folder).totals["relevant"] == 0


def test_other_pages_are_compared_with_the_text_that_a_page_has_now(plan: CrawlPlan) -> None:
    """A revisit ends once, and the text before is forgotten."""
    url, now = "http://a.example/", time.time()
    again = replace(plan, config=replace(plan.config, revisit_share=1.0))
    old, new = (JudgedPage(sketch([f"{word}{number}" for number in range(99)])) for word in ("old", "new"))
    for seconds, judged in enumerate((old, new)):
        worker = Crawl(again, FleetCoordinator(again))
        worker.frontier.add([Candidate(url, 1.0)])
        worker.journal.commit()
        _record(worker, url, now + seconds, is_relevant=True, judged=judged)
        assert worker.database.rows("SELECT minhash FROM sketches") == [(judged.sketch,)]
        worker.end("shutdown")
    with change_crawl(worker.folder) as database:
        assert database.rows("SELECT outcome FROM revisits") == [("changed",)]


def test_feeds_that_a_worker_has_met_are_read_by_those_after_it(plan: CrawlPlan) -> None:
    """Each once, whoever asks for it first."""
    steering = replace(plan.config.steering, listings="feeds")
    plan, feed = replace(plan, config=replace(plan.config, steering=steering)), "http://a.example/feed"
    first = Crawl(plan, FleetCoordinator(plan))
    first.frontier.add([Candidate("http://a.example/", 1.0)])
    first.journal.commit()
    named = JudgedPage(b"", named=Named("", (feed,)))
    _record(first, "http://a.example/", time.time(), is_relevant=True, judged=named)
    first.end("shutdown")
    one, other = (Crawl(plan, FleetCoordinator(plan)) for _ in range(2))
    asked: list[tuple[str, ListingLease | None]] = []

    def look() -> bool:
        for worker in (one, other):
            worker.tick()
            visit = worker.next_visit(time.time())
            asked.extend([] if visit is None else [(visit.url, visit.listing)])
        return bool(asked)

    until(look)
    look()
    assert asked == [(feed, ListingLease("feed", 0, "a.example"))]
    for worker in (one, other):
        worker.end("shutdown")


def _record(
    crawl: Crawl, url: str, now: float, *, is_relevant: bool, judged: JudgedPage | None = None
) -> None:
    visit = crawl.next_visit(now)
    while visit is None:
        crawl.tick()
        visit = crawl.next_visit(now)
    visit.respond(200, url, now)
    visit.judged = judged
    item = PageItem(url=url, fetched_at=now, checksum=str(now), relevance=0.5, is_relevant=is_relevant)
    crawl.record(visit, item, now)
    crawl.tick()
