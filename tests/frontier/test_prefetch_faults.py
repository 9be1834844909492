"""What dies, and what becomes of it: workers in processes of their own, and a server that is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from threading import Event, Thread
from typing import NamedTuple

import pytest
import redis

from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.prefetch import calls as prefetch_memory
from focused_crawler.frontier.prefetch import frontier as ahead
from focused_crawler.frontier.prefetch import thread as prefetch_thread
from focused_crawler.frontier.prefetch.frontier import PrefetchFrontier
from focused_crawler.frontier.prefetch.state import FENCE_SECONDS
from focused_crawler.frontier.redis.partitions import RedisPartitions
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from focused_crawler.frontier.redis.steps import script
from focused_crawler.frontier.redis.workers import WORKER_SECONDS
from focused_crawler.safety.errors import CrawlError
from tests.redis_server import new_name, redis_server, until

ROOT = Path(__file__).parents[2]
WORKER = Path(__file__).with_name("prefetch_worker.py")
GIVEN_SECONDS = 20.0  # 6 to 8 of them, and the rest for a machine with much else to do


@pytest.fixture(scope="module")
def durable():
    """A server that loses nothing when it is killed."""
    with redis_server(is_durable=True) as server:
        yield server


class Line(NamedTuple):
    what: str
    url: str
    when: float


class Process:
    """A worker."""

    def __init__(self, server, name, worker, path, *, slots=4, seconds=0.02, dead_after=WORKER_SECONDS):
        words = [server.address, name, worker, str(slots), str(seconds), str(dead_after)]
        self._path = path / f"{worker}.txt"
        with self._path.open("w") as file:
            self._process = subprocess.Popen(
                [sys.executable, WORKER, *words],
                stdout=file,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    def lines(self, what):
        rows = [row.split() for row in self._path.read_text().splitlines() if row.count(" ") == 2]
        return [Line(row[0], row[1], float(row[2])) for row in rows if row[0] == what]

    def send(self, number):
        self._process.send_signal(number)

    def end(self):
        if self._process.poll() is None:
            self._process.kill()
        return self._process.wait(20)

    def wait(self, seconds=180):
        return self._process.wait(seconds)


@contextmanager
def processes(*started):
    try:
        yield
    finally:
        for process in started:
            process.end()


def fill(server, name, urls, hosts=1000):
    frontier = PipelinedRedis(server.address, name, Rules(), worker="filler")
    frontier.add(Candidate(f"http://h{n % hosts}/{n}", 0.5) for n in range(urls))
    frontier.close()


@contextmanager
def opened(server, name=None):
    shared = PipelinedRedis(server.address, name or new_name(), Rules(), worker="one")
    frontier = PrefetchFrontier(shared, prefetch=4, lease_seconds=900, info=dict)
    try:
        yield frontier
    finally:
        frontier.close()


def stats_of(server, name):
    """What the server has now: a worker's own stats may be those of a second ago."""
    frontier = RedisPartitions(server.address, name, Rules(), worker="another")
    try:
        return frontier.stats()
    finally:
        frontier.close()


def kept_by(*workers):
    return Counter(line.url for worker in workers for line in worker.lines("ack"))


@pytest.mark.slow
def test_what_a_killed_worker_had_is_given_to_another_within_seconds(durable, tmp_path):
    """And nothing else is given out twice."""
    name = new_name()
    fill(durable, name, 30)
    one = Process(durable, name, "one", tmp_path, slots=3, seconds=1000)
    with processes(one):
        until(lambda: len(one.lines("took")) == 3)
        two = Process(durable, name, "two", tmp_path)
        with processes(two):
            until(lambda: two.lines("ack"))
            one.send(signal.SIGKILL)
            died = time.time()
            assert two.wait() == 0
    lost = {line.url for line in one.lines("took")}
    taken = {line.url: line.when for line in two.lines("took")}
    assert max(taken[url] for url in lost) - died < GIVEN_SECONDS
    assert kept_by(two) == Counter({f"http://h{n}/{n}": 1 for n in range(30)})


@pytest.mark.slow
def test_a_worker_that_was_stopped_for_long_hands_out_nothing_that_it_lost(durable, tmp_path):
    """What it had taken ahead is others' when it wakes up; it goes on with what it is given anew."""
    name = new_name()
    fill(durable, name, 400)
    one = Process(durable, name, "one", tmp_path, seconds=0.3)
    two = Process(durable, name, "two", tmp_path, seconds=0.2)
    with processes(one, two):
        until(lambda: len(one.lines("took")) > 8 and len(two.lines("took")) > 8)
        one.send(signal.SIGSTOP)
        stopped = time.time()
        time.sleep(10)
        one.send(signal.SIGCONT)
        woken = time.time()
        assert (one.wait(), two.wait()) == (0, 0)
    out = {line.url for line in one.lines("took") if line.when < stopped}
    out -= {line.url for line in one.lines("ack") if line.when < stopped - 1.0}  # and so told the server
    both = {line.url for line in one.lines("took")} & {line.url for line in two.lines("took")}
    assert both <= out
    assert any(line.when > woken for line in one.lines("took"))
    assert set(kept_by(one, two)) == {f"http://h{n}/{n}" for n in range(400)}
    assert {url for url, times in kept_by(one, two).items() if times > 1} <= out


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_and_gives_nothing_twice(durable, tmp_path):
    """Workers go on with what they have, and then from where they were."""
    name = new_name()
    fill(durable, name, 300)
    never = 600.0  # on a busy machine a worker that lives may be late with its heartbeat
    workers = [Process(durable, name, f"w{n}", tmp_path, seconds=0.15, dead_after=never) for n in range(2)]
    with processes(*workers):
        for _ in range(3):
            before = sum(kept_by(*workers).values())
            until(lambda before=before: sum(kept_by(*workers).values()) > before + 20)
            durable.kill()
            time.sleep(0.5)
            durable.start()
        assert [worker.wait() for worker in workers] == [0, 0]
    assert kept_by(*workers) == Counter({f"http://h{n}/{n}": 1 for n in range(300)})
    assert Counter(line.url for worker in workers for line in worker.lines("took")) == kept_by(*workers)


def take(frontier):
    while not (leases := frontier.take(1, time.time())):
        time.sleep(0.002)
    return leases[0].url


def test_no_routine_call_waits_for_a_server_that_hangs(durable):
    """What was said is sent when it answers again."""
    with opened(durable) as frontier:
        frontier.add([Candidate("http://a/", 0.9), Candidate("http://b/", 0.5)])
        url = take(frontier)
        durable.signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            frontier.add([Candidate("http://c/", 0.1)])
            frontier.asked("a", time.time())
            frontier.done(url)
            frontier.ack()
            frontier.pace("a", 1.0)
            frontier.take(1, time.time())
            frontier.stats(), frontier.has_more(), frontier.next_ready_at(), frontier.closed_hosts()
            assert time.monotonic() - began < 5  # a call that waits does so for twice as long at least
        finally:
            durable.signal(signal.SIGCONT)
        assert frontier.is_known("http://a/")
        until(lambda: frontier.stats().known == 3)


@pytest.mark.slow
def test_a_fenced_worker_hands_nothing_out(durable):
    """After so long without a word others may have what it had taken ahead."""
    with opened(durable) as frontier:
        frontier.add([Candidate(f"http://h{n}/", 0.5) for n in range(9)])
        for _ in range(3):
            frontier.done(take(frontier))
        until(lambda: frontier.next_ready_at() <= time.time())
        durable.kill()
        time.sleep(FENCE_SECONDS + 1.1)
        assert frontier.take(1, time.time()) == []
        assert frontier.has_more()
        durable.start()
        take(frontier)


def test_an_outage_is_told_once_and_ends_a_crawl_that_waits_too_long(durable, monkeypatch, caplog):
    """One line when it begins, one when it is over; then an error that says what is wrong."""
    with opened(durable) as frontier:
        durable.kill()
        until(lambda: len(caplog.messages) == 1)
        durable.start()
        until(lambda: len(caplog.messages) == 2)
        assert "cannot be reached" in caplog.messages[0]
        assert "answers again" in caplog.messages[1]
        monkeypatch.setattr(prefetch_thread, "OUTAGE_SECONDS", 0.5)
        durable.kill()
        try:
            with pytest.raises(CrawlError, match="cannot be reached"):
                until(lambda: frontier.take(1, time.time()))
        finally:
            durable.start()


def test_what_a_server_lost_of_the_last_seconds_is_said_again(monkeypatch, caplog):
    """Links and ends, so that no page is missed: here it has lost all, as it writes no log."""
    for module in (prefetch_memory, prefetch_thread):  # a server may take longer than that to come back here
        monkeypatch.setattr(module, "REPEATED_SECONDS", 60.0)
    name = new_name()
    with redis_server() as server, opened(server, name) as frontier:
        frontier.add([Candidate("http://a/", 0.9), Candidate("http://b/", 0.5)])
        url = take(frontier)
        frontier.done(url)
        frontier.ack()
        assert frontier.is_known(url)
        server.kill()
        until(lambda: caplog.messages)  # it is not to be back before anybody has missed it
        server.start()
        until(lambda: (stats_of(server, name).known, stats_of(server, name).done) == (2, 1))


def test_a_server_that_nobody_missed_is_told_again():
    """It was away between two words of a quiet worker, and has lost all."""
    name = new_name()
    with redis_server() as server, opened(server, name) as frontier:
        frontier.add([Candidate("http://a/", 0.9)])
        assert not frontier.is_known("http://b/")
        with frontier._state.changed:  # by which the worker holds its tongue
            server.restart()
        until(lambda: stats_of(server, name).known == 1)


def test_closing_ends_in_time_when_the_server_is_gone(durable, monkeypatch):
    """What could not be said is others' to do again."""
    monkeypatch.setattr(ahead, "CLOSE_SECONDS", 1.0)
    with opened(durable) as frontier:
        frontier.add([Candidate("http://a/", 0.5)])
        frontier.done(take(frontier))
        durable.kill()
        try:
            began = time.monotonic()
            frontier.close()
            assert time.monotonic() - began < 7  # where it is not patched it waits for ten
        finally:
            durable.start()


class Relay:
    """A way to a server that breaks once: when a step is asked for, or when its answer is on its way."""

    def __init__(self, server):
        self._port = server.port
        with redis.Redis.from_url(server.address) as client:
            for step in ("finish", "ack"):
                client.script_load(script(step).text)
        self._step, self._is_sent = b"", False
        self.has_broken = Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        Thread(target=self._serve, daemon=True).start()

    def break_at(self, step, *, is_sent):
        """Break at the next such step; `is_sent`: the server does it, and only its answer is lost."""
        self._step, self._is_sent = script(step).name.encode(), is_sent

    def close(self):
        self._listener.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                Thread(target=self._relay, args=(near,), daemon=True).start()

    def _relay(self, near):
        with near, socket.create_connection(("127.0.0.1", self._port)) as far, suppress(OSError):
            while True:
                for one in select([near, far], [], [])[0]:
                    words = one.recv(2**20)
                    if not words or (one is near and self._breaks(words, far)):
                        return
                    (far if one is near else near).sendall(words)

    def _breaks(self, words, far):
        if not self._step or self._step not in words:
            return False
        self._step = b""
        if self._is_sent:
            far.sendall(words)
            assert far.recv(2**20)
        self.has_broken.set()
        return True


class Pause:
    """Holds the thread that talks to the server, so that what is said meanwhile goes there at once."""

    def __init__(self):
        self._go_on, self._is_there = Event(), Event()
        self._go_on.set()

    def info(self):
        self._is_there.set()
        assert self._go_on.wait(20)
        return {}

    @contextmanager
    def held(self):
        self._go_on.clear()
        self._is_there.clear()
        assert self._is_there.wait(20)
        yield
        self._go_on.set()


@contextmanager
def relayed(server, name):
    relay, pause = Relay(server), Pause()
    shared = PipelinedRedis(relay.address, name, Rules(), worker="one")
    frontier = PrefetchFrontier(shared, prefetch=4, lease_seconds=900, info=pause.info)
    try:
        yield frontier, relay, pause
    finally:
        frontier.close()
        relay.close()


def test_what_ends_after_an_ack_whose_answer_is_lost_is_not_acknowledged(durable):
    """Its page is not recorded: when its worker ends, another has to fetch it."""
    name = new_name()
    fill(durable, name, 2)
    with relayed(durable, name) as (frontier, relay, pause):
        first, second = take(frontier), take(frontier)
        with pause.held():
            relay.break_at("finish", is_sent=True)
            frontier.done(first)
            frontier.ack()
            frontier.done(second)
        assert frontier.is_known(second)
        assert relay.has_broken.is_set()
    with opened(durable, name) as other:
        assert other.stats().done == 1
        assert take(other) == second


def test_an_ack_that_never_arrived_is_said_again(durable, monkeypatch):
    """Also where what it is about was said long before, and is not repeated with it."""
    monkeypatch.setattr(prefetch_thread, "REPEATED_SECONDS", 0.0)
    name = new_name()
    fill(durable, name, 1)
    with relayed(durable, name) as (frontier, relay, _):
        url = take(frontier)
        frontier.done(url)
        assert frontier.is_known(url)
        relay.break_at("ack", is_sent=False)
        frontier.ack()
        assert relay.has_broken.wait(20)
        assert frontier.is_known(url)
    with opened(durable, name) as other:
        assert other.stats().done == 1
        until(lambda: not other.has_more())
