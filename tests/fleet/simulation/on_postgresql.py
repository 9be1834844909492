"""A simulated fleet on one real PostgreSQL server, and one frontier in memory that crawls as much alone."""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from typing import NamedTuple

from focused_crawler.frontier.base import FrontierStats, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from tests.crawls.processes import cpu_seconds, family
from tests.fleet.simulation.laws import Laws
from tests.fleet.simulation.workers import Course, Member, Scene, Simulation
from tests.frontier.partitioned.worker import Worker
from tests.postgresql import RestartableServer
from tests.project import until

_PATIENCE = 60.0  # seconds of real time that a dead worker's hosts may take to come back
_WORKERS = "SELECT name FROM workers"
_BYTES = "SELECT sum(pg_total_relation_size(name)) FROM unnest(ARRAY['urls', 'hosts']) AS name"
_WAL = "SELECT wal_bytes FROM pg_stat_wal"


class Result(NamedTuple):
    """A run, and what it took."""

    course: Course
    laws: Laws
    server_cpu: float  # seconds
    wal: float  # bytes of the write-ahead log
    stats: FrontierStats
    client_cpu: float  # seconds of this process: of all workers, the web and the laws
    disk: float  # bytes of the frontier's tables


def crawl_with_one(scene: Scene, rules: Rules) -> Course:
    """Crawl with one frontier in memory, as many URLs out, and nobody dying."""
    alone = replace(scene, workers=1, slots=scene.workers * scene.slots, deaths=0.0)
    return Simulation(
        alone, lambda name: Member(MemoryFrontier(rules), lambda: {name}), Laws(rules.delay)
    ).run()


def crawl_with_fleet(scene: Scene, rules: Rules, server: RestartableServer) -> Result:
    """Crawl with all workers on one server."""

    def come(name: str) -> Worker:
        return Worker(server.address, "simulation", name, rules)

    def join(name: str) -> Member:
        worker = come(name)
        return Member(
            worker.frontier,
            names=lambda: {one for (one,) in worker.database.rows(_WORKERS)},
            turn=worker.turn,
            look=worker.tick,
            leave=worker.leave,
            vanish=worker.stop,
        )

    laws = Laws(rules.delay)
    simulation = Simulation(scene, join, laws)
    cpu, own = cpu_seconds(family(server.pid)), _own_cpu()
    course = simulation.run()
    own, cpu = _own_cpu() - own, cpu_seconds(family(server.pid)) - cpu
    end = time.monotonic() + _PATIENCE
    while simulation.waits_for_the_dead() and time.monotonic() < end:
        time.sleep(0.1)
    simulation.finish()
    last = come("witness")
    until(lambda: (last.tick(), not last.database.rows("SELECT 1 FROM offers LIMIT 1"))[1])
    laws.count(stats := last.frontier.stats())
    ((disk,),), ((wal,),) = last.database.rows(_BYTES), last.database.rows(_WAL)
    last.leave()
    return Result(course, laws, cpu, float(wal), stats, own, float(disk))


def _own_cpu() -> float:
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
