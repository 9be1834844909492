"""Measure the pinned figures, and move the pins.

    python -m tests.quality.measure                            print the table; exit code 1: a pin has to move
    python -m tests.quality.measure --functions 30             also print the functions called most often
    python -m tests.quality.measure --update                   move the pins of figures that got better
    python -m tests.quality.measure --update --allow-worse F   also move the pin of F, which got worse

All figures come from commands and the files that they write, on the demo web;
docs/research/quality.md explains them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from warcio.archiveiterator import ArchiveIterator

from tests.quality.pins import WorseError, read_pins, update_pins

ROOT = Path(__file__).parents[2]
TOPICS = ("astronomy", "cooking")
STRATEGIES = ("breadth_first", "best_first_content_anchor", "link_classifier", "adaptive")
PAGES = 200
WARM_UP_PAGES = 20  # not counted: they fill caches and open files
SPARE = 1.1  # so many more seeds than pages: some may not be fetched
HOUR = 3600


class Bench:
    """What the figures are read from, in a folder; each part is made when it is first asked for.

    `web`: a demo web that nobody has used; else one is made.
    """

    def __init__(self, folder: Path, web: Path | None = None) -> None:
        self._folder = folder
        self._web = web

    @cached_property
    def web(self) -> Path:
        """The demo web."""
        if self._web is None:
            self._run("scrapy", "virtualweb", "demo", self._folder)
        return self._web or self._folder / "demo.warc.gz"

    @cached_property
    def experiment(self) -> Path:
        """The folder of an experiment: all seed sets of the topics."""
        out = self._folder / "experiment"
        lists = ["--topics", ",".join(TOPICS), "--strategies", ",".join(STRATEGIES)]
        self._run("scrapy", "experiment", "--web", self.web, *lists, "--processes", 1, "--out", out)
        return out

    @cached_property
    def counts(self) -> Mapping[str, Any]:
        """What tests/quality/counted.py counts in a crawl of fixed pages by the default strategy."""
        report = self._folder / "counts.json"
        settings = {
            "FOCUSED_WEB": self.web,
            "FOCUSED_MODELS": self.experiment / "models/demo",
            "FOCUSED_CRAWLS": self._folder / "crawls",
            "FOCUSED_ANALYSIS_PROCESSES": 0,
            "FOCUSED_PROGRESS_INTERVAL": HOUR,
            "CONCURRENT_REQUESTS": 1,  # each page ends alone, so commits do not depend on the clock
            "LOG_LEVEL": "WARNING",
        }
        words = [
            "-a",
            f"topic={self._topic_of_fixed_pages()}",
            "-a",
            "profile=offline",
            "-a",
            f"pages={PAGES}",
        ]
        for name, value in settings.items():
            words += ["-s", f"{name}={value}"]
        self._run("tests.quality.counted", report, WARM_UP_PAGES, PAGES, "crawl", "topic", *words)
        return json.loads(report.read_text())

    def _topic_of_fixed_pages(self) -> Path:
        """Write a topic whose seeds are drawn from the web: any strategy fetches seeds before links."""
        name = TOPICS[0]
        topic = self.topic(name)
        urls = sorted(_page_urls(self.web))
        topic["seeds"] = random.Random(0).sample(urls, int(SPARE * PAGES))
        keys = ("name", "title", "description", "language", "keywords", "seeds")
        folder = self._folder / "fixed" / name
        folder.mkdir(parents=True)
        (folder / "topic.toml").write_text("".join(f"{key} = {json.dumps(topic[key])}\n" for key in keys))
        return folder

    def topic(self, name: str) -> dict[str, Any]:
        """Return topic.toml of a topic of the web."""
        return tomllib.loads((self.topics / name / "topic.toml").read_text())

    @property
    def topics(self) -> Path:
        return self.web.with_name("demo.topics")

    def _run(self, module: str, *words: object) -> None:
        """Run a module, without the settings that the user has in the environment."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED_", "SCRAPY_"))
        }
        environment |= {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-W", "error", "-m", module, *map(str, words)]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}")


def _page_urls(web: Path) -> set[str]:
    """Return the URLs of all HTML pages of a web."""
    with web.open("rb") as file:
        return {
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
            and record.http_headers.get_statuscode() == "200"
            and record.http_headers.get_header("Content-Type", "").startswith("text/html")
        }


def per_page(name: str, bench: Bench) -> float:
    """Return a count of the crawl of fixed pages, a page."""
    return bench.counts[name] / bench.counts["pages"]


def area(strategy: str, bench: Bench) -> float:
    """Return the area under R(n), as a share of the upper bound's: mean over topics and seed sets."""
    with (bench.experiment / "summary.csv").open(newline="") as file:
        return fmean(
            float(row["area_upper_1"]) for row in csv.DictReader(file) if row["strategy"] == strategy
        )


def classifier_f1(bench: Bench) -> float:
    """Return F1 by the ground truth, mean over topics: of all pages that no model learnt from."""
    return fmean(_f1(bench, name) for name in TOPICS)


def _f1(bench: Bench, name: str) -> float:
    models = bench.experiment / "models/demo" / name
    relevances = np.load(models / "relevance.npy", allow_pickle=False)
    threshold = json.loads((models / "model.json").read_text())["threshold"]
    urls = _analysed_urls(bench.web)
    assert len(urls) == len(relevances)
    learnt = _examples(bench)
    truth = set((bench.topics / name / "relevant.txt").read_text().split()) - learnt
    said = {url for url, at in zip(urls, relevances, strict=True) if at >= threshold} - learnt
    return 2 * len(said & truth) / (len(said) + len(truth))


def _analysed_urls(web: Path) -> list[str]:
    """Return the pages of a web in the order in which an experiment numbers them."""
    (cache,) = web.parent.glob(f"{web.name}.pages-*")
    with closing(sqlite3.connect(f"{cache.as_uri()}?mode=ro", uri=True)) as db:
        return [url for (url,) in db.execute("SELECT url FROM page ORDER BY number")]


def _examples(bench: Bench) -> set[str]:
    """Return the examples of all topics: those of one are background for another."""
    examples = [bench.topic(folder.name)["examples"] for folder in bench.topics.iterdir()]
    return {url for kinds in examples for urls in kinds.values() for url in urls}


FIGURES: dict[str, Callable[[Bench], float]] = {
    "python_calls": partial(per_page, "calls"),
    "own_python_calls": partial(per_page, "own_calls"),
    "sql_execute": partial(per_page, "execute"),
    "sql_executemany": partial(per_page, "executemany"),
    "sql_commits": partial(per_page, "commit"),
    **{f"area_{strategy}": partial(area, strategy) for strategy in STRATEGIES},
    "classifier_f1": classifier_f1,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="move the pins of figures that got better")
    parser.add_argument("--allow-worse", action="append", default=[], metavar="NAME", choices=FIGURES)
    parser.add_argument(
        "--functions", type=int, default=0, metavar="N", help="print the N functions called most often"
    )
    options = parser.parse_args()
    if options.allow_worse and not options.update:
        parser.error("--allow-worse goes with --update")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        measured = {name: figure(bench) for name, figure in FIGURES.items()}
        show(measured)
        show_functions(bench, options.functions)
    if not options.update:
        complaints = filter(None, (pin.complaint(measured[name]) for name, pin in read_pins().items()))
        sys.exit("\n".join(complaints) or 0)
    try:
        moved = update_pins(measured, frozenset(options.allow_worse))
    except WorseError as error:
        sys.exit(f"error: {error}")
    print("moved:", ", ".join(moved) or "none")


def show(measured: Mapping[str, float]) -> None:
    print(f"{'figure':<32}{'pin':>10}{'measured':>12}{'change':>10}")
    for name, pin in read_pins().items():
        change = measured[name] / pin.value - 1
        print(f"{name:<32}{pin.value:>10g}{measured[name]:>12.5g}{change:>+10.2%}  ({pin.better} is better)")


def show_functions(bench: Bench, number: int) -> None:
    for function, calls in list(bench.counts["functions"].items())[:number]:
        print(f"{calls / bench.counts['pages']:>10.1f} {function}")


if __name__ == "__main__":
    main()
