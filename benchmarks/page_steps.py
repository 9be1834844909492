"""CPU time that each step of a page's analysis costs, beside what the libraries under it cost alone.

    .venv/bin/python benchmarks/page_steps.py ../shared/webs/openweb.warc.gz --topic TOPIC [--model FOLDER]

Over random HTML pages of a web, all with one analyzer that has seen `--warm` others first, as in a crawl.
A step's time on a page is the shortest of `--rounds`; the table has mean and median of the pages. `--topic`
is a name or a folder, `--model` the folder of a trained model; without it the topic is judged by its words.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from time import process_time
from typing import Any

from lxml import etree
from rich.console import Console
from rich.progress import track
from rich.table import Table

from focused_crawler.classify.model import TopicModel
from focused_crawler.link_scoring.registry import STRATEGIES, create
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import UnparsablePage, decode, parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import url_key
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import Record

STEPS = {
    "parse": "parse_page: bytes to sections and outline",
    "relevance": "classifier.relevance",
    "partition": "partition: blocks, links, contexts, normal URLs",
    "score_lpe": "lpe",
    "url_key": "url_key of every link",
}
PARTS = {
    "decode": "of parse: bytes to text",
    "terms": "of parse: the terms of the whole text at once",
    **{f"score_{name}": name for name in STRATEGIES if name != "lpe"},
    "pickle": "a partitioned page, pickled and read again",
}
FLOORS = {
    "lxml_alone": "lxml parses, nobody listens",
    "lxml_target": "lxml parses and calls a target that does nothing",
    "lxml_tree": "lxml parses and builds a tree",
    "split": "str.lower().split() of the text",
}


class Deaf:
    """A parser target that is told nothing."""

    def close(self) -> None:
        pass


class Idle(Deaf):
    """A parser target that does nothing with what it is told."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        pass

    def data(self, text: str) -> None:
        pass

    def end(self, tag: str) -> None:
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
            started = process_time()
            result = call()
            shortest = min(shortest, process_time() - started)
        self.times.setdefault(step, []).append(1000 * shortest)
        return result


def sample(web: VirtualWeb, number: int, seed: int) -> Iterator[Record]:
    """Read so many random HTML pages of a web."""
    entries = [entry for entry in web.entries() if entry.status == 200]
    random.Random(seed).shuffle(entries)
    for entry in entries:
        record = web.read(entry)
        if record.header("Content-Type").startswith("text/html"):
            yield record
            number -= 1
            if not number:
                return


def measure_floor(clock: Clock, body: bytes, text: str) -> None:
    """Time what the analysis is built on."""
    for step, target in (("lxml_alone", Deaf), ("lxml_target", Idle), ("lxml_tree", None)):
        arguments = {"target": target()} if target is not None else {}
        clock.time(
            step,
            lambda options=arguments: etree.fromstring(
                body, etree.HTMLParser(encoding="utf-8", huge_tree=True, **options)
            ),
        )
    clock.time("split", lambda: text.lower().split())


def measure(
    clock: Clock, record: Record, analyzer: Analyzer, model: TopicModel, scorers: dict[str, Any]
) -> Page:
    """Time each step on one page."""
    page: Page = clock.time("parse", lambda: parse_page(record.body, record.url, analyzer))
    text = clock.time("decode", lambda: decode(record.body))
    clock.time("terms", lambda: analyzer.terms(page.text))
    measure_floor(clock, text.encode("utf-8", "replace"), page.text)
    page.relevance = clock.time("relevance", lambda: model.classifier.relevance(page))
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


def figures_of(clock: Clock) -> dict[str, float]:
    """Return the mean milliseconds a page of each step, and of all that a crawl by lpe does."""
    figures = {f"ms_{step}": mean(times) for step, times in clock.times.items()}
    return figures | {"ms_page": sum(figures[f"ms_{step}"] for step in STEPS)}


def table_of(clock: Clock, title: str) -> Table:
    """Return the table: the steps of a page, parts of them and other strategies, the floor."""
    table = Table("step", "mean, ms", "median, ms", "share of a page", title=title, min_width=100)
    whole = [sum(page) for page in zip(*(clock.times[step] for step in STEPS), strict=True)]
    for group in (STEPS, PARTS, FLOORS):
        for step, label in group.items():
            times = clock.times[step]
            share = f"{mean(times) / mean(whole):.0%}"
            table.add_row(label, f"{mean(times):.3f}", f"{median(times):.3f}", share)
        if group is STEPS:
            table.add_row(
                "a page, all of these", f"{mean(whole):.3f}", f"{median(whole):.3f}", "", style="bold"
            )
        table.add_section()
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path)
    parser.add_argument("--topic", required=True, help="name or folder")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--warm", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    topic = load_topic(options.topic)
    analyzer = Analyzer(topic.language)
    model = TopicModel.load(options.model) if options.model else TopicModel.cold(topic, analyzer)
    scorers = {name: create(name, model) for name in STRATEGIES}
    clock, sizes, links = Clock(options.rounds), [], []
    with VirtualWeb(options.web) as web:
        records = sample(web, options.warm + options.pages, options.seed)
        total = options.warm + options.pages
        for number, record in enumerate(track(records, "pages", total, console=Console(stderr=True))):
            try:
                if number < options.warm:
                    parse_page(record.body, record.url, analyzer)
                    continue
                page = measure(clock, record, analyzer, model, scorers)
            except UnparsablePage:
                continue
            sizes.append(len(record.body))
            links.append(len(page.links))
    title = (
        f"{len(sizes)} pages of {options.web.name}: {mean(sizes) / 1000:.1f} KB"
        f" (median {median(sizes) / 1000:.1f}), {mean(links):.0f} links (median {median(links):.0f})"
    )
    Console().print(table_of(clock, title))
    if options.json:
        options.json.write_text(json.dumps({"figures": figures_of(clock)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
