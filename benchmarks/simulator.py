"""Pages a second of one processor that simulated crawls fetch, by strategy, beside the floor under them all.

    .venv/bin/python benchmarks/simulator.py ../shared/webs/openweb.warc.gz --topic TOPIC [--models FOLDER]

Each strategy crawls `--pages` pages from the topic's seed set, `--rounds` times with a new analyst; the
shortest CPU time counts. Pages were analysed (once a web) and classified (once a topic) before, as in an
experiment. The floor: pages are only loaded, in random order. Without `--models`, which holds what
`scrapy train --sessions-from WEB` made, that is done first.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from rich.progress import track
from scrapy.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Meter, Report, main, scrapy
from benchmarks.tables import Rows
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.experiment.simulator import simulate
from focused_crawler.frontier.base import Rules
from focused_crawler.link_scoring.registry import STRATEGIES
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.safety.process import settle
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

Row = dict[str, object]


def measure(
    web: Path,
    *,
    topic: Annotated[str, "name or folder"],
    models: Path | None = None,
    strategies: Annotated[str, "names, comma between"] = ",".join(STRATEGIES),
    seed_set: str | None = None,
    pages: int = 3000,
    rounds: int = 2,
) -> Report:
    """Crawl with each strategy: once to classify the pages, then against the clock."""
    place = str(Path(topic).resolve()) if Path(topic).is_dir() else topic
    found, known = load_topic(place), dict[int, float]()
    with AnalysedWeb(web.resolve()) as analysed, trained(web.resolve(), place, models) as folder:
        rows = Rows([load_speed(analysed, pages)])
        crawl = partial(_crawl, analysed, folder, found, found.seeds_of(seed_set), pages, known)
        for strategy in track(strategies.split(","), "strategies", console=STDERR):
            try:
                crawl(strategy)
                rows.append(min((crawl(strategy) for _ in range(rounds)), key=lambda run: run["seconds"]))
            except FocusedCrawlerError as error:
                rows.append({"strategy": strategy, "reason": str(error)})
    return Report({"strategies": Rows(sorted(rows, key=lambda row: -row.get("rate", 0.0)))})


def _crawl(
    web: AnalysedWeb,
    models: Path,
    topic: Topic,
    seeds: tuple[str, ...],
    pages: int,
    known: dict[int, float],
    strategy: str,
) -> Row:
    values = {"FOCUSED_STRATEGY": strategy, "FOCUSED_MODELS": str(models)}
    analyst, meter = Analyst.make(CrawlConfig.from_settings(Settings(values)), topic), Meter()
    settle()
    with meter.running():
        run = simulate(analyst, web, seeds, pages, Rules(), relevance=known)
    return _speed(strategy, len(run.visits), meter.cpu, run.reason)


def load_speed(web: AnalysedWeb, pages: int) -> Row:
    """Load so many pages in random order, and do nothing with them."""
    numbers, meter = random.Random(0).choices(range(len(web)), k=pages), Meter()
    with meter.running():
        for number in numbers:
            web.page(number)
    return _speed("loaded", pages, meter.cpu, "")


def _speed(strategy: str, pages: int, seconds: float, reason: str) -> Row:
    rate = {"rate": pages / seconds, "ms": 1000 * seconds / pages} if pages else {}
    return {"strategy": strategy, "pages": pages, "seconds": seconds, "reason": reason, **rate}


@contextmanager
def trained(web: Path, topic: str, models: Path | None) -> Iterator[Path]:
    """Return the folder of models; a new one, while it is needed, if none was given."""
    if models is not None:
        yield models
        return
    with TemporaryDirectory() as folder:
        settings = {"FOCUSED_WEB": web, "FOCUSED_MODELS": folder}
        scrapy("train", topic, "--sessions-from", web, settings=settings)
        yield Path(folder)


if __name__ == "__main__":
    main(measure, __doc__)
