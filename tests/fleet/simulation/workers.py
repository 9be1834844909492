"""A fleet in simulated time: many workers on one frontier, in one process, event by event."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from statistics import mean

from focused_crawler.frontier.base import Frontier, Lease
from tests.fleet.simulation.laws import Laws
from tests.fleet.simulation.world import RETRY_AFTER, Answer, World, host_name, host_number

TICK = 0.1  # seconds from one look of a worker at its frontier to the next
AFTER = 0.05  # seconds at most until a URL that was taken is asked for
RETRY = 30.0  # seconds until a page that failed for a while is tried again
_LOOK = 0.25  # seconds of real time from one look for dead workers to the next


@dataclass(frozen=True)
class Member:
    """A worker's way to the frontier."""

    frontier: Frontier
    names: Callable[[], set[str]]  # of the workers that have not left and are not known to be dead
    turn: Callable[[], object] = lambda: None  # makes all that was said durable
    look: Callable[[], object] = lambda: None  # takes in what others did
    leave: Callable[[], object] = lambda: None
    vanish: Callable[[], object] = lambda: None  # ends as a process that is killed does


class Fetch:
    """A URL that a worker has out."""

    def __init__(self, lease: Lease, asked_at: float, answer: Answer) -> None:
        self.lease, self.asked_at, self.answer = lease, asked_at, answer

    @property
    def over_at(self) -> float:
        return self.asked_at + self.answer.seconds


class Worker:
    """Takes URLs, asks for them at its hosts' pace, and says what came of them, a tick at a time."""

    def __init__(self, name: str, member: Member, slots: int) -> None:
        self.name, self.member, self.slots = name, member, slots
        self.out: dict[str, Fetch] = {}
        self.arrived: list[Fetch] = []
        self.asked_at: dict[int, float] = {}
        self.paced: set[int] = set()  # hosts whose Crawl-delay it has read


@dataclass(frozen=True)
class Scene:
    """Who crawls what, and how it goes on."""

    world: World
    workers: int
    slots: int  # URLs a worker has out at a time
    pages: int  # the end
    delay: float  # seconds between two requests to a host
    deaths: float = 0.0  # seconds from one worker's death to the next; 0: nobody dies
    joins: float = 3.0  # seconds until another takes its place
    seed: int = 0


@dataclass
class Course:
    """What has happened."""

    priorities: list[float] = field(default_factory=list)  # of pages, in the order they were kept
    fetched: list[str] = field(default_factory=list)
    seconds: float = 0.0  # simulated
    real_seconds: float = 0.0
    requests: int = 0
    meetings: int = 0  # of a worker and a host, the same two once: so often is a robots.txt asked for
    deaths: int = 0
    takeovers: list[float] = field(default_factory=list)  # seconds of real time, from the last heartbeat
    links: int = 0

    @property
    def quality(self) -> float:
        """Return the mean priority of the pages."""
        return mean(self.priorities)


class Simulation:
    """One run of a scene."""

    def __init__(self, scene: Scene, join: Callable[[str], Member], laws: Laws) -> None:
        self.scene, self.laws, self.course = scene, laws, Course()
        self._join, self._chance = join, random.Random(scene.seed)
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._numbers, self._names = count(), count(1)
        self._workers: dict[str, Worker] = {}
        self._attempts: dict[str, int] = {}
        self._missing: dict[
            str, float
        ] = {}  # dead workers whose URLs are out still -> real time of the last heartbeat
        self._look_at = 0.0
        self.began = time.time()

    def run(self) -> Course:
        """Crawl until enough pages are kept, or nothing is left; nobody's lease is out in the end."""
        began = time.monotonic()
        for _ in range(self.scene.workers):
            self._enter(self.began)
        first = next(iter(self._workers.values())).member.frontier
        seeds = self.scene.world.seeds(20 * self.scene.workers)
        self.laws.offered(seeds)
        first.add(seeds)
        if self.scene.deaths:
            self._at(self.began + self.scene.deaths, self._die)
        while self._events and len(self.course.fetched) < self.scene.pages:
            now, _, happen = heappop(self._events)
            self._live(now)
            happen(now)
            self.course.seconds = now - self.began
        self.course.real_seconds = time.monotonic() - began
        return self.course

    def finish(self) -> None:
        """Let all workers leave."""
        for worker in self._workers.values():
            worker.member.leave()

    def waits_for_the_dead(self) -> bool:
        """Let all workers look around; tell whether one that died is still taken for alive."""
        for worker in self._workers.values():
            worker.member.look()
        self._look_for_takeovers()
        return bool(self._missing)

    def _at(self, when: float, happen: Callable[[float], None]) -> None:
        heappush(self._events, (when, next(self._numbers), happen))

    def _live(self, now: float) -> None:
        if time.monotonic() >= self._look_at:
            self._look_for_takeovers()
            self._look_at = time.monotonic() + _LOOK

    def _enter(self, now: float) -> None:
        name = f"worker-{next(self._names)}"
        worker = self._workers[name] = Worker(name, self._join(name), self.scene.slots)
        self._at(now + self._chance.uniform(0, TICK), lambda now: self._tick(worker, now))

    def _die(self, now: float) -> None:
        """Let a worker vanish between the end of its leases and their record, with all that it has out."""
        worker = self._chance.choice(list(self._workers.values()))
        self._say(worker, now)
        worker.member.vanish()
        self._missing[worker.name] = time.monotonic()
        del self._workers[worker.name]
        self.laws.died(worker.name)
        self.course.deaths += 1
        self._at(now + self.scene.joins, self._enter)
        self._at(now + self.scene.deaths, self._die)

    def _look_for_takeovers(self) -> None:
        if not self._missing:
            return
        names = next(iter(self._workers.values())).member.names()
        for name in self._missing.keys() - names:
            self.course.takeovers.append(time.monotonic() - self._missing.pop(name))

    def _tick(self, worker: Worker, now: float) -> None:
        if worker.name not in self._workers:
            return
        if worker.arrived:
            self._say(worker, now)
            worker.member.turn()
            self._keep(worker)
        else:
            worker.member.look()
        if room := worker.slots - len(worker.out):
            for lease in worker.member.frontier.take(room, now):
                self._ask(worker, lease, now)
        self._at(now + TICK, lambda now: self._tick(worker, now))

    def _say(self, worker: Worker, now: float) -> None:
        """Say what came of all that has arrived; refusals are made durable at once."""
        arrived, worker.arrived = worker.arrived, []
        refused = [fetch for fetch in arrived if fetch.answer.kind == "refused"]
        for fetch in refused:
            self._end(worker, fetch, now)
        if refused:
            worker.member.turn()
            self._keep(worker)
        for fetch in arrived:
            if fetch.answer.kind != "refused":
                self._end(worker, fetch, now)

    def _ask(self, worker: Worker, lease: Lease, now: float) -> None:
        """Ask for a page when the worker's own slot of its host lets it."""
        host, frontier_delay = host_number(lease.url), self.laws.wanted(host_number(lease.url))
        self.laws.taken(worker.name, lease.url, now)
        self.course.meetings += host not in worker.asked_at
        asked_at = now + self._chance.uniform(0, AFTER)
        asked_at = max(asked_at, worker.asked_at.get(host, 0.0) + frontier_delay)
        worker.asked_at[host] = asked_at
        self.laws.asked(host, asked_at, frontier_delay)
        attempt = self._attempts[lease.url] = self._attempts.get(lease.url, 0) + 1
        answer = self.scene.world.answer(lease.url, lease.tries, attempt)
        fetch = worker.out[lease.url] = Fetch(lease, asked_at, answer)
        self.course.requests += 1
        self._at(fetch.over_at, lambda _: worker.arrived.append(fetch))

    def _end(self, worker: Worker, fetch: Fetch, now: float) -> None:
        url, frontier, kind = fetch.lease.url, worker.member.frontier, fetch.answer.kind
        host = host_number(url)
        del worker.out[url]
        self.laws.ended(worker.name, url)
        if kind == "page":
            frontier.add(self.scene.world.links(url))
        frontier.asked(host_name(host), fetch.asked_at)
        if (delay := self.scene.world.delay(host)) and host not in worker.paced:
            frontier.pace(host_name(host), delay)
            worker.paced.add(host)
        if kind == "page":
            frontier.done(url)
        elif kind == "refused":
            frontier.refused(url, host_name(host), now, RETRY_AFTER)
            self.laws.held(host, now + RETRY_AFTER)
        else:
            frontier.failed(url, now + RETRY if kind == "failing" else None)
        self.laws.said(worker.name, fetch.lease, kind)

    def _keep(self, worker: Worker) -> None:
        for lease in self.laws.kept(worker.name):
            links, host = self.scene.world.links(lease.url), host_number(lease.url)
            self.laws.offered(links)
            self.course.links += len(links)
            self.laws.paced(host, self.scene.world.delay(host))
            self.course.priorities.append(lease.priority)
            self.course.fetched.append(lease.url)
