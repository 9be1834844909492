"""CPU time that each step of a page's analysis costs, beside what the libraries under it cost alone.

    .venv/bin/python benchmarks/page_steps.py ../shared/webs/openweb.warc.gz --topic TOPIC [--model FOLDER]

Over random HTML pages of a web, all with one analyzer that has seen `--warm` others first, as in a crawl.
A step's time on a page is the shortest of `--rounds`; the table has mean and median of the pages. `--topic`
is a name or a folder, `--model` the folder of a trained model; without it the topic is judged by its words.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Annotated, Any

from lxml import etree
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import STDERR, Report, main, random_pages
from benchmarks.meter import Meter
from benchmarks.tables import Rows
from focused_crawler.classify.model import TopicModel
from focused_crawler.link_scoring.registry import STRATEGIES, create
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Focus, Page
from focused_crawler.page.parser import UnparsablePage, decode, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import ModelError
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord

STEPS = ("parse", "relevance", "partition", "score_lpe", "url_key")
"""What a page goes through; the rest are other strategies, and what is under them."""


class Deaf:
    """A parser target that is told nothing."""

    def close(self) -> None:
        pass


@dataclass(slots=True)
class Clock:
    """Milliseconds by step, an entry a page."""

    rounds: int
    times: dict[str, list[float]] = field(default_factory=dict)

    def time(self, step: str, call: Callable[[], Any]) -> Any:
        """Return what the call returns; its shortest time is noted."""
        shortest = float("inf")
        for _ in range(self.rounds):
            meter = Meter()
            with meter.running():
                result = call()
            shortest = min(shortest, meter.cpu)
        self.times.setdefault(step, []).append(1000 * shortest)
        return result


def time_page(
    clock: Clock, record: WebRecord, analyzer: Analyzer, model: TopicModel, scorers: dict[str, Any]
) -> Page:
    """Time each step on one page."""
    page: Page = clock.time("parse", lambda: parse_page(record.body, record.url, analyzer))
    body = decode(record.body).encode("utf-8", "replace")
    options = {"encoding": "utf-8", "huge_tree": True, "target": Deaf()}
    clock.time("lxml_alone", lambda: etree.fromstring(body, etree.HTMLParser(**options)))
    page.relevance = clock.time("relevance", lambda: model.classifier.relevance(page))
    page.focus = Focus(page.relevance, "", page.relevance >= 0.5)  # for strategies that need a taxonomy's
    outline = page.outline

    def cut() -> None:
        page.outline = outline
        partition(page)

    clock.time("partition", cut)
    for name, scorer in scorers.items():
        clock.time(f"score_{name}", lambda scorer=scorer: scorer.score(page, page.links))
    clock.time("url_key", lambda: [url_key(link.url) for link in page.links])
    clock.time("pickle", lambda: pickle.loads(pickle.dumps(page, 5)))
    return page


def scorers_of(model: TopicModel) -> Iterator[tuple[str, Any]]:
    """Yield the strategies that can be had of a model: some need what another kind of training gives."""
    for name in STRATEGIES:
        with suppress(ModelError):
            yield name, create(name, model)


def rows_of(clock: Clock) -> Rows:
    """Return the steps of a page, all of them, and what else was timed."""
    whole = [sum(page) for page in zip(*(clock.times[step] for step in STEPS), strict=True)]
    times = {step: clock.times[step] for step in STEPS} | {"page": whole} | clock.times
    return Rows(
        {"step": step, "mean": mean(found), "median": median(found), "share": mean(found) / mean(whole)}
        for step, found in times.items()
    )


def measure(
    web: Path,
    *,
    topic: Annotated[str, "name or folder"],
    model: Path | None = None,
    pages: int = 1000,
    warm: int = 500,
    rounds: int = 3,
    seed: int = 0,
) -> Report:
    """Time all steps on random pages, after some others."""
    found = load_topic(topic)
    analyzer = Analyzer(found.language)
    learnt = (TopicModel.load(model) if model else TopicModel.cold(found, analyzer)).of_topic(found)
    scorers = dict(scorers_of(learnt))
    clock, sizes, links = Clock(rounds), [], []
    with VirtualWeb(web) as opened:
        records = islice(random_pages(opened, seed), warm + pages)
        for number, record in enumerate(track(records, "pages", warm + pages, console=STDERR)):
            try:
                if number < warm:
                    parse_page(record.body, record.url, analyzer)
                    continue
                page = time_page(clock, record, analyzer, learnt, scorers)
            except UnparsablePage:
                continue
            sizes.append(len(record.body))
            links.append(len(page.links))
    counts = {"pages": len(sizes), "kb_per_page": mean(sizes) / 1000, "links_per_page": mean(links)}
    return Report({"steps": rows_of(clock)}, counts)


if __name__ == "__main__":
    main(measure, __doc__)
