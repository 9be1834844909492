"""What metrics cost: CPU time a page with and without them, milliseconds a scrape, microseconds a timed step.

    .venv/bin/python benchmarks/metrics.py

The same crawl of the demo web, in turns: without metrics, with them and nobody asking, and scraped once a
second. CPU time is that of the crawl's process, user and system, less that of a crawl of 20 pages; each
is the least of `--rounds`, as whatever else a machine does only ever adds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median

from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest
from rich.console import Console
from rich.progress import track
from rich.table import Table

from focused_crawler.crawl.steps import BOUNDS, STEPS, Steps
from focused_crawler.edge.prometheus.collector import CrawlCollector, Facts, Resource
from focused_crawler.frontier.base import FrontierStats
from focused_crawler.virtualweb.demo import write_demo_web

ROOT = Path(__file__).resolve().parent.parent
START_UP_PAGES = 20
CASES = ("without", "with", "scraped")
CLASSES = 30


def scrape(crawls: Path, stopped: threading.Event, times: list[float]) -> None:
    """Ask for metrics once a second, wherever the crawl says that they are."""
    while not stopped.wait(1.0):
        for file in (crawls / ".metrics").glob("*.json"):
            with suppress(OSError):
                place = json.loads(file.read_text())[0]["targets"][0]
                began = time.perf_counter()
                urllib.request.urlopen(f"http://{place}/metrics", timeout=10).read()
                times.append(time.perf_counter() - began)


def crawl(web: Path, pages: int, case: str, times: list[float]) -> float:
    """Return the CPU seconds of a crawl."""
    with tempfile.TemporaryDirectory() as crawls:
        settings = {
            "FOCUSED_WEB": web,
            "FOCUSED_CRAWLS": crawls,
            "FOCUSED_METRICS_PORT": 0 if case == "without" else "20000-20999",
            "CONCURRENT_REQUESTS": 1,
            "LOG_LEVEL": "CRITICAL",
        }
        topic = web.parent / "demo.topics/astronomy"
        words = ["-a", f"topic={topic}", "-a", "strategy=breadth_first", "-a", f"pages={pages}"]
        words += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        stopped = threading.Event()
        thread = threading.Thread(target=scrape, args=(Path(crawls), stopped, times))
        if case == "scraped":
            thread.start()
        process = subprocess.Popen([sys.executable, "-m", "scrapy", "crawl", "topic", *words], cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        stopped.set()
        if case == "scraped":
            thread.join()
    if process.returncode:
        raise SystemExit(f"the crawl ended with exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure(web: Path, pages: int, rounds: int) -> tuple[dict[str, float], list[float]]:
    """Return the milliseconds of CPU a page of each case, and the seconds of the scrapes."""
    costs: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    times: list[float] = []
    for number in track(range(rounds), "crawls", console=Console(stderr=True)):
        for case in CASES if number % 2 else CASES[::-1]:
            for n in (START_UP_PAGES, pages):
                costs[case, n].append(crawl(web, n, case, times))
    more = pages - START_UP_PAGES
    least = {key: min(found) for key, found in costs.items()}
    return {case: 1000 * (least[case, pages] - least[case, START_UP_PAGES]) / more for case in CASES}, times


def registry() -> CollectorRegistry:
    """Return metrics as a crawl of some hours has them."""
    steps = Steps()
    for number, step in enumerate(STEPS * 50):
        dict(steps)[step].observe(BOUNDS[number % len(BOUNDS)])
    stats = {f"focused/failures/class_{number}": number for number in range(CLASSES)}
    facts = Facts(stats, FrontierStats(*range(8)), list(range(10)), 16, steps)
    made = CollectorRegistry()
    made.register(CrawlCollector(Resource("topic", "1", "link_classifier"), lambda: facts))
    return made


def shortest(call: Callable[[], object], times: int) -> float:
    """Return the seconds of the quickest of many calls."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return min(found)


def timed_steps(number: int = 1000) -> None:
    steps = Steps()
    for _ in range(number):
        with steps.timing("parse"):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        costs, times = measure(write_demo_web(Path(folder)), options.pages, options.rounds)
    metrics = registry()
    figures = {f"cpu_ms_{case}": costs[case] for case in CASES}
    figures |= {f"cpu_ratio_{case}": costs[case] / costs["without"] for case in CASES[1:]}
    figures["scrape_cpu_ms"] = 1000 * shortest(lambda: generate_latest(metrics), 100)
    figures["scrape_ms"] = 1000 * median(times)
    figures["step_us"] = 1e6 * shortest(timed_steps, 100) / 1000
    show(figures)
    if options.json:
        rounded = {name: round(value, 4) for name, value in figures.items()}
        options.json.write_text(json.dumps({"figures": rounded}, indent=2) + "\n")


def show(figures: dict[str, float]) -> None:
    table = Table("crawl")
    for heading in ("CPU ms a page", "of that without"):
        table.add_column(heading, justify="right")
    for case in CASES:
        table.add_row(
            f"{case} metrics" if case != "scraped" else "scraped once a second",
            f"{figures[f'cpu_ms_{case}']:.2f}",
            f"{figures.get(f'cpu_ratio_{case}', 1.0):.3f}",
        )
    console = Console()
    console.print(table)
    console.print(
        f"A scrape: {figures['scrape_cpu_ms']:.2f} ms of CPU, {figures['scrape_ms']:.1f} ms by the clock. "
        f"A timed step: {figures['step_us']:.2f} microseconds.",
        highlight=False,
    )


if __name__ == "__main__":
    main()
