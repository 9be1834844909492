"""A topic from its title, description and keywords alone, beside one with examples: what is the difference?

    .venv/bin/python benchmarks/study.py from_words --web ../shared/webs/openweb.warc.gz --out FOLDER

For each topic of the web, without its seeds and examples, as a user would: `scrapy newtopic`, `scrapy
thesaurus grow --search` (WordNet and the local search), `scrapy seeds --write` (the same search), and a
crawl of 2|T| pages by `thesaurus`, simulated in the order of `scrapy crawl`; then the same with the thesaurus
of the topic's words and WordNet alone. Beside them `lpe`, `lpe_soft` and `link_classifier`, with the model
trained on the topic's examples, from its seed set a (`scrapy experiment`). Ground truth judges all, none
sees it. FOLDER keeps what was made; the same command goes on there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scrapy.settings import Settings

from benchmarks.harness import Report, scrapy_aloud
from benchmarks.studies.crawls import bench_of, simulated
from benchmarks.tables import Rows
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.experiment.grid import Subject, web_name
from focused_crawler.topic.thesaurus.file import FILE_NAME
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

TRAINED = ("lpe", "lpe_soft", "link_classifier")
WORDS = {"thesaurus": 20, "thesaurus, not grown": 0}
"""Entries that growing adds, at most."""


def measure(*, web: Path, out: Path) -> Report:
    """Make what is missing, and count what each way found."""
    web, out = web.resolve(), out.resolve()
    words = ["--web", web, "--out", out / "examples", "--seed-sets", "a", "--strategies", ",".join(TRAINED)]
    scrapy_aloud("experiment", *words)
    topics = [load_topic(str(file.parent)) for file in sorted(topics_folder(web).glob("*/topic.toml"))]
    return Report({"ways": Rows(row for topic in topics for row in _ways(web, out, topic))})


def _ways(web: Path, out: Path, topic: Topic) -> Iterator[dict[str, object]]:
    truth = GroundTruth.beside(web, topic.name)
    assert truth is not None

    def row(way: str, seeds: Sequence[str], urls: Sequence[str]) -> dict[str, object]:
        """Say what a crawl found among |T| pages and 2|T|; what is not fetched is not relevant."""
        hits = np.array([truth.is_relevant(url) for url in urls], dtype=np.bool_)
        found = [int(hits[: times * len(truth)].sum()) / len(truth) for times in (1, 2)]
        relevant = sum(map(truth.is_relevant, seeds))
        counts = {"seeds": len(seeds), "relevant_seeds": relevant, "at_t": found[0], "at_2t": found[1]}
        return {"topic": topic.name, "way": way, **counts}

    for name, grown in WORDS.items():
        made = _made_of_words(web, out / ("grown" if grown else "words"), topic, grown)
        yield row(name, made.seeds, _crawl(web, made, 2 * len(truth)))
    for strategy in TRAINED:
        visits = out / "examples/visits" / f"{web_name(web)}.{topic.name}.a.{strategy}.txt"
        yield row(strategy, topic.seeds_of("a"), visits.read_text("utf-8").splitlines())


def _made_of_words(web: Path, into: Path, topic: Topic, grown: int) -> Topic:
    """Make a topic of words, its thesaurus and its start pages, by the commands that a user types."""
    folder = into / topic.name
    if not (folder / FILE_NAME).exists():
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was broken off
        keywords = [part for keyword in topic.keywords for part in ("--keyword", keyword)]
        about = ("--title", topic.title, "--description", topic.description, "--language", topic.language)
        scrapy_aloud("newtopic", topic.name, *keywords, *about, "--into", into)
        grow = ("grow", folder, "--search", "--web", web, "--accept", grown) if grown else ("new", folder)
        scrapy_aloud("thesaurus", *grow)
    made = load_topic(str(folder))
    if not made.seeds:
        scrapy_aloud("seeds", folder, "--write", settings={"FOCUSED_WEB": web})
        made = load_topic(str(folder))
    return made


def _crawl(web: Path, topic: Topic, pages: int) -> list[str]:
    settings = {**DEFAULTS, "FOCUSED_TOPIC": str(topic.folder), "FOCUSED_STRATEGY": "thesaurus"}
    analyst = Analyst.make(CrawlConfig.from_settings(Settings(settings)), topic)
    bench = bench_of(topic.folder)
    return simulated(bench, Subject(web, topic, None, {}), analyst, topic.seeds, pages, {}).urls
