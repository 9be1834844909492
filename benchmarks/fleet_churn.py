"""Workers that come and go: what is lost, and how long a host waits that has something pending.

So many workers begin. Then, every few seconds by chance, one more comes, if not all are there, or one goes:
by SIGKILL, by SIGTERM, or by SIGSTOP until others take it for dead. Half of them stay at least. Nobody starts
anew who went: these are plain workers without a supervisor. When the time is over, the others crawl to the
end.

Each half second the database says which hosts have URLs pending (two at least: one may be out), and the web's
log when each was asked. A host is idle while it has some, no answer is under way, and the Retry-After of its
last one is over; its own delay counts as idle. The first minute after all are there is left out: few URLs may
be out while a crawl is young. Hosts of a worker that is hit (SIGKILL, SIGSTOP) go on with the next request
that anybody sends them. FOCUSED_WAIT_FOR_BEST is 0: else poorer hosts are idle by design.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from rich.progress import track

from benchmarks.harness import STDERR, Figures
from benchmarks.tables import Rows
from focused_crawler.fleet.crawls import FleetCrawl
from focused_crawler.frontier.partitioned.members import WORKER_SECONDS
from focused_crawler.frontier.partitioned.partition import host_number, partition_of
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from tests.crawls.killed_fleet import judge
from tests.crawls.kills import Found
from tests.crawls.loopback import Hit, Served, WebPlan, serving, write_topic
from tests.crawls.processes import PATIENCE, Order, RunningServer, begin, left_by

HOSTS, DELAY = 31, 1.8  # of the web; seconds between two requests to a host
MOST_IDLE = 15.0  # seconds
EVERY = 6.0  # seconds from one change to the next, in the mean
LOOK = 0.5  # seconds from one look to the next
YOUNG = 60.0  # seconds
GOES = ("SIGKILL", "SIGKILL", "SIGTERM", "SIGSTOP")  # each as likely
_PENDING = """
SELECT h.name FROM hosts AS h JOIN urls AS u ON u.host = h.id WHERE u.state = 1
GROUP BY h.name HAVING count(*) > 1
"""
_ENDS = {0, 130, -signal.SIGTERM}  # at the end of the crawl; by SIGTERM, or by it before all began
_LIVING = "SELECT count(*) FROM workers"
_FETCHED = "SELECT DISTINCT worker FROM runs JOIN pages ON run = runs.id"
_OWNED = "SELECT number FROM partitions WHERE worker LIKE ?"


class Look(NamedTuple):
    """Which hosts had something pending at a moment of the web's clock."""

    at: float
    pending: frozenset[str]


class Blow(NamedTuple):
    """A worker was hit that had these hosts, with something pending."""

    at: float
    hosts: frozenset[str]


def longest_waits(looks: Sequence[Look], hits: Iterable[Hit]) -> dict[str, float]:
    """Return for each host the longest time that it had URLs pending and was not asked."""
    by_host = _by_host(hits)
    since: dict[str, float] = {}
    longest: dict[str, float] = defaultdict(float)
    for at, pending in looks:
        since = {host: since.get(host, at) for host in pending}
        for host, began in since.items():
            before = by_host[host][: bisect_right(by_host[host], at, key=lambda hit: hit.began)]
            free_at = max((hit.ended + hit.pause for hit in before[-4:]), default=0.0)
            longest[host] = max(longest[host], at - max(began, free_at))
    return dict(longest)


def gone_on(blows: Iterable[Blow], hits: Iterable[Hit], until: float) -> list[float]:
    """Return after how many seconds each host of a worker that was hit was asked again, or until the end."""
    by_host, found = _by_host(hits), []
    for at, hosts in blows:
        for host in hosts:
            place = bisect_right(by_host[host], at, key=lambda hit: hit.began)
            refusals = [hit.ended + hit.pause for hit in by_host[host][:place][-4:] if hit.pause]
            after = by_host[host][place].began if place < len(by_host[host]) else until
            found.append(after - max([at, *refusals]))
    return found


def _by_host(hits: Iterable[Hit]) -> Mapping[str, list[Hit]]:
    by_host: dict[str, list[Hit]] = defaultdict(list)
    for hit in sorted(hits):
        by_host[hit.host].append(hit)
    return by_host


class Churn:
    """A crawl whose workers come and go."""

    def __init__(self, order: Order, log: Path, workers: int, seed: int) -> None:
        self._order, self._log, self._most = order, log, workers
        self._chance = random.Random(seed)
        self._crawl = FleetCrawl(order.topic.name, order.job, order.database)
        self.workers: list[subprocess.Popen[bytes]] = []
        self._stopped: list[tuple[float, subprocess.Popen[bytes]]] = []  # and when each goes on
        self._hit: set[int] = set()  # ids of processes
        self.failed = 0  # that were not hit, and ended as they should not
        self.changes: Counter[str] = Counter()
        self.looks: list[Look] = []
        self.blows: list[Blow] = []

    def run(self, seconds: float) -> None:
        """Let all begin, come and go for so long, and crawl to the end."""
        try:
            for _ in range(self._most):
                self._come()
            with closing(self._opened()) as database:
                self._live_through(database, seconds)
            self._wake(force=True)
            for worker in self.workers:
                worker.wait(PATIENCE)
            self._count_failed()
        finally:
            for worker in self.workers:
                worker.kill()
                worker.wait()

    def _count_failed(self) -> None:
        """Look how they have ended; with 1 who came too late to fetch a page."""
        with closing(self._crawl.open_database()) as database:
            fetched = {int(name.split("-")[-2]) for (name,) in database.rows(_FETCHED)}
        for worker in self.workers:
            good = _ENDS if worker.pid in fetched else {*_ENDS, 1}
            self.failed += worker.returncode not in good and worker.pid not in self._hit

    def _opened(self) -> CrawlDatabase:
        """Return the database as soon as all workers are there."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(CrawlError):
                database = self._crawl.open_database()
                if database.rows(_LIVING)[0][0] >= self._most:
                    return database
                database.close()
            time.sleep(LOOK)
        raise SystemExit(f"not all workers have begun; see {self._log}")

    def _live_through(self, database: CrawlDatabase, seconds: float) -> None:
        next_at = time.monotonic() + YOUNG
        for _ in track(range(int((YOUNG + seconds) / LOOK)), "come and go", console=STDERR):
            time.sleep(LOOK)
            now = time.monotonic()
            self._wake()
            if now > next_at:
                next_at = now + self._chance.expovariate(1 / EVERY)
                self._change(database)
            pending = frozenset(_address(host) for (host,) in database.rows(_PENDING))
            self.looks.append(Look(time.monotonic(), pending))

    def _change(self, database: CrawlDatabase) -> None:
        stopped = {worker.pid for _, worker in self._stopped}
        alive = [one for one in self.workers if one.poll() is None and one.pid not in stopped]
        least, most = self._most // 2, self._most
        if len(alive) <= least or (len(alive) < most and self._chance.random() < 0.5):
            self._come()
        else:
            self._go(self._chance.choice(alive), self._chance.choice(GOES), database)

    def _come(self) -> None:
        self.workers.append(begin(self._order.worker(), self._log))
        self.changes["came"] += 1

    def _go(self, worker: subprocess.Popen[bytes], what: str, database: CrawlDatabase) -> None:
        if what != "SIGTERM":
            self._hit.add(worker.pid)
            owned = {number for (number,) in database.rows(_OWNED, (f"%-{worker.pid}-%",))}
            names = [name for (name,) in database.rows(_PENDING)]
            hosts = {_address(name) for name in names if partition_of(host_number(name)) in owned}
            self.blows.append(Blow(time.monotonic(), frozenset(hosts)))
        worker.send_signal(getattr(signal, what))
        self.changes[what] += 1
        if what == "SIGSTOP":
            away = WORKER_SECONDS + self._chance.uniform(0.5, 5.0)
            self._stopped.append((time.monotonic() + away, worker))

    def _wake(self, *, force: bool = False) -> None:
        due = [one for one in self._stopped if force or one[0] <= time.monotonic()]
        for one in due:
            self._stopped.remove(one)
            one[1].send_signal(signal.SIGCONT)


def _address(host: str) -> str:
    return host.partition(":")[0]


def churned(
    server: RunningServer, folder: Path, workers: int, seconds: float, pages: int, seed: int
) -> tuple[Rows, Figures]:
    """Crawl a web with workers that come and go."""
    folder.mkdir()
    with serving(WebPlan("SMALL", pages, HOSTS, 0.05, DELAY), folder / "hits.txt") as web:
        order = _order(web, folder, server)
        churn = Churn(order, folder / "workers.log", workers, seed)
        churn.run(seconds)
        found = Found.of(left_by(order), web.reachable())
        rows = Rows({"what": what, "times": times} for what, times in churn.changes.items())
        return rows, dict(_figures(churn, web, found))


def _order(web: Served, folder: Path, server: RunningServer) -> Order:
    settings = {
        "DOWNLOAD_DELAY": DELAY,
        "CONCURRENT_REQUESTS": 8,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "FOCUSED_WAIT_FOR_BEST": 0,
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
    }
    arguments = {"strategy": "best_first_content_anchor"}
    topic = write_topic(folder, web.seed)
    return Order(topic, "churn", folder / "crawls", arguments, settings, server.address)


def _figures(churn: Churn, web: Served, found: Found) -> Iterator[tuple[str, float]]:
    hits = web.hits.read()
    first = churn.looks[0].at + YOUNG
    looks = [look for look in churn.looks if look.at >= first]
    waits = longest_waits(looks, hits)
    went_on = gone_on(churn.blows, hits, looks[-1].at)
    verdict = judge(hits, web.plan.delay, web.plan.delay_of, [blow.at for blow in churn.blows])
    yield "churn_hits", len(hits)
    yield "churn_lost", found.lost
    yield "churn_double", found.double
    yield "churn_disagreements", found.disagreements
    yield "churn_failed", churn.failed
    yield "churn_hasty", verdict.early + verdict.open
    yield "churn_forgotten", verdict.forgotten
    yield "churn_longest_idle", max(waits.values())
    yield "churn_hosts_idle_too_long", sum(wait > MOST_IDLE for wait in waits.values())
    yield "churn_gone_on_hosts", len(went_on)
    yield "churn_gone_on_mean", sum(went_on) / max(1, len(went_on))
    yield "churn_gone_on_longest", max(went_on, default=0.0)
