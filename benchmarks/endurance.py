"""A long crawl of a made-up web over real HTTP on loopback: does it get fatter or slower?

    .venv/bin/python benchmarks/endurance.py [--pages 100000] [--strategy best_first_content_anchor]
                                             [--plot FILE.png] [--json FILE]

The crawl is a command of its own, everything on (benchmarks/loopback.py says what the web is like). While it
runs, once a second: memory and CPU time of it and its children, as the kernel counts them, and the pages in
its database. The table shows each tenth of the pages. Slope: that of a straight line through all samples
after the first tenth, in bytes of resident memory a page. Peak: to the very end, its report included.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.loopback import serving, url, write_topic  # noqa: E402

WEB_PAGES = 10_000_000
HOSTS = 2000
CONCURRENCY = 16
INTERVAL = 1.0
MIB = 2**20
TICK = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """The crawl at one moment."""

    pages: int
    wall: float  # seconds since the crawl began
    cpu: float  # seconds
    rss: int  # bytes


class Tenth(NamedTuple):
    """A tenth of a crawl's pages."""

    pages: int  # at its end
    rss: float  # bytes, on average
    per_cpu_second: float
    per_second: float


def crawl_command(folder: Path, topic: Path, pages: int, strategy: str) -> list[str]:
    settings = {
        "FOCUSED_CRAWLS": folder / "crawls",
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "LOG_LEVEL": "WARNING",
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    arguments = {"topic": topic, "strategy": strategy, "pages": pages}
    words = [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    return [sys.executable, "-m", "scrapy", "crawl", "topic", *words, *options]


def watch(process: subprocess.Popen[bytes], database: Path, pages: int) -> tuple[list[Sample], int]:
    """Take samples until the last page is recorded; return them, and the peak of memory to the very end."""
    started, samples, peak = time.monotonic(), [Sample(0, 0.0, 0.0, 0)], 0
    columns = ("pages", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("pages", total=pages)
        while process.poll() is None:
            cpu, rss = _usage(process.pid)
            peak = max(peak, rss)
            if samples[-1].pages < pages and (recorded := _recorded(database)):
                samples.append(Sample(recorded, time.monotonic() - started, cpu, rss))
                progress.update(task, completed=recorded)
            time.sleep(INTERVAL)
    return samples[1:], peak


def _recorded(path: Path) -> int:
    """Return how many pages are recorded and committed."""
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT value FROM counters WHERE name = 'pages'").fetchall()
    except sqlite3.OperationalError:  # its tables are being made
        return 0
    return int(rows[0][0]) if rows else 0


def _usage(pid: int) -> tuple[float, int]:
    """Return CPU seconds and resident bytes of a process and its children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0, 0
    cpu, rss = sum(map(int, fields[11:15])) / TICK, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    for child in children:
        more_cpu, more_rss = _usage(int(child))
        cpu, rss = cpu + more_cpu, rss + more_rss
    return cpu, rss


def tenths(samples: Sequence[Sample]) -> list[Tenth]:
    """Cut a crawl into ten parts of as many pages each, interpolating between samples."""
    pages, wall, cpu, rss = (np.array(column, dtype=float) for column in zip(*samples, strict=True))
    edges = np.linspace(pages[0], pages[-1], 11)
    wall_at, cpu_at = np.interp(edges, pages, wall), np.interp(edges, pages, cpu)
    found = []
    for number, (low, high) in enumerate(pairwise(edges)):
        part = (pages >= low) & (pages <= high)
        found.append(
            Tenth(
                int(high),
                float(rss[part].mean()) if part.any() else float("nan"),
                float((high - low) / (cpu_at[number + 1] - cpu_at[number])),
                float((high - low) / (wall_at[number + 1] - wall_at[number])),
            )
        )
    return found


def slope(samples: Sequence[Sample]) -> float:
    """Return the bytes of memory that a page adds after the first tenth."""
    late = [sample for sample in samples if sample.pages >= samples[-1].pages / 10]
    return float(np.polyfit([sample.pages for sample in late], [sample.rss for sample in late], 1)[0])


def plot(samples: Sequence[Sample], path: Path) -> None:
    """Draw memory and speed over pages."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (only here: it takes a second)

    figure = Figure(figsize=(8, 5), layout="constrained")
    memory, speed = figure.subplots(2, 1, sharex=True)
    pages = [sample.pages for sample in samples]
    memory.plot(pages, [sample.rss / MIB for sample in samples])
    memory.set(ylabel="resident memory, MiB", ylim=(0, None))
    parts = tenths(samples)
    speed.step([part.pages for part in parts], [part.per_cpu_second for part in parts], where="pre")
    speed.set(ylabel="pages a CPU second", xlabel="pages", ylim=(0, None))
    for axes in (memory, speed):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def table(parts: Sequence[Tenth]) -> Table:
    shown = Table("pages", "memory", "pages a CPU second", "pages a second", title="by tenths")
    for part in parts:
        numbers = (f"{part.rss / MIB:,.1f} MiB", f"{part.per_cpu_second:.1f}", f"{part.per_second:.1f}")
        shown.add_row(f"{part.pages:,}", *numbers)
    return shown


def run(folder: Path, pages: int, strategy: str) -> tuple[list[Sample], int]:
    hits, job = folder / "hits.txt", folder / "crawls/loopback/1"
    with serving("LARGE", WEB_PAGES, HOSTS, 0.0, hits) as port:
        topic = write_topic(folder, url(0, HOSTS, port))
        process = subprocess.Popen(crawl_command(folder, topic, pages, strategy), cwd=ROOT)
        samples, peak = watch(process, job / "crawl.db", pages)
    assert process.returncode == 0
    totals = json.loads((job / "run.json").read_text())["totals"]
    assert totals["pages"] == pages, totals
    return samples, peak


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--strategy", default="best_first_content_anchor")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
    with tempfile.TemporaryDirectory() as name:
        samples, peak = run(Path(name), options.pages, options.strategy)
    parts = tenths(samples)
    figures = {
        "pages": options.pages,
        "rss_slope_bytes_per_page": round(slope(samples), 1),
        "rate_last_to_second_tenth": round(parts[-1].per_cpu_second / parts[1].per_cpu_second, 3),
        "wall_rate_last_to_second_tenth": round(parts[-1].per_second / parts[1].per_second, 3),
        "peak_rss_mib": round(peak / MIB, 1),
    }
    console = Console()
    console.print(table(parts))
    console.print(figures)
    if options.plot:
        plot(samples, options.plot)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
