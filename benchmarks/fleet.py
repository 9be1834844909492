"""A fleet beside one worker: how fast, how good, how safe, how polite, and what its frontier weighs.

    .venv/bin/python benchmarks/fleet.py [--only speed,quality,chaos,memory] [--full] [--json FILE]

Redis and PostgreSQL are real, started here, and sync what they say before they say it.

speed    A web on loopback with 1,000 hosts and no delay, so that politeness never binds, by 1, 2 and 4
         workers and by a crawl without a fleet, with one budget of pages: pages a second from the last
         worker's first page to the first worker's last, and CPU a page of each part. Bound by this machine's
         CPUs (20 ms a page, 16 in flight) and bound by waiting (1 s a page, 12 in flight). `speedup_2` is
         of the first, `speedup_4` where there are five CPUs or more, else of the second: all is printed.
quality  Target recall after |T| and 2 |T| pages on a recorded web (../shared/webs/openweb.warc.gz, else the
         demo web), default strategy, 50 ms a page. `recall_ratio_4`: mean over topics and seed sets of 4
         workers' at |T| by 1 worker's, 16 pages in flight in all; with 64, and with 0.5 s a page, it is in
         the table.
chaos    `kills` of workers, Redis and PostgreSQL at random (benchmarks/fleet_chaos.py); pages `lost` and
         counted `double`; and the web's own log: no two hits of a host nearer than its delay less 10 ms,
         or at a time. What breaks politeness, and a fleet that does not end, end the benchmark with code 1.
memory   Redis memory a URL beyond the URL's own, of benchmarks/redis_frontier.py: a million URLs, ten with
         --full.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.fleet_chaos import Outcome, chaos_table, run_round, schedule
from benchmarks.fleet_quality import FOUR, ONE, TOPICS, Crawls, mean_ratio, quality_table, subjects
from benchmarks.fleet_servers import Servers, both
from benchmarks.fleet_speed import PLAIN, loads, measure, speed_table, speed_up
from benchmarks.redis_frontier import bytes_per_url

SPARE = 1
"""CPUs that the web and the servers of a fleet take, beside one a worker."""

console = Console(width=160)
Figures = dict[str, float]


class Benchmark:
    """The parts, on the same servers."""

    def __init__(self, servers: Servers, folder: Path, options: argparse.Namespace) -> None:
        self._servers, self._folder, self._options = servers, folder, options
        self.complaints: list[str] = []  # what no figure says

    def speed(self) -> Figures:
        both_loads = loads(self._options.pages)
        speeds = []
        for number, load in enumerate(both_loads):
            for one in measure(load, (PLAIN, 1, 2, 4), self._servers, self._folder / f"speed-{number}"):
                speeds.append(one)
                console.print(f"{one.load}, {one.workers or 'no'} workers: {one.rate:.0f} pages/s")
        console.print(speed_table(speeds))
        busy, waiting = both_loads
        has_cpus = len(os.sched_getaffinity(0)) >= 4 + SPARE
        return {
            "speedup_2": speed_up(speeds, busy.name, 2),
            "speedup_4": speed_up(speeds, (busy if has_cpus else waiting).name, 4),
        }

    def quality(self) -> Figures:
        crawls = Crawls(self._servers, self._folder / "quality")
        found = []
        for one in crawls.measure(subjects(self._options.topics, self._folder / "web")):
            found.append(one)
            console.print(quality_table([one]))
        console.print(quality_table(found))
        return {"recall_ratio_4": mean_ratio(found, FOUR, ONE)}

    def chaos(self) -> Figures:
        """Kill in rounds until enough kills have landed."""
        options, chance = self._options, random.Random(self._options.seed)
        rounds: list[Outcome] = []
        while (landed := sum(one.kills.total() for one in rounds)) < options.kills:
            kills = schedule(min(options.round, options.kills - landed), chance)
            place = self._folder / f"chaos-{len(rounds) + 1}"
            rounds.append(run_round(options.chaos_pages, kills, self._servers, place, seed=len(rounds)))
            console.print(chaos_table(rounds[-1:]))
        console.print(chaos_table(rounds))
        bad = [str(number) for number, one in enumerate(rounds, 1) if not one.is_good]
        if bad:
            self.complaints.append(
                f"lost, counted double, asked too early or not ended: round {', '.join(bad)}"
            )
        return {
            "kills": sum(one.kills.total() for one in rounds),
            "lost": sum(one.lost for one in rounds),
            "double": sum(one.double for one in rounds),
        }

    def memory(self) -> Figures:
        return {"redis_bytes_per_url": bytes_per_url(10_000_000 if self._options.full else 1_000_000)}


PARTS = ("speed", "quality", "chaos", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between")
    parser.add_argument("--pages", type=int, default=4000, help="of a crawl whose speed is measured")
    parser.add_argument("--topics", default=TOPICS, help="of the recorded web, for quality")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--round", type=int, default=10, help="kills of a crawl")
    parser.add_argument("--chaos-pages", type=int, default=2000, help="of the web of a crawl with kills")
    parser.add_argument("--seed", type=int, default=0, help="of the kills")
    parser.add_argument("--full", action="store_true", help="ten million URLs in memory")
    parser.add_argument("--keep", type=Path, help="a new folder for logs and crawls (default: none is kept)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as temporary, both() as servers:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        benchmark = Benchmark(servers, folder.resolve(), options)
        for part in options.only.split(","):
            figures |= getattr(benchmark, part)()
    figures = {name: round(number, 4) for name, number in figures.items()}
    console.print(figures)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")
    if benchmark.complaints:
        raise SystemExit("\n".join(benchmark.complaints))


if __name__ == "__main__":
    main()
