"""A simulated fleet on one real Redis server, and one frontier in memory that crawls as much alone."""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from typing import NamedTuple

from focused_crawler.frontier.base import FrontierStats, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from tests.fleet.simulation.laws import Laws
from tests.fleet.simulation.workers import Course, Member, Scene, Simulation

NAME = "focused:simulation:1"
_PATIENCE = 30.0  # seconds of real time that a dead worker's URLs may take to come back


class Used(NamedTuple):
    """What a server has done so far, by its own account."""

    cpu: float  # seconds
    calls: float  # scripts that clients ran
    received: float  # bytes
    sent: float

    def since(self, earlier: Used) -> Used:
        return Used(*(late - early for late, early in zip(self, earlier, strict=True)))


class Result(NamedTuple):
    """A run, and what it took."""

    course: Course
    laws: Laws
    used: Used
    stats: FrontierStats
    client_cpu: float  # seconds of this process: of all workers, the web and the laws
    memory: int  # bytes of the server


def used(address: str) -> Used:
    client = open_client(address)
    info = client.info("all")
    cpu = info["used_cpu_user"] + info["used_cpu_sys"]
    scripted = ("evalsha", "eval")  # what a script calls is counted, too, and is no call of a client
    names = {name.removeprefix("cmdstat_"): counted for name, counted in info.items() if "cmdstat" in name}
    calls = sum(counted["calls"] for name, counted in names.items() if name in scripted)
    return Used(cpu, calls, info["total_net_input_bytes"], info["total_net_output_bytes"])


def crawl_with_one(scene: Scene, rules: Rules) -> Course:
    """Crawl with one frontier in memory, as many URLs out, and nobody dying."""
    alone = replace(scene, workers=1, slots=scene.workers * scene.slots, deaths=0.0)
    return Simulation(
        alone, lambda name: Member(MemoryFrontier(rules), lambda: None, lambda: {name}), Laws(rules.delay)
    ).run()


def crawl_with_fleet(scene: Scene, rules: Rules, address: str) -> Result:
    """Crawl with all workers on one server."""

    def join(name: str) -> Member:
        frontier = PipelinedRedis(address, NAME, rules, worker=name)
        return Member(
            frontier,
            heartbeat=lambda: frontier.heartbeat({}),
            names=lambda: {worker.name for worker in frontier.workers()},
            pipelined=frontier.pipelined,
        )

    laws = Laws(rules.delay)
    simulation = Simulation(scene, join, laws)
    before, cpu = used(address), resource.getrusage(resource.RUSAGE_SELF)
    course = simulation.run()
    after, cpu_after = used(address), resource.getrusage(resource.RUSAGE_SELF)
    _bring_back(simulation, join("the last"))
    simulation.finish()
    late = join("witness").frontier
    stats = late.stats()
    laws.count(stats)
    client_cpu = sum(cpu_after[:2]) - sum(cpu[:2])
    memory = open_client(address).info("memory")["used_memory"]
    return Result(course, laws, after.since(before), stats, client_cpu, memory)


def _bring_back(simulation: Simulation, other: Member) -> None:
    """Wait until nobody who died has anything out."""
    end = time.monotonic() + _PATIENCE
    other.heartbeat()
    while simulation.waits_for_the_dead() and time.monotonic() < end:
        simulation.heartbeat()
        other.heartbeat()
        other.frontier.take(0, simulation.began)
        time.sleep(0.2)
    other.frontier.close()
