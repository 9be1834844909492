"""What metrics cost: CPU time a page with and without them, milliseconds a scrape, microseconds a timed step.

    .venv/bin/python benchmarks/metrics.py

The same crawl of the demo web, in turns: without metrics, with them and nobody asking, and scraped once a
second. CPU time is that of the crawl's process, user and system, less that of a crawl of 20 pages; each
is the least of `--rounds`, as whatever else a machine does only ever adds.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from statistics import median

from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Report, main, scrapy, temporary_folder
from benchmarks.meter import cpu_times
from benchmarks.tables import Rows
from focused_crawler.crawl.steps import BOUNDS, STEPS, Steps
from focused_crawler.edge.prometheus.catalogue import Facts, Resource
from focused_crawler.edge.prometheus.collector import CrawlCollector
from focused_crawler.frontier.base import FrontierStats
from focused_crawler.virtualweb.demo import write_demo_web

START_UP_PAGES = 20
CASES = ("without", "with", "scraped")
CLASSES = 30


def measure(*, pages: int = 600, rounds: int = 10) -> Report:
    """Crawl in turns, then time a scrape and a step."""
    costs: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    times: list[float] = []
    with temporary_folder() as folder:
        web = write_demo_web(folder)
        for number in track(range(rounds), "crawls", console=STDERR):
            for case in CASES if number % 2 else CASES[::-1]:
                for n in (START_UP_PAGES, pages):
                    costs[case, n].append(crawl(web, n, case, times))
    least, more = {key: min(found) for key, found in costs.items()}, pages - START_UP_PAGES
    spent = {case: 1000 * (least[case, pages] - least[case, START_UP_PAGES]) / more for case in CASES}
    rows = Rows({"case": case, "cpu": spent[case], "ratio": spent[case] / spent["without"]} for case in CASES)
    metrics = registry()
    figures = {
        "scrape_cpu_ms": 1000 * min(cpu_times(lambda: generate_latest(metrics), 100)),
        "scrape_ms": 1000 * median(times),
        "step_us": 1e6 * min(cpu_times(timed_steps, 100)) / 1000,
    }
    return Report({"cases": rows}, figures)


def crawl(web: Path, pages: int, case: str, times: list[float]) -> float:
    """Return the CPU seconds of a crawl."""
    topic = web.parent / "demo.topics/astronomy"
    arguments = {"topic": topic, "strategy": "breadth_first", "pages": pages}
    with temporary_folder() as crawls:
        settings = {
            "FOCUSED_WEB": web,
            "FOCUSED_CRAWLS": crawls,
            "FOCUSED_METRICS_PORT": 0 if case == "without" else "20000-20999",
            "CONCURRENT_REQUESTS": 1,
        }
        with scraping(crawls, times) if case == "scraped" else nullcontext():
            return scrapy("crawl", "topic", arguments=arguments, settings=settings)


@contextmanager
def scraping(crawls: Path, times: list[float]) -> Iterator[None]:
    """Ask for metrics once a second while the block runs, wherever the crawl says that they are."""
    stopped = threading.Event()

    def scrape() -> None:
        while not stopped.wait(1.0):
            for file in (crawls / ".metrics").glob("*.json"):
                with suppress(OSError):
                    place = json.loads(file.read_text())[0]["targets"][0]
                    began = time.perf_counter()
                    urllib.request.urlopen(f"http://{place}/metrics", timeout=10).read()
                    times.append(time.perf_counter() - began)

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


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


def timed_steps(number: int = 1000) -> None:
    steps = Steps()
    for _ in range(number):
        with steps.timing("parse"):
            pass


if __name__ == "__main__":
    main(measure, __doc__)
