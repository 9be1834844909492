"""A hundred workers on a real frontier, in simulated time: whose a host is, its delay, order and cost.

    .venv/bin/python benchmarks/fleet_simulation.py [--workers 100] [--hosts 100000] [--pages 20000]

PostgreSQL is real, and so are heartbeats and transactions; time is not: a worker takes URLs, waits for a
host's log-normal latency, and says what came of it, ten times a second (`tests/fleet/simulation`). The
web is made up: host sizes by Zipf's law, one host of twenty asks for five seconds, one of fifty refuses a
tenth of all requests. Workers die, with what they have out and is not acknowledged, and others join.

Laws that are counted when they are broken: a host belongs to one worker at a time; its delay, its own
Crawl-delay and its Retry-After are obeyed, whoever asks; no URL is stored twice or comes back when it is
over; in the end every URL ever offered is stored, given up or pending. Order: the mean priority of the pages
stored, beside one frontier in memory with the same number of URLs out, and no deaths. A dead worker is found
out by the server's own clock, so takeover is in seconds of real time.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import Figures, Report, main
from benchmarks.tables import Rows
from focused_crawler.frontier.base import Rules
from tests.fleet.simulation.on_postgresql import Result, crawl_with_fleet, crawl_with_one
from tests.fleet.simulation.workers import Course, Scene
from tests.fleet.simulation.world import World
from tests.postgresql import restartable_server

PER_HOST = 2
CONNECTIONS = 2  # of a worker: its transactions, and its heartbeats
LAWS = ("two owners", "delay broken", "refusal ignored", "given again", "kept twice", "lost", "not pending")


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
        "pages_per_s_one": len(one.fetched) / one.seconds,
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
        "server_cpu_ms_per_page": 1000 * fleet.server_cpu / pages,
        "wal_bytes_per_page": fleet.wal / pages,
        "process_cpu_ms_per_page": 1000 * fleet.client_cpu / pages,
        "known_urls": fleet.stats.known,
        "hosts": fleet.stats.hosts,
        "disk_bytes_per_known_url": fleet.disk / fleet.stats.known,
    }
    return found | {f"broken_{name.replace(' ', '_')}": fleet.laws.broken[name] for name in LAWS}


def measure(
    *,
    workers: int = 100,
    slots: Annotated[int, "URLs a worker has out at a time"] = 4,
    hosts: int = 100_000,
    pages: int = 20_000,
    deaths: Annotated[float, "simulated seconds from one to the next"] = 2.0,
    wait_for_best: Annotated[float, "share of the best pending priority that a URL needs"] = 0.8,
    seed: int = 0,
) -> Report:
    """Crawl with one frontier, and with a fleet."""
    scene = Scene(World(hosts), workers, slots, pages, delay=1.0, deaths=deaths, seed=seed)
    rules = Rules(delay=scene.delay, per_host=PER_HOST, wait_for_best=wait_for_best)
    one = crawl_with_one(scene, rules)
    with restartable_server(on_disk=True) as server:
        server.admit(CONNECTIONS * workers + 100)
        fleet = crawl_with_fleet(scene, rules, server)
    found = figures_of(scene, one, fleet)
    shown = {name: f"{number:,.4g}" if number < 1000 else f"{number:,.0f}" for name, number in found.items()}
    rows = Rows({"figure": name.replace("_", " "), "number": text} for name, text in shown.items())
    broken = {name: number for name, number in fleet.laws.broken.items() if number}
    return Report({"figures": rows}, found, f"laws were broken: {broken}" if broken else "")


if __name__ == "__main__":
    main(measure, __doc__)
