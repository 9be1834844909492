"""A topic from its title, description and keywords alone, beside one with examples: what is the difference?

    .venv/bin/python benchmarks/from_words.py --web ../shared/webs/openweb.warc.gz --out FOLDER

For each topic of the web, without its seeds and examples, as a user would: `scrapy newtopic`, `scrapy
thesaurus grow --search` (WordNet and the local search), `scrapy seeds --write` (the same search), and a
crawl of 2|T| pages by `thesaurus`, simulated in the order of `scrapy crawl`; then the same with the thesaurus
of the topic's words and WordNet alone. Beside them `lpe`, `lpe_soft` and `link_classifier`, with the model
trained on the topic's examples, from its seed set a (`scrapy experiment`). Ground truth judges all, none
sees it. FOLDER keeps what was made; the same command goes on there.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.experiment.simulator import simulate
from focused_crawler.topic.thesaurus.file import FILE_NAME
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

TRAINED = ("lpe", "lpe_soft", "link_classifier")
GROWN = 20
"""Entries that growing adds, at most."""

WORDS = {"thesaurus": GROWN, "thesaurus, not grown": 0}


class Way(NamedTuple):
    """What one crawl of a topic found."""

    seeds: int
    relevant_seeds: int
    hits: np.ndarray  # bool, a page fetched
    targets: int

    def harvest(self, share: float) -> float:
        """Return the share of relevant pages among `share` * |T|; what is not fetched is not relevant."""
        pages = round(share * self.targets)
        return float(self.hits[:pages].sum()) / pages

    def recall(self, share: float) -> float:
        """Return the share of the relevant pages that are among the first `share` * |T|."""
        return self.harvest(share) * round(share * self.targets) / self.targets


Ways = Mapping[str, Mapping[str, Way]]
"""By topic, then by the name of the way."""


def main() -> None:
    """Make what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    web, out = options.web.resolve(), options.out.resolve()
    ways = {topic.name: dict(_ways(web, out, topic)) for topic in _topics(web, out)}
    Console(width=190).print(_table(ways))
    if options.json:
        options.json.write_text(json.dumps({"figures": _figures(ways)}, indent=2) + "\n", "utf-8")


def _topics(web: Path, out: Path) -> list[Topic]:
    """Return the topics, once those with examples have been crawled."""
    _scrapy(
        "experiment", "--web", web, "--out", out / "examples", "--seed-sets", "a",
        "--strategies", ",".join(TRAINED),
    )  # fmt: skip
    return [load_topic(str(file.parent)) for file in sorted(topics_folder(web).glob("*/topic.toml"))]


def _ways(web: Path, out: Path, topic: Topic) -> Iterator[tuple[str, Way]]:
    truth = GroundTruth.beside(web, topic.name)
    assert truth is not None
    for name, grown in WORDS.items():
        made = _made_of_words(web, out / ("grown" if grown else "words"), topic, grown)
        yield name, _way(made.seeds, _crawl(web, made, 2 * len(truth)), truth)
    for strategy in TRAINED:
        visits = out / "examples" / "visits" / f"{web.name.partition('.')[0]}.{topic.name}.a.{strategy}.txt"
        yield strategy, _way(topic.seeds_of("a"), visits.read_text("utf-8").splitlines(), truth)


def _way(seeds: tuple[str, ...], urls: list[str], truth: GroundTruth) -> Way:
    hits = np.array([truth.is_relevant(url) for url in urls], dtype=np.bool_)
    return Way(len(seeds), sum(map(truth.is_relevant, seeds)), hits, len(truth))


def _made_of_words(web: Path, into: Path, topic: Topic, grown: int) -> Topic:
    """Make a topic of words, its thesaurus and its start pages, by the commands that a user types."""
    folder = into / topic.name
    if not (folder / FILE_NAME).exists():
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was broken off
        keywords = [part for keyword in topic.keywords for part in ("--keyword", keyword)]
        about = ("--title", topic.title, "--description", topic.description, "--language", topic.language)
        _scrapy("newtopic", topic.name, *keywords, *about, "--into", into)
        if grown:
            _scrapy("thesaurus", "grow", folder, "--search", "--web", web, "--accept", grown)
        else:
            _scrapy("thesaurus", "new", folder)
    made = load_topic(str(folder))
    if not made.seeds:
        _scrapy("seeds", folder, "--write", "-s", f"FOCUSED_WEB={web}")
        made = load_topic(str(folder))
    return made


def _crawl(web: Path, topic: Topic, pages: int) -> list[str]:
    settings = {**DEFAULTS, "FOCUSED_TOPIC": str(topic.folder), "FOCUSED_STRATEGY": "thesaurus"}
    config = CrawlConfig.from_settings(Settings(settings))
    rules = replace(config.rules(), delay=0.0, per_host=None)  # nobody is asked
    with AnalysedWeb(web, Reading(language=topic.language)) as analysed:
        return simulate(Analyst.make(config, topic), analysed, topic.seeds, pages, rules).urls


def _scrapy(*words: object) -> None:
    command = [sys.executable, "-m", "scrapy", *map(str, words)]
    print(" ".join(command[2:6]), "...", file=sys.stderr)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def _table(ways: Ways) -> Table:
    table = Table(title="Harvest rate at |T| pages (target recall, too), target recall at 2|T| pages")
    table.add_column("topic")
    names = list(next(iter(ways.values())))
    for name in names:
        for what in ("seeds", "at |T|", "at 2|T|"):
            table.add_column(f"{name}\n{what}", justify="right")
    for topic, made in ways.items():
        cells = [cell for name in names for cell in _cells(made[name])]
        table.add_row(topic, *cells)
    means = [(_mean(ways, name, 1.0), _mean(ways, name, 2.0)) for name in names]
    table.add_row("mean", *(cell for one, two in means for cell in ("", f"{one:.3f}", f"{two:.3f}")))
    return table


def _cells(way: Way) -> tuple[str, str, str]:
    return f"{way.relevant_seeds}/{way.seeds}", f"{way.harvest(1.0):.3f}", f"{way.recall(2.0):.3f}"


def _mean(ways: Ways, name: str, share: float) -> float:
    return float(np.mean([made[name].recall(share) for made in ways.values()]))


def _figures(ways: Ways) -> dict[str, float]:
    names = list(next(iter(ways.values())))
    shares = {"harvest_at_t": 1.0, "recall_at_2t": 2.0}
    return {
        f"{what}_{name.replace(', ', '_').replace(' ', '_')}": round(_mean(ways, name, share), 4)
        for name in names
        for what, share in shares.items()
    }


if __name__ == "__main__":
    main()
