"""A hundred workers on a real Redis frontier, in simulated time: whose a host is, its delay, order and cost.

    .venv/bin/python benchmarks/fleet_simulation.py [--workers 100] [--hosts 100000] [--pages 20000]

The server is real, and so are its scripts; time is not: a worker is an object that takes URLs, waits for a
host's log-normal latency, and says what came of it, ten times a second (`fleet_simulated.py`). The web is
made up (`fleet_world.py`): host sizes by Zipf's law, one host of twenty asks for five seconds, one of fifty
refuses a tenth of all requests. Workers die, with what they have out and have not kept, and others join.

Laws that are counted when they are broken (`fleet_laws.py`): a host belongs to one worker at a time; its
delay, its own Crawl-delay and its Retry-After are kept, whoever asks; no URL is kept twice or comes back when
it is over; in the end every URL ever offered is kept, given up or pending. Order: the mean priority of the
pages kept, beside one frontier in memory with the same number of URLs out, and no deaths. A dead worker is
found out by the server's own clock, so takeover is in seconds of real time.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.fleet_laws import Laws
from benchmarks.fleet_simulated import Course, Member, Scene, Simulation
from benchmarks.fleet_world import World
from benchmarks.harness import Figures, Report, main
from benchmarks.tables import Grid
from focused_crawler.frontier.base import FrontierStats, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.redis.client import open_client
from focused_crawler.frontier.redis.pipelined import PipelinedRedis
from tests.redis_server import redis_server

NAME = "focused:simulation:1"
PER_HOST = 2
_PATIENCE = 30.0  # seconds of real time that a dead worker's URLs may take to come back
LAWS = ("two owners", "delay broken", "refusal ignored", "given again", "kept twice", "lost", "not pending")


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


def figures_of(scene: Scene, one: Course, fleet: Result) -> Figures:
    """Return all by name; what is a page's is one of a kept page."""
    course, pages = fleet.course, len(fleet.course.fetched)
    takeovers = course.takeovers or [0.0]
    found: Figures = {
        "workers": scene.workers,
        "pages": pages,
        "requests": course.requests,
        "simulated_seconds": course.seconds,
        "real_seconds": course.real_seconds,
        "pages_per_s": pages / course.seconds,
        "pages_per_real_s": pages / course.real_seconds,
        "quality_one": one.quality,
        "quality_fleet": course.quality,
        "quality_ratio": course.quality / one.quality,
        "robots_per_page_one": one.meetings / len(one.fetched),
        "robots_per_page_fleet": course.meetings / pages,
        "deaths": course.deaths,
        "takeovers": len(course.takeovers),
        "takeover_seconds_mean": sum(takeovers) / len(takeovers),
        "takeover_seconds_most": max(takeovers),
        "calls_per_page": fleet.used.calls / pages,
        "redis_cpu_ms_per_page": 1000 * fleet.used.cpu / pages,
        "redis_bytes_in_per_page": fleet.used.received / pages,
        "redis_bytes_out_per_page": fleet.used.sent / pages,
        "process_cpu_ms_per_page": 1000 * fleet.client_cpu / pages,
        "known_urls": fleet.stats.known,
        "hosts": fleet.stats.hosts,
        "redis_bytes_per_known_url": fleet.memory / fleet.stats.known,
    }
    return found | {f"broken_{name.replace(' ', '_')}": fleet.laws.broken[name] for name in LAWS}


def measure(
    *,
    workers: int = 100,
    slots: Annotated[int, "URLs a worker has out at a time"] = 4,
    hosts: int = 100_000,
    pages: int = 20_000,
    deaths: Annotated[float, "simulated seconds from one to the next"] = 2.0,
    seed: int = 0,
) -> Report:
    """Crawl with one frontier, and with a fleet."""
    scene = Scene(World(hosts), workers, slots, pages, delay=1.0, deaths=deaths, seed=seed)
    rules = Rules(delay=scene.delay, per_host=PER_HOST)
    one = crawl_with_one(scene, rules)
    with redis_server() as server:
        fleet = crawl_with_fleet(scene, rules, server.address)
    found = figures_of(scene, one, fleet)
    grid = Grid("A fleet in simulated time, on a real server", ["", ""])
    for name, number in found.items():
        grid.add(name.replace("_", " "), f"{number:,.4g}" if number < 1000 else f"{number:,.0f}")
    broken = {name: number for name, number in fleet.laws.broken.items() if number}
    return Report({}, found, [grid], f"laws were broken: {broken}" if broken else "")


if __name__ == "__main__":
    main(measure, __doc__)
