"""Several workers at one frontier that is shared by hosts, on a real server."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import filterfalse

import pytest

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.hosts import BUFFER
from focused_crawler.frontier.partitioned.members import FENCE_SECONDS, WORKER_SECONDS
from focused_crawler.frontier.partitioned.partition import PARTITIONS
from focused_crawler.frontier.sql import frontier as sql_module
from focused_crawler.page.url import host_of
from focused_crawler.safety.errors import CrawlError
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import Server
from tests.project import until

HOSTS = 30
LINKS = [Candidate(f"http://host{number % HOSTS}.org/{number}", number / 120, 1) for number in range(120)]


Come = Callable[..., Worker]


@pytest.fixture
def schema(postgresql: Server) -> Iterator[str]:
    name = postgresql.new_schema().schema
    yield name
    postgresql.drop(name)


@pytest.fixture
def come(postgresql: Server, schema: str) -> Iterator[Come]:
    """Let a worker come; all are gone in the end."""
    with ExitStack() as stack:

        def worker(name: str, **rules: object) -> Worker:
            one = Worker(postgresql.address, schema, name, Rules(**rules))  # type: ignore[arg-type]
            stack.callback(one.stop)
            return one

        yield worker


def settled(*workers: Worker) -> bool:
    """Let all do what they have to; tell whether each has its share."""
    for worker in workers:
        worker.tick()
    shares = [len(worker.held) for worker in workers]
    return sum(shares) == PARTITIONS and max(shares) - min(shares) <= 1


def drained(*workers: Worker) -> list[tuple[str, str]]:
    """Fetch all there is; return which worker had which URL."""
    found = []
    while any(worker.frontier.has_more() for worker in workers):
        for worker in workers:
            url = worker.take()
            if url is not None:
                found.append((worker.name, url))
                worker.frontier.done(url)
    return found


def silence(worker: Worker, server: Server, schema: str) -> None:
    """Let a worker look as if it had been stopped for a long time: its thread sends nothing more."""
    assert worker.pulse is not None
    worker.pulse.close(departs=False)
    with server.connected() as connection:
        connection.execute(
            f"UPDATE {schema}.workers SET heartbeat_at = heartbeat_at - {WORKER_SECONDS + 1}"
            f" WHERE name = '{worker.name}'"
        )


def test_texts_of_queued_urls_do_not_fill_the_memory(come: Come, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are queued before one is taken; each is given out with its own all the same."""
    monkeypatch.setattr(sql_module, "_CACHED_URLS", 10)
    worker = come("a")
    worker.frontier.add(LINKS)
    worker.turn()
    assert len(worker.frontier._owned._texts) <= 20
    assert sorted(url for _, url in drained(worker)) == sorted(link.url for link in LINKS)


def test_each_host_has_one_owner(come: Come) -> None:
    """Whoever comes or goes, all have equal shares soon, and together all partitions."""
    workers = [come("a")]
    assert len(workers[0].held) == PARTITIONS
    workers += [come("b"), come("c")]
    until(lambda: settled(*workers))
    assert not workers[0].held & workers[1].held
    assert workers.pop(0).leave() is False
    until(lambda: settled(*workers))
    assert workers.pop().leave() is False
    until(lambda: settled(*workers))
    assert workers.pop().leave() is True


def test_every_url_is_given_once_and_by_its_owner(come: Come) -> None:
    """Whoever finds it."""
    workers = [come("a"), come("b"), come("c")]
    until(lambda: settled(*workers))
    for number, link in enumerate(LINKS):
        workers[number % 3].frontier.add([link, LINKS[number // 2]])
    found = drained(*workers)
    assert sorted(url for _, url in found) == sorted(link.url for link in LINKS)
    owners = {(host_of(url), name) for name, url in found}
    assert len(owners) == len({host for host, _ in owners}) == HOSTS
    assert len(Counter(name for name, _ in found)) == 3
    assert not any(worker.frontier.has_more() for worker in workers)


def test_a_last_url_that_rises_is_not_forgotten(come: Come) -> None:
    """When its host's queue is read anew in the same turn in which another worker's link has raised it."""
    owner, other = come("a"), come("b")
    until(lambda: settled(owner, other))
    host = next(filterfalse(owner.frontier.is_elsewhere, map("h{}.example".format, range(99))))
    *links, last = [Candidate(f"http://{host}/{number}", 0.9 - number / 100) for number in range(BUFFER + 1)]
    owner.frontier.add([*links, last])
    for link in links:
        assert owner.take() == link.url
        owner.frontier.done(link.url)
    owner.frontier.pace(host, 1.0)
    owner.turn()
    assert not owner.frontier.take(1, time.time())
    other.frontier.add([last._replace(priority=0.95)])
    other.turn()
    assert owner.pulse is not None
    exchange = owner.pulse.exchange
    until(lambda: exchange.has_mail)
    owner.turn()
    until(lambda: owner.take() == last.url)


def test_who_comes_later_gets_what_waits(come: Come) -> None:
    """With the priority that a link of the other worker has raised it to since, and its tries."""
    first = come("a")
    first.frontier.add(LINKS)
    (lease,) = first.frontier.take(1, time.time())
    first.frontier.failed(lease.url, time.time())
    second = come("b")
    until(lambda: settled(first, second))
    second.frontier.add([Candidate(link.url, 0.999, 1) for link in LINKS[:20]])
    second.turn()
    found = drained(first, second)
    assert sorted(url for _, url in found) == sorted(link.url for link in LINKS)
    (owner,) = {name for name, url in found if url == lease.url}
    assert [url for name, url in found if name == owner][-1] == lease.url
    raised = {link.url for link in LINKS[:20]}
    places = [place for place, (_, url) in enumerate(found) if url in raised]
    assert max(places) < 60


def test_who_was_stopped_for_long_stores_nothing(come: Come, postgresql: Server, schema: str) -> None:
    """Others have its hosts, and what it had out; what it has not written is as if it had not been."""
    first = come("a")
    first.frontier.add(LINKS)
    first.turn()
    second = come("b")
    until(lambda: settled(first, second))
    url = first.take()
    assert url is not None
    silence(first, postgresql, schema)
    until(lambda: settled(second))
    first.frontier.done(url)
    first.frontier.add([Candidate("http://new.org/", 1.0)])
    with pytest.raises(CrawlError, match="others have its hosts"):
        first.turn()
    assert second.database.rows("SELECT 1 FROM urls WHERE url = 'http://new.org/'") == []
    assert url in {found for _, found in drained(second)}


def test_who_has_no_heartbeat_gives_out_nothing(come: Come) -> None:
    """Before others take it for dead."""
    worker = come("a")
    worker.frontier.add(LINKS)
    url = worker.take()
    assert url is not None
    assert worker.frontier.holds(url)
    assert worker.pulse is not None
    worker.pulse.close(departs=False)
    worker.pulse.exchange.last_beat -= FENCE_SECONDS
    assert not worker.frontier.holds(url)
    assert worker.frontier.take(1, time.time()) == []


def test_a_host_is_left_alone_whoever_has_it(come: Come, postgresql: Server, schema: str) -> None:
    """Its delay counts from when its last owner asked it, or may have, where that one died."""
    urls = [Candidate(f"http://one.org/{number}", 0.5) for number in range(3)]
    first = come("a", delay=1000.0)
    first.frontier.add(urls)
    assert first.take() is not None
    first.leave()
    second = come("b", delay=1000.0)
    assert second.take() is None
    assert second.frontier.stats().pending == 3
    (asked_at,) = second.database.rows("SELECT ready_at FROM hosts")[0]
    silence(second, postgresql, schema)
    third = come("c", delay=1000.0)
    until(lambda: settled(third))
    assert third.take() is None
    third.frontier.asked("one.org", time.time() + 1.0)
    third.turn()
    assert third.database.rows("SELECT ready_at FROM hosts")[0][0] > asked_at


def test_a_host_that_a_dead_worker_was_sent_to_is_left_alone(
    come: Come, postgresql: Server, schema: str
) -> None:
    """Where nothing of it is left to fetch, too: who met it last has written nothing down."""
    first = come("a", delay=60.0)
    first.frontier.add([Candidate("http://h1.org/", 0.9)])
    first.turn()
    assert first.take() == "http://h1.org/"
    assert first.frontier.redirected("http://h1.org/", "h2.org", time.time()) is not None
    silence(first, postgresql, schema)
    later = come("b", delay=60.0)
    later.frontier.add([Candidate("http://h2.org/", 0.9)])
    assert later.take() is None
    ready_at = later.frontier._hosts.named("h2.org").ready_at
    assert 0 < time.time() + 60 + FENCE_SECONDS - WORKER_SECONDS - ready_at < 5


def test_a_host_that_has_given_more_than_it_now_may(come: Come) -> None:
    """Is asked for nothing more, where nothing of it was left to fetch either."""
    first = come("a")
    first.frontier.add([LINKS[0]])
    drained(first)
    first.turn()
    first.leave()
    later = come("b", host_pages=1)
    host = host_of(LINKS[0].url)
    assert later.frontier.add([Candidate(f"http://{host}/new", 0.5), Candidate("http://new.org/", 0.1)]) == 1
    assert later.take() == "http://new.org/"
    assert later.frontier.closed_hosts() == [(host, "host_limit")]
    later.turn()
    later.leave()
    assert come("c").take() == f"http://{host}/new"  # it may give more again


def test_refusals_move_with_their_host(come: Come) -> None:
    """It is not asked before the time that it named, nor forgotten."""
    first = come("a")
    first.frontier.add([Candidate("http://busy.org/", 0.5)])
    url = first.take()
    assert url is not None
    assert first.frontier.refused(url, "busy.org", time.time(), 500.0)
    first.leave()
    second = come("b")
    assert second.take() is None
    assert second.frontier.has_more()
    assert second.database.rows("SELECT refusals FROM hosts") == [(1,)]
    assert second.database.rows("SELECT state, tries FROM urls") == [(2, 1)]


def two_with_all_that_is_good_at_the_second(come: Come) -> tuple[Worker, Worker]:
    first, second = come("a", wait_for_best=0.8), come("b", wait_for_best=0.8)
    until(lambda: settled(first, second))
    first.frontier.add(LINKS)
    first.turn()
    until(lambda: (second.tick(), second.frontier.stats().pending == len(LINKS))[1])
    own = [link.url for link in LINKS if not first.frontier.is_elsewhere(host_of(link.url))]
    others = [link for link in LINKS if link.url not in own]
    first.frontier.reprioritise(dict.fromkeys(own, 0.0))
    first.turn()

    def know() -> bool:
        for worker in (first, second):
            worker.frontier.take(0, time.time())  # it says what it has
        view = first.frontier._view
        return view is not None and view.others["b"].best == (0, -max(link.priority for link in others))

    until(know)
    return first, second


def test_one_order(come: Come) -> None:
    """A worker takes nothing while another has much better URLs."""
    first, second = two_with_all_that_is_good_at_the_second(come)
    assert first.take() is None
    best = sorted(LINKS, key=lambda link: -link.priority)
    assert second.take() == next(url for url, *_ in best if not second.frontier.is_elsewhere(host_of(url)))


def test_who_takes_nothing_holds_up_nobody(come: Come, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that lives, and whose crawl stands still, is not waited for."""
    monkeypatch.setattr("focused_crawler.frontier.partitioned.pulse.STUCK_SECONDS", 2.0)
    first, _ = two_with_all_that_is_good_at_the_second(come)
    assert first.take() is None
    until(lambda: first.take() is not None)


def test_the_best_at_a_time_are_shared_out(come: Come) -> None:
    """Of N-best-first each of two workers chooses half, and considers nothing newer before they are gone."""
    workers = come("a", n_best=8), come("b", n_best=8)
    until(lambda: settled(*workers))
    until(lambda: all((worker.tick(), worker.frontier.workers == 2)[1] for worker in workers))
    first = workers[0]
    own = [link for link in LINKS if not first.frontier.is_elsewhere(host_of(link.url))]
    first.frontier.add(own)
    found = []
    for number in range(6):
        url = first.take()
        assert url is not None
        found.append(url)
        first.frontier.done(url)
        first.frontier.add([own[0]._replace(url=f"{own[0].url}/{number}", priority=1.0)])
    best = [link.url for link in sorted(own, key=lambda link: -link.priority)]
    assert found[:4] == best[:4]
    assert not {*found[4:]} & {*best}


def test_each_knows_the_whole(come: Come) -> None:
    """How many workers there are, and what is pending, by bands of priority."""
    workers = come("a"), come("b")
    until(lambda: settled(*workers))
    workers[0].frontier.add(LINKS)

    def know() -> bool:
        for worker in workers:
            worker.tick()
            worker.frontier.take(0, time.time())
        return all(worker.frontier.bands() == [12] * 10 for worker in workers)

    until(know)
    assert [worker.frontier.workers for worker in workers] == [2, 2]


def test_what_was_sent_to_others_is_still_to_be_fetched(come: Come) -> None:
    """Also in the moment after, when nobody has been seen to have it."""
    first, second = come("a"), come("b")
    until(lambda: settled(first, second))
    until(lambda: (first.tick(), not first.frontier.has_more())[1])
    other = next(link for link in LINKS if first.frontier.is_elsewhere(host_of(link.url)))
    for pulse in (first.pulse, second.pulse):
        assert pulse is not None
        pulse.close(departs=False)  # nothing is seen any more
    first.frontier.add([other])
    first.frontier._view = None
    assert first.frontier.has_more()  # it looks at what was so far
    first.turn()
    assert first.frontier.has_more()


def test_who_comes_finds_what_was_sent_to_who_has_gone(come: Come) -> None:
    """Also when nothing else is left, and before anybody has looked."""
    first, second = come("a"), come("b")
    until(lambda: settled(first, second))
    link = next(link for link in LINKS if first.frontier.is_elsewhere(host_of(link.url)))
    first.frontier.add([link])
    first.turn()
    second.leave()
    first.leave()
    third = come("c")
    third.turn()
    assert drained(third) == [("c", link.url)]


def test_a_worker_without_work_ends_when_all_have(come: Come) -> None:
    """Not while another has something out, whose links may be its own."""
    first, second = come("a"), come("b")
    until(lambda: settled(first, second))
    start = next(link for link in LINKS if not first.frontier.is_elsewhere(host_of(link.url)))
    first.frontier.add([start])
    assert first.take() == start.url
    first.tick()
    until(lambda: (second.tick(), second.frontier.has_more())[1])
    assert second.take() is None
    other = next(link for link in LINKS if first.frontier.is_elsewhere(host_of(link.url)))
    first.frontier.add([other])
    first.frontier.done(start.url)
    first.turn()
    assert first.frontier.has_more()
    until(lambda: second.take() == other.url)
    second.frontier.done(other.url)
    second.turn()
    for worker in (first, second):
        until(lambda worker=worker: (worker.tick(), not worker.frontier.has_more())[1])
