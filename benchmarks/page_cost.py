"""CPU time that a page costs: Scrapy doing nothing, Scrapy following links, and our crawls.

    WEBS=../shared/webs
    .venv/bin/python benchmarks/page_cost.py $WEBS/openweb.warc.gz --topic $WEBS/openweb.topics/health

All crawls fetch the same pages, over real HTTP from one `scrapy virtualweb serve` on loopback: a random
sample of the web, its hosts moved to 127.x.x.x. All links are looked at, and queued behind the sample. CPU
time is that of the whole process tree, user and system, less that of a crawl of 20 pages: start-up is left
out. Each crawl runs `--rounds` times, in turns; the table shows the median.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import Record
from focused_crawler.virtualweb.writer import WebWriter

ROOT = Path(__file__).resolve().parent.parent
START_UP_PAGES = 20
CONCURRENCY = 16
_SITE = re.compile(rb"(?:https?:|(?<=[\"'=]))//([a-z0-9.-]+)(?::\d+)?", re.IGNORECASE)
SPARE = 1.05  # so much longer are the lists than a crawl: not all of a real web can be parsed
TOPIC = """name = {name}
title = {title}
description = {description}
keywords = {keywords}
seeds = {seeds}
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a crawl took."""

    cpu: float  # seconds
    wall: float


@dataclass(frozen=True, slots=True)
class Crawler:
    """One way to crawl: the command for so many pages of the sample."""

    label: str
    figure: str
    command: Callable[[int], list[str]]


class Sample:
    """Some pages of a web under addresses of this machine, in a web of their own."""

    def __init__(self, source: Path, pages: int, seed: int, folder: Path) -> None:
        self.port = _free_port()
        self.path = folder / "sample.warc.gz"
        self.urls: list[str] = []
        self.sizes: list[int] = []
        self._hosts: dict[bytes, int] = {}
        with VirtualWeb(source) as web, WebWriter(self.path) as writer:
            entries = [entry for entry in web.entries() if entry.status == 200]
            random.Random(seed).shuffle(entries)
            for record in map(web.read, entries):
                if record.header("Content-Type").startswith("text/html"):
                    self._copy(record, writer)
                if len(self.urls) == pages:
                    break

    def _copy(self, record: Record, writer: WebWriter) -> None:
        url = self._local(record.url.encode()).decode()
        if url not in self.urls:
            body = self._local(record.body)
            writer.write(url, 200, [("Content-Type", record.header("Content-Type"))], body)
            self.urls.append(url)
            self.sizes.append(len(body))

    def _local(self, text: bytes) -> bytes:
        """Give every host in a text an address of its own on this machine."""
        return _SITE.sub(lambda found: self._site(found[1].lower()), text)

    def _site(self, host: bytes) -> bytes:
        number = self._hosts.setdefault(host, len(self._hosts))
        return b"http://127.%d.%d.%d:%d" % (number // 62500, number // 250 % 250, number % 250 + 1, self.port)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(sample: Sample) -> Iterator[None]:
    """Serve a sample while the block runs."""
    command = [
        *scrapy(),
        "virtualweb",
        "serve",
        str(sample.path),
        "--host",
        "0.0.0.0",
        "--port",
        str(sample.port),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield
        finally:
            server.terminate()


def scrapy() -> list[str]:
    return [sys.executable, "-m", "scrapy"]


def plain(follow: str, lists: dict[int, Path]) -> Callable[[int], list[str]]:
    """Return the command of benchmarks/plain_spider.py; `follow` 1: it follows links."""

    def command(pages: int) -> list[str]:
        settings = {
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "ROBOTSTXT_OBEY": True,  # as `scrapy startproject` has it
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",  # the list before the links
            "LOG_LEVEL": "CRITICAL",
        }
        file = str(ROOT / "benchmarks/plain_spider.py")
        return [
            *scrapy(),
            "runspider",
            file,
            "-a",
            f"urls={lists[pages]}",
            "-a",
            f"follow={follow}",
            "-a",
            f"pages={pages}",
            *_options(settings),
        ]

    return command


def focused(
    strategy: str, topics: dict[int, Path], folder: Path, processes: int = 0
) -> Callable[[int], list[str]]:
    """Return the command of a focused crawl."""

    def command(pages: int) -> list[str]:
        settings = {
            "FOCUSED_CRAWLS": tempfile.mkdtemp(dir=folder),
            "FOCUSED_MODELS": folder / "models",
            "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
            "FOCUSED_ANALYSIS_PROCESSES": processes,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "DOWNLOAD_DELAY": 0,
            "LOG_LEVEL": "CRITICAL",
        }
        topic = ["-a", f"topic={topics[pages]}", "-a", f"strategy={strategy}", "-a", f"pages={pages}"]
        return [*scrapy(), "crawl", "topic", *topic, *_options(settings)]

    return command


def _options(settings: dict[str, object]) -> list[str]:
    return [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]


def run(command: Sequence[str]) -> Cost:
    """Run a command to its end; the CPU time includes that of its children."""
    began = time.monotonic()
    cwd = ROOT if "crawl" in command else Path(tempfile.gettempdir())
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - began)


def measure(crawlers: Sequence[Crawler], pages: int, rounds: int) -> dict[str, Cost]:
    """Return the median cost of a page of each crawler, in seconds."""
    found: dict[str, list[Cost]] = {crawler.figure: [] for crawler in crawlers}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("crawls", total=rounds * len(crawlers))
        for _ in range(rounds):
            for crawler in crawlers:
                progress.update(task, description=crawler.label)
                little, all_ = run(crawler.command(START_UP_PAGES)), run(crawler.command(pages))
                more = pages - START_UP_PAGES
                found[crawler.figure].append(
                    Cost((all_.cpu - little.cpu) / more, (all_.wall - little.wall) / more)
                )
                progress.advance(task)
    return {
        name: Cost(median(cost.cpu for cost in costs), median(cost.wall for cost in costs))
        for name, costs in found.items()
    }


def prepare(options: argparse.Namespace, sample: Sample, folder: Path) -> list[Crawler]:
    """Train the model, write lists and topics, and return the crawlers."""
    original = load_topic(str(options.topic))
    models = [
        "-s",
        f"FOCUSED_MODELS={folder / 'models'}",
        "-s",
        "LOG_LEVEL=ERROR",
        "-s",
        f"FOCUSED_WEB={options.web}",
    ]
    train = [*scrapy(), "train", str(options.topic), *models]
    subprocess.run(train, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    lists, topics = {}, {}
    for pages in (START_UP_PAGES, options.pages):
        urls = sample.urls[: int(SPARE * pages)]
        lists[pages] = folder / f"{pages}.txt"
        lists[pages].write_text("\n".join(urls) + "\n")
        topics[pages] = folder / str(pages) / original.name
        topics[pages].mkdir(parents=True)
        values = {name: json.dumps(getattr(original, name)) for name in ("name", "title", "description")}
        values |= {"keywords": json.dumps(list(original.keywords)), "seeds": json.dumps(urls)}
        (topics[pages] / "topic.toml").write_text(TOPIC.format(**values))
    ours = [
        Crawler(f"focused crawl, {strategy}", f"cpu_ms_{strategy}", focused(strategy, topics, folder))
        for strategy in ("breadth_first", "lpe", "lpe_soft")
    ]
    with_workers = focused("lpe", topics, folder, options.processes)
    return [
        Crawler("Scrapy, fetch only", "cpu_ms_noop", plain("", lists)),
        Crawler("Scrapy, follow all links", "cpu_ms_plain", plain("1", lists)),
        *ours,
        Crawler(
            f"focused crawl, lpe, {options.processes} analysis processes", "cpu_ms_lpe_workers", with_workers
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path, help="a WARC file")
    parser.add_argument("--topic", type=Path, required=True, help="a topic folder with examples in that web")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="analysis processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.web, options.topic = options.web.resolve(), options.topic.resolve()
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
    with tempfile.TemporaryDirectory() as name:
        sample = Sample(options.web, int(SPARE * options.pages), options.seed, Path(name))
        crawlers = prepare(options, sample, Path(name))
        with served(sample):
            costs = measure(crawlers, options.pages, options.rounds)
    show(crawlers, costs, sample)
    figures = {figure: round(1000 * cost.cpu, 3) for figure, cost in costs.items()}
    figures["wall_ratio_workers"] = round(costs["cpu_ms_lpe"].wall / costs["cpu_ms_lpe_workers"].wall, 3)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


def show(crawlers: Sequence[Crawler], costs: dict[str, Cost], sample: Sample) -> None:
    size = sum(sample.sizes) / len(sample.sizes) / 1024
    table = Table(title=f"{len(sample.urls)} pages of {size:.0f} KiB on average", title_justify="left")
    table.add_column("crawler")
    for heading in ("CPU ms a page", "of no-op", "of plain", "wall ms a page"):
        table.add_column(heading, justify="right")
    noop, follow = costs["cpu_ms_noop"].cpu, costs["cpu_ms_plain"].cpu
    for crawler in crawlers:
        cost = costs[crawler.figure]
        cells = (1000 * cost.cpu, cost.cpu / noop, cost.cpu / follow, 1000 * cost.wall)
        table.add_row(crawler.label, *(f"{cell:.2f}" for cell in cells))
    Console().print(table)


if __name__ == "__main__":
    main()
