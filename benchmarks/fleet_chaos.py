"""Kill what a fleet is made of at random: its workers, Redis, PostgreSQL. Count what is lost or done twice.

A round is one crawl of a web on loopback by four workers under `scrapy fleet`, which starts anew who dies.
Kills are SIGKILL; a server's are those of all its processes, and it is started again on its files after one
to three seconds. Four of ten fall within a second after the one before, so that two are down together; the
others after a random share of the pages that are left.
"""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.crawls.loopback import Hit, Served, WebPlan, serving, write_topic
from tests.crawls.processes import (
    PATIENCE,
    Left,
    Order,
    RunningServer,
    Servers,
    double,
    family,
    kill_all,
    left_by,
    lost,
    started,
    workers_of,
)

WORKERS = 4
DELAY = 0.3  # seconds a host is to be left alone
LATENCY = 0.02
HOSTS = 20
VICTIMS = ("worker",) * 3 + ("redis", "postgresql")
TOLERANCE = 0.010  # seconds that two hits may be too near: what the way to the server's clock may make
_LOOK = 0.02  # seconds between two looks at how far a crawl has come


class Kill(NamedTuple):
    """What to kill, and when."""

    victim: str
    share: float  # of the pages that are left: to be asked for before
    delay: float  # seconds after that
    down: float  # seconds until a server is started again


def schedule(kills: int, chance: random.Random) -> list[Kill]:
    """Return so many kills, the first when pages have been fetched."""
    return [_kill(chance, at_once=number > 0 and chance.random() < 0.4) for number in range(kills)]


def _kill(chance: random.Random, *, at_once: bool) -> Kill:
    share = 0.0 if at_once else chance.uniform(0.02, 0.2)
    return Kill(chance.choice(VICTIMS), share, chance.uniform(0.0, 1.0), chance.uniform(1.0, 3.0))


class Verdict(NamedTuple):
    """What the log of a web says of a crawl's politeness."""

    hits: int
    shortest: float  # seconds between two hits of a host
    most_missing: float  # seconds by which the worst gap is too short; below 0: none is
    early: int  # hits that came too soon
    open: int  # hits that came while the one before was still being answered

    @property
    def is_polite(self) -> bool:
        return not self.early and not self.open


def judge(hits: Sequence[Hit], delay: float, delay_of: Callable[[str], float]) -> Verdict:
    """Look at every two hits of a host that follow each other.

    After robots.txt `delay` is enough: nobody knows the host's own rule before it is read. After a page the
    host's own counts.
    """
    in_order = sorted(hits, key=lambda hit: (hit.host, hit))
    pairs = [(one, two) for one, two in pairwise(in_order) if one.host == two.host]
    missing = [(delay_of(one.host) if one.is_page else delay) - (two.began - one.began) for one, two in pairs]
    return Verdict(
        hits=len(hits),
        shortest=min((two.began - one.began for one, two in pairs), default=float("inf")),
        most_missing=max(missing, default=float("-inf")),
        early=sum(seconds > TOLERANCE for seconds in missing),
        open=sum(two.began < one.ended for one, two in pairs),
    )


class Outcome(NamedTuple):
    """What a round came to."""

    kills: Counter[str]
    seconds: float
    code: int | None  # with which the supervisor ended; None: it had to be ended
    recorded: int
    lost: int
    double: int
    refetched: int  # requests for pages that were asked for before
    polite: Verdict

    @property
    def is_good(self) -> bool:
        return self.code == 0 and not self.lost and not self.double and self.polite.is_polite

    def row(self) -> dict[str, object]:
        """Return what is shown; gaps in ms."""
        polite, fields = self.polite, ("seconds", "recorded", "lost", "double", "refetched")
        gaps = {"shortest": 1000 * polite.shortest, "most_missing": 1000 * polite.most_missing}
        counts = {"hits": polite.hits, "early": polite.early, "open": polite.open}
        kills = {victim: self.kills[victim] for victim in VICTIMS} | {"kills": self.kills.total()}
        return (
            {name: getattr(self, name) for name in fields} | {"exit": str(self.code)} | gaps | counts | kills
        )


@dataclass
class Monkey:
    """Kills, and starts servers again."""

    servers: Servers
    supervisor: subprocess.Popen[bytes]
    chance: random.Random
    landed: Counter[str] = field(default_factory=Counter)
    _restarts: dict[str, threading.Thread] = field(default_factory=dict)

    def strike(self, kill: Kill) -> None:
        """Kill one of those there are; nothing counts that was dead already."""
        if kill.victim == "worker":
            self.landed["worker"] += self._kill_worker()
        else:
            self._kill_server(kill, getattr(self.servers, kill.victim))

    def rest(self) -> None:
        """Wait until all servers are up."""
        for thread in self._restarts.values():
            thread.join()

    def _kill_worker(self) -> int:
        workers = workers_of(self.supervisor.pid)
        return kill_all([self.chance.choice(workers)]) if workers else 0

    def _kill_server(self, kill: Kill, server: RunningServer) -> None:
        if (restart := self._restarts.get(kill.victim)) is not None:
            restart.join()
        server.kill()
        self.landed[kill.victim] += 1
        thread = threading.Thread(target=_start_again, args=(server, kill.down))
        thread.start()
        self._restarts[kill.victim] = thread


def _start_again(server: RunningServer, seconds: float) -> None:
    time.sleep(seconds)
    server.restart()


def run_round(pages: int, kills: Sequence[Kill], servers: Servers, folder: Path, seed: int = 0) -> Outcome:
    """Crawl once, with these kills on the way."""
    folder.mkdir()
    plan = WebPlan("SMALL", pages, HOSTS, LATENCY, DELAY)
    with serving(plan, folder / "hits.txt") as web:
        order = _order(web, servers, folder)
        log = folder / "fleet.log"
        began = time.monotonic()
        with started([order.fleet(WORKERS)], log) as (supervisor,):
            monkey = Monkey(servers, supervisor, random.Random(seed))
            code = _live_through(monkey, kills, web)
        seconds = time.monotonic() - began
    return _outcome(monkey.landed, seconds, code, left_by(order), web)


def _order(web: Served, servers: Servers, folder: Path) -> Order:
    return Order(
        topic=write_topic(folder, web.seed),
        job=folder.name,
        crawls=folder / "crawls",
        arguments={"strategy": "best_first_content_anchor"},
        settings={
            "DOWNLOAD_DELAY": web.plan.delay,
            "CONCURRENT_REQUESTS": 8,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        },
        addresses=servers.addresses,
    )


def _live_through(monkey: Monkey, kills: Sequence[Kill], web: Served) -> int | None:
    """Kill on schedule, then wait for the end; return the supervisor's exit code."""
    end = time.monotonic() + PATIENCE
    for kill in kills:
        asked = len(web.hits.pages())
        wanted = asked + kill.share * (web.plan.pages - asked)
        while len(web.hits.pages()) < wanted and monkey.supervisor.poll() is None and time.monotonic() < end:
            time.sleep(_LOOK)
        time.sleep(kill.delay)
        if monkey.supervisor.poll() is not None:
            break
        monkey.strike(kill)
    monkey.rest()
    try:
        return monkey.supervisor.wait(max(1.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        kill_all(family(monkey.supervisor.pid))
        return None


def _outcome(kills: Counter[str], seconds: float, code: int | None, left: Left, web: Served) -> Outcome:
    plan, hits, asked = web.plan, web.hits.read(), web.hits.pages()
    return Outcome(
        kills=kills,
        seconds=seconds,
        code=code,
        recorded=len(left.pages),
        lost=lost(left, web.reachable()),
        double=double(left),
        refetched=asked.total() - len(asked),
        polite=judge(hits, plan.delay, plan.delay_of),
    )
