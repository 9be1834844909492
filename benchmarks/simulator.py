"""Pages a second of one processor that simulated crawls fetch, by strategy, beside the floor under them all.

    .venv/bin/python benchmarks/simulator.py ../shared/webs/openweb.warc.gz --topic TOPIC [--models FOLDER]

Each strategy crawls `--pages` pages from the topic's seed set, `--rounds` times with a new analyst; the
shortest CPU time counts. Pages were analysed (once a web) and classified (once a topic) before, as in an
experiment. The floor: pages are only loaded, in random order. Without `--models`, which holds what
`scrapy train --sessions-from WEB` made, that is done first.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from rich.console import Console
from rich.progress import track
from rich.table import Table
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.experiment.simulator import simulate
from focused_crawler.frontier.base import Rules
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.process import settle
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Speed:
    """What crawls by one strategy came to."""

    pages: int
    seconds: float  # CPU; the shortest
    reason: str

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds


class Track:
    """Crawls of one topic through one web."""

    def __init__(self, web: AnalysedWeb, models: Path, options: argparse.Namespace) -> None:
        self._web, self._models, self._options = web, models, options
        self._topic = load_topic(options.topic)
        self._seeds = self._topic.seeds_of(options.seed_set)
        self._relevance: dict[int, float] = {}

    def speed(self, strategy: str) -> Speed:
        """Crawl once to classify the pages, then against the clock."""
        self._crawl(strategy)
        return min((self._crawl(strategy) for _ in range(self._options.rounds)), key=lambda run: run.seconds)

    def _crawl(self, strategy: str) -> Speed:
        values = {"FOCUSED_STRATEGY": strategy, "FOCUSED_MODELS": str(self._models)}
        analyst = Analyst.make(CrawlConfig.from_settings(Settings(values)), self._topic)
        settle()
        began = process_time()
        run = simulate(
            analyst, self._web, self._seeds, self._options.pages, Rules(), relevance=self._relevance
        )
        return Speed(len(run.visits), process_time() - began, run.reason)


def load_speed(web: AnalysedWeb, pages: int) -> Speed:
    """Load so many pages in random order, and do nothing with them."""
    numbers = random.Random(0).choices(range(len(web)), k=pages)
    began = process_time()
    for number in numbers:
        web.page(number)
    return Speed(pages, process_time() - began, "")


@contextmanager
def trained(options: argparse.Namespace) -> Iterator[Path]:
    """Return the folder of models; a new one, while it is needed, if none was given."""
    if options.models is not None:
        yield options.models
        return
    with TemporaryDirectory() as folder:
        words = ["train", options.topic, "--sessions-from", str(options.web)]
        words += ["-s", f"FOCUSED_WEB={options.web}", "-s", f"FOCUSED_MODELS={folder}"]
        command = [sys.executable, "-m", "scrapy", *words, "-s", "LOG_LEVEL=ERROR"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        yield Path(folder)


def table_of(speeds: dict[str, Speed], left_out: dict[str, str], title: str) -> Table:
    """Return the table: a row a strategy, the fastest first."""
    table = Table("strategy", "pages/s", "ms a page", "pages", "ended by", title=title, min_width=100)
    for name, run in sorted(speeds.items(), key=lambda item: -item[1].pages_per_s):
        milliseconds = f"{1000 * run.seconds / run.pages:.2f}"
        table.add_row(name, f"{run.pages_per_s:,.0f}", milliseconds, f"{run.pages:,}", run.reason)
    for name, why in left_out.items():
        table.add_row(name, "-", "-", "-", why)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path)
    parser.add_argument("--topic", required=True, help="name or folder")
    parser.add_argument("--models", type=Path)
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="names, comma between")
    parser.add_argument("--seed-set", default=None)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.web = options.web.resolve()
    if Path(options.topic).is_dir():
        options.topic = str(Path(options.topic).resolve())
    speeds: dict[str, Speed] = {}
    left_out: dict[str, str] = {}
    with AnalysedWeb(options.web) as web, trained(options) as models:
        floor = load_speed(web, options.pages)
        crawls = Track(web, models, options)
        for name in track(options.strategies.split(","), "strategies", console=Console(stderr=True)):
            try:
                speeds[name] = crawls.speed(name)
            except FocusedCrawlerError as error:
                left_out[name] = str(error)
        title = f"{options.web.name}, {Path(options.topic).name}, {options.pages:,} pages"
        Console().print(table_of({"(pages only loaded)": floor, **speeds}, left_out, title))
    if options.json:
        figures = {f"pages_per_s_{name}": run.pages_per_s for name, run in speeds.items() if run.pages}
        figures["pages_per_s_loaded"] = floor.pages_per_s
        options.json.write_text(json.dumps({"figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
