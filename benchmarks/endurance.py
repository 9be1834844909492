"""A long crawl of a made-up web over real HTTP on loopback: does it get fatter or slower?

    .venv/bin/python benchmarks/endurance.py [--pages 100000] [--strategy adaptive]
                                             [--folder FOLDER] [--plot FILE.png] [--json FILE]

The crawl is a command of its own, everything on (tests/crawls/loopback.py says what the web is like). While
it runs, once a second: memory and CPU time of it and its children, as the kernel counts them, and the pages
in its database. The table shows each tenth of the pages. Slope: that of a straight line through all samples
after the first tenth, in bytes of resident memory a page. Peak: to the very end, its report included. Where
others have a part of it a machine is half as fast at one time as at another: so each second a page of the
same web is parsed here as well, some times over, and the even rate counts CPU time by what that took.
With --folder the crawl stays there, and goes on where it was stopped: a million pages take many hours.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, nullcontext, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, STDERR, Report, main, scrapy_command
from benchmarks.tables import Rows
from focused_crawler.link_scoring.registry import DEFAULT
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from tests.crawls.loopback import LargeWeb, WebPlan, serving, url, write_topic
from tests.crawls.processes import cpu_seconds, family

WEB_PAGES = 10_000_000
HOSTS = 2000
CONCURRENCY = 16
PORT = 21_000  # always the same, as it stands in all URLs
INTERVAL = 1.0
JOB = "crawls/loopback/1"
MIB = 2**20
PARSED = 8  # times a page, for the pace


class Sample(NamedTuple):
    """The crawl at one moment."""

    pages: int
    wall: float  # seconds since the crawl began
    cpu: float  # seconds
    rss: int  # bytes
    pace: float  # CPU seconds that `Pace` took


class Pace:
    """The same work each time, a hundredth of a second of it."""

    def __init__(self) -> None:
        self._url, self._body = url(0, HOSTS, PORT), LargeWeb(WEB_PAGES, HOSTS).html(0, PORT)
        self._analyzer = Analyzer("en")
        self.seconds()  # what is loaded when it is first needed

    def seconds(self) -> float:
        """Do it, and return its CPU seconds."""
        began = time.thread_time()
        for _ in range(PARSED):
            parse_page(self._body, self._url, self._analyzer)
        return time.thread_time() - began


def watch(process: subprocess.Popen[bytes], folder: Path, pages: int) -> list[Sample]:
    """Take samples until the crawl ends, after those of its earlier runs; return all."""
    file, started = folder / "samples.jsonl", time.monotonic()
    samples = [Sample(*json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []
    before = samples[-1] if samples else Sample(0, 0.0, 0.0, 0, 0.0)
    pace = Pace()
    columns = ("pages", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=STDERR) as progress:
        task = progress.add_task("pages", total=pages)
        while process.poll() is None:
            cpu, rss = _usage(process.pid)
            if recorded := _recorded(folder / JOB / "crawl.db"):
                wall = time.monotonic() - started
                samples.append(Sample(recorded, before.wall + wall, before.cpu + cpu, rss, pace.seconds()))
                with file.open("a") as kept:
                    kept.write(json.dumps(samples[-1]) + "\n")
                progress.update(task, completed=recorded)
            time.sleep(INTERVAL)
    return samples


def _recorded(path: Path) -> int:
    """Return how many pages are recorded and committed; none while the file or its tables are not there."""
    place = f"{path.as_uri()}?mode=ro"
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(place, uri=True)) as database:
        return sum(row[0] for row in database.execute("SELECT value FROM counters WHERE name = 'pages'"))
    return 0


def _usage(pid: int) -> tuple[float, int]:
    """Return CPU seconds and resident bytes of a process and its children."""
    processes, rss = family(pid), 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            rss += process.memory_info().rss
    return cpu_seconds(processes), rss


def tenths(samples: Sequence[Sample]) -> Rows:
    """Cut a crawl into ten parts of as many pages each, interpolating between samples."""
    pages, wall, cpu, rss, pace = (np.array(column, dtype=float) for column in zip(*samples, strict=True))
    edges = np.linspace(pages[0], pages[-1], 11)
    even = np.cumsum(np.diff(cpu, prepend=0.0) * np.median(pace) / pace)
    wall_took, cpu_took, even_took = (np.diff(np.interp(edges, pages, times)) for times in (wall, cpu, even))
    found = Rows()
    for number, (low, high) in enumerate(pairwise(edges)):
        part = (pages >= low) & (pages <= high)
        memory = float(rss[part].mean()) / MIB if part.any() else None
        took = {"cpu_rate": cpu_took, "even_rate": even_took, "rate": wall_took}
        rates = {name: (high - low) / seconds[number] for name, seconds in took.items()}
        found.append({"pages": int(high), "mib": memory, **rates})
    return found


def slope(samples: Sequence[Sample]) -> float:
    """Return the bytes of memory that a page adds after the first tenth."""
    late = [sample for sample in samples if sample.pages >= samples[-1].pages / 10]
    return float(np.polyfit([sample.pages for sample in late], [sample.rss for sample in late], 1)[0])


def draw(samples: Sequence[Sample], path: Path) -> None:
    """Draw memory and speed over pages."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (only here: it takes a second)

    figure = Figure(figsize=(8, 5), layout="constrained")
    memory, speed = figure.subplots(2, 1, sharex=True)
    pages = [sample.pages for sample in samples]
    memory.plot(pages, [sample.rss / MIB for sample in samples])
    memory.set(ylabel="resident memory, MiB", ylim=(0, None))
    parts = tenths(samples)
    edges = np.linspace(pages[0], pages[-1], len(parts) + 1)
    for name, label in (("cpu_rate", "as it was"), ("even_rate", "at an even pace of the machine")):
        speed.stairs([part[name] for part in parts], edges, baseline=None, label=label)
    speed.legend()
    speed.set(ylabel="pages a CPU second", xlabel="pages", ylim=(0, None))
    for axes in (memory, speed):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def run(folder: Path, pages: int, strategy: str) -> list[Sample]:
    """Crawl, or go on with it, and return the samples."""
    settings = {
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "LOG_LEVEL": "WARNING",
    }
    with serving(WebPlan("LARGE", WEB_PAGES, HOSTS, 0.0, port=PORT), folder / "hits.txt") as web:
        arguments = {"topic": write_topic(folder, web.seed), "strategy": strategy, "pages": pages}
        command = scrapy_command("crawl", "topic", arguments=arguments, settings=settings)
        process = subprocess.Popen(command, cwd=ROOT)
        samples = watch(process, folder, pages)
    assert process.returncode == 0
    totals = json.loads((folder / JOB / "run.json").read_text())["totals"]
    assert totals["pages"] == pages, totals
    return samples


def measure(
    *,
    pages: int = 100_000,
    strategy: str = DEFAULT,
    folder: Path | None = None,
    plot: Path | None = None,
) -> Report:
    """Crawl, and look at each tenth of the pages."""
    with tempfile.TemporaryDirectory() if folder is None else nullcontext(folder.resolve()) as place:
        Path(place).mkdir(exist_ok=True)
        samples = run(Path(place), pages, strategy)
    peak = max(sample.rss for sample in samples)
    samples = samples[: 1 + [sample.pages for sample in samples].index(pages)]  # without its report
    if plot is not None:
        draw(samples, plot)
    parts = tenths(samples)
    second, last = parts[1], parts[-1]
    figures = {
        "pages": pages,
        "rss_slope_bytes_per_page": slope(samples),
        "rate_last_to_second_tenth": last["cpu_rate"] / second["cpu_rate"],
        "even_rate_last_to_second_tenth": last["even_rate"] / second["even_rate"],
        "wall_rate_last_to_second_tenth": last["rate"] / second["rate"],
        "peak_rss_mib": peak / MIB,
    }
    return Report({"tenths": parts}, figures)


if __name__ == "__main__":
    main(measure, __doc__)
