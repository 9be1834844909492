"""What distilling costs: rating a million links between sites, and its share of a real crawl.

    .venv/bin/python benchmarks/distill.py [--web ../shared/webs/openweb.warc.gz] [--topic machine-learning]
                                           [--pages 3000] [--json FILE]

The million links are made up (benchmarks/made_up_crawl.py) and lie in a crawl.db. They are read and rated
twice, each time in a fresh process: with rho = 0, so that every link is a vote (hits_1m_s, hits_1m_rss_mib),
and with the rho that a crawl takes. CPU seconds: opening, reading, rating. Peak: all that the process ever
had, as the kernel has it (VmHWM); "before" is that of its imports.

The crawl is `scrapy crawl` of a recorded web, a command of its own with default settings, after `scrapy
train`. Its share: the CPU seconds of its distillations, as table `distillations` has them, of those of the
whole command. Where there is no such web that part is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.made_up_crawl import MadeUpCrawl  # noqa: E402
from focused_crawler.crawl.hubs.record import measure  # noqa: E402
from focused_crawler.store.opening import read_crawl  # noqa: E402

MADE_UP_PAGES, HOSTS = 50_000, 3000
WEB = ROOT / "../shared/webs/openweb.warc.gz"
_BETWEEN_SITES = """
SELECT count(*) FROM (SELECT DISTINCT source, target FROM links WHERE external = 1 AND target <= ?) AS found
"""


def rate_here(folder: Path, rho: float | None) -> dict[str, float]:
    """Rate the crawl in a folder; return what that took of this process."""
    before, began, cpu = _peak(), time.perf_counter(), time.process_time()
    with read_crawl(folder) as database:
        found = measure(database, rho)
    return {
        "rho": found.rho,
        "votes": found.links,
        "rated": len(found.position),
        "CPU s": time.process_time() - cpu,
        "s": time.perf_counter() - began,
        "MiB before": before,
        "MiB peak": _peak(),
    }


def _peak() -> float:
    """Return the most memory that this process ever had, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def rate_made_up(folder: Path) -> list[dict[str, float]]:
    """Return what rating a crawl that never was takes: with every link a vote, and as a crawl does it."""
    MadeUpCrawl(MADE_UP_PAGES, HOSTS).write(folder / "crawl.db")
    with read_crawl(folder) as database:
        (links,) = database.rows(_BETWEEN_SITES, (MADE_UP_PAGES,))[0]
    found = []
    for rho in (0.0, None):
        command = [sys.executable, __file__, "--rate", str(folder)]
        command += [] if rho is None else ["--rho", str(rho)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
        found.append({"links": links, **json.loads(answer)})
    return found


def crawl_share(folder: Path, web: Path, topic: str, pages: int) -> dict[str, float]:
    """Crawl a web, and return what its distillations took of it."""
    place = f"{str(web).removesuffix('.warc.gz')}.topics/{topic}"
    values = {"WEB": web, "MODELS": folder / "models", "CRAWLS": folder / "crawls"}
    words = ["-s", "LOG_LEVEL=ERROR"]
    for name, value in values.items():
        words += ["-s", f"FOCUSED_{name}={value}"]
    _scrapy("train", place, *words)
    for argument in (f"topic={place}", f"pages={pages}", "seed_set=a", "job=1"):
        words += ["-a", argument]
    cpu = _scrapy("crawl", "topic", *words)
    with read_crawl(folder / "crawls" / topic / "1") as database:
        rows = database.rows("SELECT pages, links, seconds FROM distillations ORDER BY id")
        (recorded,) = database.rows("SELECT count(*) FROM pages")[0]
    spent = sum(row[2] for row in rows)
    return {
        "pages": recorded,
        "times": len(rows),
        "links": rows[-1][1] if rows else 0,
        "spent": spent,
        "cpu": cpu,
    }


def _scrapy(*words: str) -> float:
    """Run a command; return its CPU seconds, those of its children counted in."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "scrapy", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def show(made_up: list[dict[str, float]], crawl: dict[str, float]) -> None:
    table = Table(title="Rating a million links between sites", title_justify="left")
    names = ("links", "rho", "votes", "rated", "CPU s", "s", "MiB before", "MiB peak")
    for name in names:
        table.add_column(name, justify="right")
    for row in made_up:
        table.add_row(*(_shown(row[name]) for name in names))
    console = Console()
    console.print(table)
    if crawl:
        console.print(
            f"Crawl of {_shown(crawl['pages'])} pages: {crawl['times']} distillations, the last of"
            f" {_shown(crawl['links'])} links, took {crawl['spent']:.2f} s of {crawl['cpu']:.1f} s CPU"
        )


def _shown(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:.2f}"


def figures(made_up: list[dict[str, float]], crawl: dict[str, float]) -> dict[str, Any]:
    found = {"hits_1m_s": made_up[0]["CPU s"], "hits_1m_rss_mib": made_up[0]["MiB peak"]}
    return {**found, "distill_cpu_share": crawl["spent"] / crawl["cpu"]} if crawl else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--web", type=Path, default=WEB, metavar="WARC")
    parser.add_argument("--topic", default="machine-learning")
    parser.add_argument("--pages", type=int, default=3000, help="of the crawl")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rate", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rho", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rate:
        print(json.dumps(rate_here(options.rate, options.rho)))
        return
    with tempfile.TemporaryDirectory() as folder:
        made_up = rate_made_up(Path(folder))
        web = options.web.resolve()
        crawl = crawl_share(Path(folder), web, options.topic, options.pages) if web.is_file() else {}
    show(made_up, crawl)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures(made_up, crawl)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
