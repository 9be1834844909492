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

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.fleet_chaos import run_round, schedule
from benchmarks.fleet_quality import TOPICS, Crawls, subjects
from benchmarks.fleet_speed import PLAIN, loads, speed_up
from benchmarks.fleet_speed import measure as speeds_of
from benchmarks.harness import STDERR, Figures, Report, main
from benchmarks.redis_frontier import bytes_per_url
from benchmarks.tables import Rows
from tests.crawls.processes import Servers, both

PARTS = "speed,quality,chaos,memory"
SPARE = 1
"""CPUs that the web and the servers of a fleet take, beside one a worker."""


def measure(
    *,
    only: Annotated[str, "parts, with commas between"] = PARTS,
    pages: Annotated[int, "of a crawl whose speed is measured"] = 4000,
    topics: Annotated[str, "of the recorded web, for quality"] = TOPICS,
    kills: int = 50,
    round_kills: Annotated[int, "of a crawl"] = 10,
    chaos_pages: Annotated[int, "of the web of a crawl with kills"] = 2000,
    seed: Annotated[int, "of the kills"] = 0,
    full: Annotated[bool, "ten million URLs in memory"] = False,
    keep: Annotated[Path | None, "a new folder for logs and crawls (default: none is kept)"] = None,
) -> Report:
    """Measure the parts on the same servers."""
    rows: dict[str, Rows] = {}
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as temporary, both() as servers:
        folder = (keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for part in only.split(","):
            STDERR.print(part, "...")
            if part == "speed":
                rows[part], more = speed(servers, folder, pages)
                figures |= more
            elif part == "quality":
                found = subjects(topics, folder / "web")
                rows[part] = Rows(Crawls(servers, folder / "quality").measure(found))
            elif part == "chaos":
                rows[part] = Rows(chaos(servers, folder, kills, round_kills, chaos_pages, seed))
            elif part == "memory":
                figures["redis_bytes_per_url"] = bytes_per_url(10_000_000 if full else 1_000_000)
    bad = [str(row["round"]) for row in rows.get("chaos", ()) if not row["is_good"]]
    complaint = f"lost, counted double, asked too early or not ended: round {', '.join(bad)}" if bad else ""
    return Report(rows, figures, complaint=complaint)


def speed(servers: Servers, folder: Path, pages: int) -> tuple[Rows, Figures]:
    """Crawl under both loads, with none to four workers."""
    rows, busy_and_waiting = Rows(), loads(pages)
    for number, load in enumerate(busy_and_waiting):
        for one in speeds_of(load, (PLAIN, 1, 2, 4), servers, folder / f"speed-{number}"):
            rows.append(one.row())
            STDERR.print(f"{one.load}, {one.workers or 'no'} workers: {rows[-1]['rate']:.0f} pages/s")
    for row in rows:
        if row["workers"].isdecimal():
            row["to_one"] = speed_up(rows, row["load"], int(row["workers"]))
    busy, waiting = busy_and_waiting
    has_cpus = len(os.sched_getaffinity(0)) >= 4 + SPARE
    four = speed_up(rows, (busy if has_cpus else waiting).name, 4)
    return rows, {"speedup_2": speed_up(rows, busy.name, 2), "speedup_4": four}


def chaos(
    servers: Servers, folder: Path, kills: int, most: int, pages: int, seed: int
) -> Iterator[dict[str, object]]:
    """Kill in rounds until enough kills have landed."""
    chance, landed, number = random.Random(seed), 0, 0
    while landed < kills:
        planned, place = schedule(min(most, kills - landed), chance), folder / f"chaos-{number + 1}"
        outcome = run_round(pages, planned, servers, place, seed=number)
        number, landed = number + 1, landed + outcome.kills.total()
        STDERR.print(f"round {number}: {outcome}")
        yield {"round": number, "is_good": outcome.is_good, **outcome.row()}


if __name__ == "__main__":
    main(measure, __doc__)
