"""What rendering on demand finds, and what it costs, beside rendering everything and nothing.

    .venv/bin/python benchmarks/rendering.py --json figures.json

On the mixed web (`rendering_web.py`), where 30 % of the hosts need a browser: three crawls of each topic with
so many pages, whose models are trained on the demo web, where the same pages are to be read. Recall: share of
the topic's relevant pages (ground truth, which no crawl sees) that were fetched, and read. Cost: CPU seconds
of the crawl with its browsers, from start to end. A page of an app counts
only if it was rendered (then it has a title of its own): else its text was not there to be read.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.rendering_cost import cost
from benchmarks.rendering_web import write_mixed_web
from focused_crawler.virtualweb.truth import RELEVANT, topics_folder

MODES = ("off", "needed", "all")
TOPICS = ("astronomy", "cooking", "football")
SCRAPY = (sys.executable, "-m", "scrapy")


class Crawl(NamedTuple):
    """One crawl."""

    pages: int
    rendered: int
    requests: int
    recall: float  # of relevant pages, read
    cpu: float  # seconds


def crawl(mode: str, topic: Path, web: Path, folder: Path, pages: int) -> Crawl:
    """Crawl, and count what came of it."""
    job, stats = folder / "crawls" / topic.name / mode, folder / f"{mode}-{topic.name}.json"
    words = [*SCRAPY, "crawl", "topic", "-a", f"topic={topic}", "-a", f"pages={pages}", "-a", f"job={mode}"]
    settings = {
        "FOCUSED_WEB": web, "FOCUSED_CRAWLS": folder / "crawls", "FOCUSED_MODELS": folder / "models",
        "FOCUSED_RENDER": mode, "CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "WARNING",
        "STATS_CLASS": "benchmarks.rendering_stats.KeptStats", "STATS_FILE": stats,
    }  # fmt: skip
    for name, value in settings.items():
        words += ["-s", f"{name}={value}"]
    cpu = cost(words, PYTHONPATH=str(Path(__file__).resolve().parent.parent))
    counted = json.loads(stats.read_text())
    relevant = (topics_folder(web) / topic.name / RELEVANT).read_text().split()
    with closing(sqlite3.connect(job / "crawl.db")) as database:
        read = database.execute("SELECT count(*) FROM pages WHERE is_target AND title <> host").fetchone()[0]
    rendered, requests = counted.get("focused/rendered", 0), counted["downloader/request_count"]
    return Crawl(counted["focused/pages"], rendered, requests, read / len(relevant), cpu)


def table(crawls: dict[tuple[str, str], Crawl]) -> Table:
    """Return all crawls, topic by topic."""
    shown = Table(title="Rendering off, as needed, and of all pages", title_justify="left")
    for name in ("topic", "rendered are", "pages", "rendered", "requests", "recall", "CPU s"):
        shown.add_column(name, justify="left" if name in ("topic", "rendered are") else "right")
    for (topic, mode), crawl in crawls.items():
        numbers = (f"{crawl.pages}", f"{crawl.rendered}", f"{crawl.requests}", f"{crawl.recall:.3f}")
        shown.add_row(topic, mode, *numbers, f"{crawl.cpu:.1f}")
    return shown


def figures(crawls: dict[tuple[str, str], Crawl]) -> dict[str, float]:
    """Return recall and cost as needed, over those of rendering everything; sums over the topics."""

    def total(mode: str, name: str) -> float:
        return sum(getattr(crawl, name) for (_, of), crawl in crawls.items() if of == mode)

    return {
        "render_recall_ratio": total("needed", "recall") / total("all", "recall"),
        "render_cost_ratio": total("needed", "cpu") / total("all", "cpu"),
        "render_recall_ratio_off": total("off", "recall") / total("all", "recall"),
        "render_cost_ratio_off": total("off", "cpu") / total("all", "cpu"),
        "render_page_ratio": total("needed", "rendered") / total("all", "rendered"),
    }


def study(folder: Path, topics: Sequence[str], pages: int) -> dict[tuple[str, str], Crawl]:
    """Train on the demo web, and make all crawls of the mixed one."""
    plain, mixed = write_mixed_web(folder)
    crawls = {}
    for topic in topics:
        home = topics_folder(mixed) / topic
        training = ["train", home, "-s", f"FOCUSED_WEB={plain}", "-s", f"FOCUSED_MODELS={folder / 'models'}"]
        cost([*SCRAPY, *training])
        for mode in MODES:
            crawls[topic, mode] = crawl(mode, home, mixed, folder, pages)
            print(topic, mode, crawls[topic, mode], file=sys.stderr, flush=True)
    return crawls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topics", default=",".join(TOPICS))
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        crawls = study(Path(folder), arguments.topics.split(","), arguments.pages)
    found = figures(crawls)
    Console().print(table(crawls))
    for name, value in found.items():
        print(f"{name} {value:.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"figures": found}))


if __name__ == "__main__":
    main()
