"""Kill a crawl with SIGKILL at random moments, resume it to its end, and count what was lost or done twice.

    .venv/bin/python benchmarks/crash.py [--rounds 20] [--kills 1] [--pages 3000] [--json FILE]

A round is one crawl of a web on loopback (benchmarks/loopback.py): killed `--kills` times at random moments,
then run to its end. Lost: reachable pages not in the crawl's database. Double: pages in it twice.
Refetched: pages the server was asked for more than once; at most what was in flight at a kill may be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.loopback import reachable, url  # noqa: E402

HOSTS = 20
CONCURRENCY = 16
TOPIC = """name = "loopback"
title = "Robots"
description = "Robotics, robot arms, grippers, sensors and controllers."
keywords = ["robot", "robotics", "gripper", "actuator", "sensor"]
seeds = ["{seed}"]
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round came to."""

    kills: int
    recorded: int
    lost: int
    double: int
    refetched: int  # pages asked for more than once
    most_refetched: int  # the most that one kill may explain: what was in flight
    ended: str


@contextmanager
def loopback(folder: Path, pages: int, latency: float) -> Iterator[int]:
    """Serve the web in a process of its own; yields its port."""
    command = [sys.executable, str(ROOT / "benchmarks/loopback.py"), str(pages), str(HOSTS), str(latency)]
    with subprocess.Popen(
        [*command, str(folder / "hits.txt")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.stdin.close()


def crawl_command(folder: Path, frontier: str = "sqlite") -> list[str]:
    settings = {
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        "FOCUSED_FRONTIER": frontier,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "LOG_LEVEL": "WARNING",
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    scrapy = [sys.executable, "-m", "scrapy", "crawl", "topic", "-a", f"topic={folder / 'loopback'}"]
    return [*scrapy, "-a", "strategy=best_first_content_anchor", *options]


def run_round(pages: int, kills: int, chance: random.Random, latency: float = 0.005) -> Outcome:
    """Crawl once, with so many kills on the way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with loopback(folder, pages, latency) as port:
            (folder / "loopback").mkdir()
            seed = url(0, HOSTS, port)
            (folder / "loopback/topic.toml").write_text(TOPIC.format(seed=seed))
            for _ in range(kills):
                _kill_midway(folder, pages, chance)
            done = subprocess.run(crawl_command(folder), cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
            assert done.returncode == 0
            return _outcome(folder, pages, kills, port)


def _kill_midway(folder: Path, pages: int, chance: random.Random) -> None:
    """Start or resume the crawl and kill it when it has got a random number of pages further."""
    before = _hits(folder).total()
    wanted = before + chance.uniform(0.0, 0.9) * max(1, pages - before)
    process = subprocess.Popen(
        crawl_command(folder), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while process.poll() is None and _hits(folder).total() < wanted:
        time.sleep(0.005)
    time.sleep(chance.uniform(0.0, 0.02))
    process.send_signal(signal.SIGKILL)
    process.wait()


def _hits(folder: Path) -> Counter[str]:
    path = folder / "hits.txt"
    lines = path.read_text().split() if path.exists() else []
    return Counter(line for line in lines if line.startswith("/page/"))


def _outcome(folder: Path, pages: int, kills: int, port: int) -> Outcome:
    job = folder / "crawls/loopback/1"
    with sqlite3.connect(job / "crawl.db") as database:
        recorded = Counter(row[0] for row in database.execute("SELECT url FROM pages"))
    wanted = {url(page, HOSTS, port) for page in reachable(pages)}
    run = json.loads((job / "run.json").read_text())
    return Outcome(
        kills=kills,
        recorded=recorded.total(),
        lost=len(wanted - recorded.keys()),
        double=sum(number - 1 for number in recorded.values()),
        refetched=sum(number - 1 for number in _hits(folder).values()),
        most_refetched=kills * CONCURRENCY,
        ended=run["reason"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kills", type=int, default=1, help="a round")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
    chance = random.Random(options.seed)
    console = Console()
    rounds = [
        run_round(options.pages, options.kills, chance)
        for _ in track(range(options.rounds), "rounds", console=Console(stderr=True))
    ]
    columns = ("round", "kills", "recorded", "lost", "double", "refetched", "at most", "ended")
    table = Table(*columns, title=f"{options.pages} pages, SIGKILL")
    for number, outcome in enumerate(rounds, start=1):
        values = (number, *(getattr(outcome, name) for name in Outcome.__slots__))
        table.add_row(*map(str, values))
    console.print(table)
    figures = {
        "kills": sum(outcome.kills for outcome in rounds),
        "lost": sum(outcome.lost for outcome in rounds),
        "double": sum(outcome.double for outcome in rounds),
        "refetched": sum(outcome.refetched for outcome in rounds),
    }
    console.print(figures)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
