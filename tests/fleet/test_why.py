"""What became of a URL in a crawl of several workers: Redis and the database together."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import msgpack
import pytest

from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.fleet.status import frontier_name
from focused_crawler.fleet.why import read_shared
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.redis.frontier import RedisFrontier
from focused_crawler.frontier.redis.records import pack_record
from focused_crawler.report.why.cures import as_typed_here
from focused_crawler.report.why.facts import UrlFacts, host_state
from focused_crawler.report.why.learnt import Learnt
from focused_crawler.report.why.sentences import Conclusion, answer
from focused_crawler.report.why.terminal import as_record, story
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RUNNING, STOPPED, RunInfo
from focused_crawler.store.opening import shared_schema_name
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema
from focused_crawler.store.schema import State
from tests.fleet.recorded import drop, new_job
from tests.postgresql import Server

A, B, C = "http://a.org/", "http://b.org/x", "http://c.org/y"
ADDRESS = "postgresql://ann@db.example/crawls"


@dataclass
class SmallFleet:
    """A crawl of which a test tells each step, by one worker."""

    crawl: FleetCrawl
    database: CrawlDatabase
    frontier: RedisFrontier
    run: RunInfo
    address: str = ""

    def add(self, *urls: str, priority: float = 0.5, parent: str | None = None) -> None:
        self.frontier.add(Candidate(url, priority, 1, parent) for url in urls)

    def take(self) -> str:
        return self.frontier.take(1, self.frontier.server_time())[0].url

    def record(self, url: str, *links: tuple[str, float | None], at: str | None = None) -> None:
        """Write down a page, as is done before its lease is over for good."""
        with self.database.locked_transaction():
            store = PageStore(self.database)
            found = [(target, "", number, score) for number, (target, score) in enumerate(links)]
            store.record_links(at or url, found)
            page = PageItem(
                url=at or url, requested_url=url, fetched_at=time.time(), relevance=0.75, is_relevant=True
            )
            store.record_page(page)

    def facts(self, url: str) -> tuple[UrlFacts, RunInfo]:
        return read_shared(self.database, url, self.run, self.address)

    def answer(self, url: str) -> Conclusion:
        """Return the answer, which can be shown and written down, too."""
        facts, run = self.facts(url)
        told = answer(facts, run, time.time())
        json.dumps(as_record(facts, run, None, Learnt(), told), allow_nan=False)
        assert story(facts, run, None, Learnt(), time.time()).renderables
        return told


@pytest.fixture
def rules(request: pytest.FixtureRequest) -> dict[str, Any]:
    return getattr(request, "param", {})


@pytest.fixture
def servers(request: pytest.FixtureRequest) -> str:
    return getattr(request, "param", "redis_server")


@pytest.fixture
def fleet(
    request: pytest.FixtureRequest, servers: str, postgresql: Server, rules: dict[str, Any]
) -> Iterator[SmallFleet]:
    server = request.getfixturevalue(servers)
    crawl = FleetCrawl("stars", new_job(), server.address, postgresql.address)
    place = PostgresqlSchema(crawl.database, shared_schema_name("stars", crawl.job), shared=True)
    run = RunInfo("stars", "Stars", crawl.job, "lpe", "", None, trained=True, totals={"pages": 12})
    run.frontier, run.database, run.schema = crawl.frontier, ADDRESS, place.schema
    run.settings.update(FOCUSED_FRONTIER=crawl.frontier, FOCUSED_DATABASE=ADDRESS)
    name = frontier_name("stars", crawl.job)
    frontier = RedisFrontier(crawl.frontier, name, Rules(**rules), worker="w1")
    with CrawlDatabase(place) as database:
        yield SmallFleet(crawl, database, frontier, run)
    frontier.forget()
    frontier.close()
    drop(postgresql, crawl)


@pytest.mark.parametrize("servers", ["redis_server", "redis_cluster"], indirect=True)
def test_a_pending_url(fleet: SmallFleet) -> None:
    """What comes before it, and who found it; the crawl goes on while a worker lives."""
    fleet.add(A, priority=0.9)
    fleet.add(B, C, priority=0.25, parent=A)
    fleet.record(A, (B, 0.25))
    fleet.frontier.heartbeat({})
    facts, run = fleet.facts(B)
    assert (facts.state, facts.has_outcomes, facts.remarks) == (State.PENDING, True, ())
    assert facts.ahead in {1, 2}
    assert facts.queue is not None
    assert facts.queue[4:6] == (0, 0.25)
    assert (facts.queue.depth, facts.queue.parent, facts.queue.host) == (1, A, "b.org")
    assert facts.counted.followed == 1
    assert run.state == RUNNING
    said = fleet.answer(B)
    assert said.verdict == "pending"
    assert re.fullmatch(rf"It is pending: {facts.ahead} URLs? comes? before it\.", said.reason)
    assert said.cure.startswith("wait")


def test_a_url_that_is_out(fleet: SmallFleet) -> None:
    """By name of its worker."""
    fleet.add(A)
    fleet.take()
    said = fleet.answer(A)
    assert (said.verdict, said.reason) == (
        "being fetched", "It is being fetched now by w1, or was when the crawl was killed.",
    )  # fmt: skip


def test_a_url_that_waits(fleet: SmallFleet) -> None:
    """Until then, by the clock of this machine."""
    fleet.add(A)
    fleet.frontier.failed(fleet.take(), time.time() + 60)
    facts, _ = fleet.facts(A)
    assert facts.queue is not None
    assert facts.queue.retry_at == pytest.approx(time.time() + 60, abs=30)
    said = fleet.answer(A)
    assert (said.verdict, "failed 1 time and waits" in said.reason) == ("waiting", True)
    assert said.cure.startswith("wait, or if the crawl was killed")


def test_a_url_on_its_way_into_the_database(fleet: SmallFleet) -> None:
    """Neither fetched nor failed, until its worker has written it down; then that is the answer."""
    fleet.add(A, B)
    for url in (fleet.take(), fleet.take()):
        (fleet.frontier.failed(url, None) if url == B else fleet.frontier.done(url))
    for url in (A, B):
        said = fleet.answer(url)
        assert said.verdict == "being recorded"
        assert said.reason == "It was asked for by w1, and what came of it is not recorded yet."
    fleet.record(A)
    with fleet.database.locked_transaction():
        PageStore(fleet.database).record_failure(B, "http_404")
    fleet.frontier.ack()
    assert [fleet.answer(url).verdict for url in (A, B)] == ["fetched, relevant", "http_404"]


def test_a_page_of_which_redis_has_not_heard_yet(fleet: SmallFleet) -> None:
    """Is fetched, and not to be revisited; one whose worker died is, and is counted once."""
    fleet.add(A)
    fleet.take()
    fleet.record(A)
    assert fleet.answer(A).verdict == "fetched, relevant"
    fleet.frontier.release(A)
    assert fleet.answer(A).verdict == "fetched, relevant, to be revisited"


def test_a_redirect(fleet: SmallFleet) -> None:
    """Is found by both its ends, though no page links to either."""
    fleet.add(A)
    fleet.frontier.done(fleet.take(), B)
    fleet.record(A, at=B)
    fleet.frontier.ack()
    assert [fleet.answer(url).verdict for url in (A, B)] == ["redirected, relevant", "fetched, relevant"]


@pytest.mark.parametrize("rules", [{"host_pages": 2}], indirect=True)
def test_a_host_that_has_given_all(fleet: SmallFleet) -> None:
    """What is left of it is dropped."""
    fleet.run.settings["FOCUSED_HOST_PAGES"] = 2
    fleet.add(*(f"{A}{number}" for number in range(4)))
    for _ in range(2):
        fleet.frontier.done(fleet.take())
    fleet.frontier.ack()
    urls = [f"{A}{number}" for number in range(4)]
    states = [fleet.facts(url)[0].state for url in urls]
    assert sorted(states) == [State.DONE, State.DONE, State.DROPPED, State.DROPPED]
    assert fleet.facts(f"{A}unseen")[0].near == ()
    left = urls[states.index(State.DROPPED)]
    assert fleet.answer(left).verdict == "host_limit"
    host = fleet.facts(left)[0].host
    assert host is not None
    assert (host.ready_at, host.pending, host.fetches) == (math.inf, 0, 2)


@pytest.mark.parametrize("rules", [{"max_pending": 16}], indirect=True)
def test_a_full_frontier(fleet: SmallFleet) -> None:
    """The worst is dropped."""
    fleet.add(B, priority=0.125)
    fleet.add(*(f"{B}/{number}" for number in range(16)), priority=0.75)
    assert fleet.answer(B).verdict == "frontier full"


def test_its_host(fleet: SmallFleet) -> None:
    """What is pending and out, what it asked for, and when it may be asked."""
    fleet.add(A, f"{A}1", f"{A}2", f"{A}3")
    first = fleet.take()
    fleet.frontier.done(first)
    fleet.record(first)
    fleet.frontier.failed(fleet.take(), time.time() + 99)
    fleet.frontier.pace("a.org", 7)
    now = time.time()
    fleet.frontier.refused(f"{A}1", "a.org", now, 300)
    host = fleet.facts(first)[0].host
    assert host is not None
    assert (host.name, host.pages, host.fetches, host.delay, host.refusals) == ("a.org", 1, 1, 7, 1)
    assert host.pending + host.out == 3
    assert host.ready_at == pytest.approx(now + 300, abs=60)
    assert host_state(host, fleet.run, now).startswith("1 page fetched, ")


def test_one_that_was_never_seen(fleet: SmallFleet) -> None:
    """What is pending of its host is shown; a seed, to which no page links, is one that was."""
    fleet.add("http://a.org/news/1", "http://a.org/about")
    facts, _ = fleet.facts("http://a.org/news/2")
    assert [near.url for near in facts.near] == ["http://a.org/news/1", "http://a.org/about"]
    assert fleet.answer("http://a.org/news/2").verdict == "never seen"
    assert fleet.answer("http://a.org/about").verdict == "pending"


def test_links_that_were_not_followed(fleet: SmallFleet) -> None:
    """And one that was, of which the server knows nothing any more."""
    fleet.record(A, (B, None), (C, 0.5))
    assert fleet.answer(B).verdict == "not followed"
    said = fleet.answer(C)
    assert (said.verdict, "its server has lost" in said.reason) == ("lost", True)


def test_after_the_crawl(fleet: SmallFleet) -> None:
    """What is left is told, and what to type: both servers are named, but those that are known here."""
    fleet.add(A)
    fleet.frontier.close()
    facts, run = fleet.facts(A)
    assert (facts.state, run.state) == (State.PENDING, STOPPED)
    assert fleet.answer(A).cure.endswith(
        f"-s FOCUSED_DATABASE={ADDRESS} -s FOCUSED_FRONTIER={fleet.crawl.frontier}"
    )
    given = {"FOCUSED_DATABASE": ADDRESS.replace("ann", "ann:secret")}
    given["FOCUSED_FRONTIER"] = fleet.crawl.frontier
    told = answer(facts, as_typed_here(run, given), time.time())
    assert told.cure.endswith(f"-a topic=stars -a job={fleet.crawl.job}")


def unread(fleet: SmallFleet) -> str:
    """Return the remark on a frontier that was not read; the database answers."""
    facts, run = fleet.facts(A)
    assert (facts.has_outcomes, run.state) == (False, fleet.run.state)
    (remark,) = facts.remarks
    assert "\n" not in remark
    fleet.record(B, (A, 0.5))
    said = fleet.answer(A)
    assert (said.verdict, said.reason) == (
        "queued", "It was queued, in the frontier that the workers share, which was not read.",
    )  # fmt: skip
    assert fleet.answer(B).verdict == "fetched, relevant"
    return remark


@pytest.mark.parametrize("address", ["redis://ann:do-not-show@localhost:1/0", "redis://localhost/x"])
def test_a_server_that_cannot_be_read(fleet: SmallFleet, address: str) -> None:
    """One line says so, and what to type; no password."""
    fleet.add(A)
    fleet.address = address
    remark = unread(fleet)
    assert remark.startswith("The frontier was not read: ")
    assert "redis://" in remark
    assert "do-not-show" not in remark
    assert fleet.answer(C).verdict == "not linked"


def test_a_server_without_the_frontier(fleet: SmallFleet) -> None:
    """Perhaps it is another's."""
    fleet.frontier.forget()
    assert "has no frontier of this crawl. Name it with -s FOCUSED_FRONTIER=" in unread(fleet)


def test_a_malformed_url(fleet: SmallFleet) -> None:
    """Is a remark; the database answers."""
    number = fleet.frontier._partition("a.org")
    fleet.frontier._client.hset(
        fleet.frontier._key(number, "urls"), fleet.frontier._ids.of(A), b"P\0" + b"\xff" * 40
    )
    assert "holds of this URL what makes no sense" in unread(fleet)


def test_a_url_that_no_worker_wrote(fleet: SmallFleet) -> None:
    """Though its identity is that of the URL: it never reaches the database."""
    record = pack_record(Candidate(A.replace("tt", "t\0t"), 0.5), None)
    key = fleet.frontier._key(fleet.frontier._partition("a.org"), "urls")
    fleet.frontier._client.hset(key, fleet.frontier._ids.of(A), b"d" + record[1:])
    assert "holds of this URL what makes no sense" in unread(fleet)


def test_a_malformed_queue(fleet: SmallFleet) -> None:
    """Is a remark; all but the place is told."""
    fleet.add(A)
    queue = fleet.frontier._key(fleet.frontier._partition("a.org"), "queue")
    fleet.frontier._client.zadd(queue, {b"z.org\0" + bytes(17): -1})
    facts, _ = fleet.facts(A)
    assert (facts.state, facts.has_outcomes, facts.ahead) == (State.PENDING, True, None)
    (remark,) = facts.remarks
    assert remark.endswith("holds a queue that makes no sense, and cannot be counted")
    assert fleet.answer(A).reason == "It is pending: its priority is 0.500."


def test_a_malformed_host(fleet: SmallFleet) -> None:
    """Is a remark; all else is told."""
    fleet.add(A)
    key = fleet.frontier._key(fleet.frontier._partition("a.org"), "hosts")
    fleet.frontier._client.hset(key, "a.org", b"\xc1")
    facts, _ = fleet.facts(A)
    assert (facts.state, facts.host, facts.ahead) == (State.PENDING, None, None)
    assert [remark.partition(" holds ")[2] for remark in facts.remarks] == [
        "of its host what makes no sense; a worker repairs it"
    ]
    assert fleet.answer(A).reason == "It is pending: its priority is 0.500."


@pytest.mark.parametrize("number", [math.nan, -math.inf, math.inf, 1e308, -1, 2**64 - 1])
def test_hostile_numbers(fleet: SmallFleet, number: float) -> None:
    """Can be shown all the same."""
    fleet.add(A)
    key = fleet.frontier._key(fleet.frontier._partition("a.org"), "hosts")
    fleet.frontier._client.hset(key, "a.org", msgpack.packb([*[number] * 11, b"", b"", b""]))
    assert fleet.answer(A).verdict in {"pending", "refusals"}


def test_a_hostile_name(fleet: SmallFleet) -> None:
    """Steers no terminal."""
    fleet.add(A)
    fleet.take()
    key, id = fleet.frontier._key(fleet.frontier._partition("a.org"), "leases"), fleet.frontier._ids.of(A)
    fleet.frontier._client.hset(key, id, msgpack.packb([b"\x1b[2J\n" + b"x" * 999]))
    facts, _ = fleet.facts(A)
    assert facts.queue is not None
    worker = facts.queue.worker
    assert worker is not None
    assert worker.startswith("[2J")
    assert len(worker) == 80
    assert asdict(facts)
